// The prose of a file: paragraphs of documents; comments, titles of tests and messages of programs.
import type { Prose } from './rules.ts'

/** The paragraphs, items and rows of a document in Markdown, without blocks of code. */
export function proseOfDocument(path: string, text: string): readonly Prose[] {
  const paragraphs: { at: string; lines: string[] }[] = []
  let isCode = false
  let isOpen = false
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode
    if (isCode || line.startsWith('```') || line.trim() === '' || /^<!--.*-->$/.test(line)) {
      isOpen = false
      continue
    }
    const begins = /^\s*(?:[-#|]|\d+\. )/.test(line)
    if (isOpen && !begins) paragraphs.at(-1)?.lines.push(line.trim())
    else paragraphs.push({ at: `${path}:${index + 1}`, lines: [line] })
    isOpen = !/^[#|]/.test(line)
  }
  return paragraphs.map(({ at, lines }) => ({ at, text: lines.join(' ') }))
}

const COMMENT = /(?:^[ \t]*\/\/[^\n]*\n)+|\/\*\*[\s\S]*?\*\//gm
const TITLE = /\btest\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g
/** Texts of errors and of the command line. A message may consist of several literals. */
const MESSAGE =
  /(?:\bnew \w*Error\(|\b(?:help|summary|description|advice|message):)\s*((?:(['"`])(?:\\.|(?!\2)[^\\])*\2(?:\s*\+\s*)?)+)/g

/** Comments, titles of tests and messages of a source in TypeScript. */
export function proseOfSource(path: string, text: string): readonly Prose[] {
  const at = (index: number) => `${path}:${text.slice(0, index).split('\n').length}`
  const comments = [...text.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    at: at(index),
    text: comment
      .replaceAll(/^\s*(?:\/\/|\/\*\*|\*\/|\*(?!\/)) ?/gm, '')
      .replace(/\*\/\s*$/, '')
      .replaceAll(/\s+/g, ' '),
  }))
  const titles = [...text.matchAll(TITLE)].map(({ 2: title = '', index }) => ({ at: at(index), text: title }))
  const messages = [...text.matchAll(MESSAGE)].map(({ 1: message = '', index }) => ({
    at: at(index),
    text: message.replaceAll(/^['"`]|['"`]$|['"`]\s*\+\s*['"`]/g, ''),
  }))
  return [...comments, ...titles, ...messages]
}
