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
const LITERAL = /'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`/g
/** Four words and more, such as messages, helps and texts of pages; SQL apart. */
const isMessage = (text: string): boolean =>
  /[a-z]+ [\w'$]\S* \S+ \S/.test(text) &&
  !/\b(?:SELECT|FROM|WHERE|UPDATE|INSERT|CREATE|ALTER|DELETE)\b|=>|\bconst\b/.test(text)

/** Comments of a source in TypeScript; titles of tests, or messages of all other sources. */
export function proseOfSource(path: string, text: string): readonly Prose[] {
  const at = (index: number) => `${path}:${text.slice(0, index).split('\n').length}`
  const comments = [...text.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    at: at(index),
    text: comment
      .replaceAll(/^\s*(?:\/\/|\/\*\*|\*\/|\*(?!\/)) ?/gm, '')
      .replace(/\*\/\s*$/, '')
      .replaceAll(/\s+/g, ' '),
  }))
  const isTest = path.startsWith('test/') || path.includes('.test.')
  // Comments become blanks, so that places stay.
  const code = text.replaceAll(COMMENT, (comment) => comment.replaceAll(/[^\n]/g, ' '))
  const texts = isTest
    ? [...text.matchAll(TITLE)].map(({ 2: title = '', index }) => ({ at: at(index), text: title }))
    : [...code.matchAll(LITERAL)]
        .map(({ 1: single, 2: double, 3: template, index }) => ({
          at: at(index),
          text: single ?? double ?? template ?? '',
        }))
        .filter((literal) => isMessage(literal.text))
  return [...comments, ...texts]
}
