// The Markdown that the guides are written in as HTML: headings, paragraphs, lists, tables, blocks of code.
import { type Html, html, joined } from '../kit/html.ts'

/** Where a link of the text leads; null: nowhere, and its words alone are shown. */
type LinkTo = (target: string) => string | null

/** A heading, as the contents and links name it. */
export interface Heading {
  readonly id: string
  readonly title: string
  /** The plain text up to the next heading. */
  readonly text: string
}

/** The name of a heading in links: `#never-twice`. */
const idOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-')

/** Lines without those that only tests read. */
const linesOf = (text: string): string[] =>
  text.split(/\r?\n/).filter((line) => !/^<!--.*-->$/.test(line.trim()))

const HEADING = /^(#{1,4}) (.*)$/s
const plain = (text: string): string =>
  text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*|]/g, '')

/** The headings of a text, with what stands below each. */
export function headingsOf(text: string): Heading[] {
  const headings: { title: string; lines: string[] }[] = []
  let isCode = false
  for (const line of linesOf(text)) {
    if (line.startsWith('```')) isCode = !isCode
    const title = isCode ? undefined : HEADING.exec(line)?.[2]
    if (title === undefined) headings.at(-1)?.lines.push(line)
    else headings.push({ title: plain(title), lines: [] })
  }
  return headings.map(({ title, lines }) => ({ id: idOf(title), title, text: plain(lines.join(' ')) }))
}

/** The text as HTML. */
export function markdown(text: string, linkTo: LinkTo): Html {
  const lines = linesOf(text)
  const blocks: Html[] = []
  /** The lines from here on for which `belongs` holds. */
  const takeWhile = (belongs: (line: string) => boolean): string[] => {
    const end = lines.findIndex((line) => !belongs(line))
    return lines.splice(0, end < 0 ? lines.length : end)
  }
  for (let line = lines[0]; line !== undefined; line = lines[0]) {
    const [, signs = '', title = ''] = HEADING.exec(line) ?? []
    if (line.trim() === '') lines.shift()
    else if (signs) {
      lines.shift()
      blocks.push(heading(signs.length, plain(title), inline(title, linkTo)))
    } else if (line.startsWith('```')) {
      lines.shift()
      blocks.push(html`<pre><code>${takeWhile((code) => !code.startsWith('```')).join('\n')}</code></pre>`)
      lines.shift()
    } else if (line.startsWith('|'))
      blocks.push(
        table(
          takeWhile((row) => row.startsWith('|')),
          linkTo,
        ),
      )
    else if (ITEM.test(line))
      blocks.push(
        list(
          takeWhile((item) => ITEM.test(item) || /^\s+\S/.test(item)),
          linkTo,
        ),
      )
    else
      blocks.push(
        html`<p>${inline(takeWhile((part) => part.trim() !== '' && !BEGINS.test(part)).join(' '), linkTo)}</p>`,
      )
  }
  return joined(blocks, '\n')
}

const ITEM = /^(?:-|\d+\.) /
/** Beginnings of lines that end a paragraph without a blank line. */
const BEGINS = /^(?:#{1,4} |```|\||- )/

function heading(level: number, title: string, words: readonly (Html | string)[]): Html {
  const id = idOf(title)
  if (level === 1) return html`<h1 id="${id}">${words}</h1>`
  return level === 2 ? html`<h2 id="${id}">${words}</h2>` : html`<h3 id="${id}">${words}</h3>`
}

function list(lines: readonly string[], linkTo: LinkTo): Html {
  const items: string[] = []
  for (const line of lines)
    if (ITEM.test(line)) items.push(line.replace(ITEM, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  const inner = items.map((item) => html`<li>${inline(item, linkTo)}</li>`)
  return lines[0]?.startsWith('-') ? html`<ul>${inner}</ul>` : html`<ol>${inner}</ol>`
}

function table([head = '', , ...rows]: readonly string[], linkTo: LinkTo): Html {
  // A sign of the table may stand in code.
  const cells = (row: string) => (row.match(/(?:`[^`]*`|\\\||[^|])+/g) ?? []).map((cell) => cell.trim())
  const line = (row: string) =>
    html`<tr>${cells(row).map((cell) => html`<td>${inline(cell, linkTo)}</td>`)}</tr>`
  const titles = cells(head).map((cell) => html`<th scope="col">${inline(cell, linkTo)}</th>`)
  return html`<div class="scroll" tabindex="0"><table><thead><tr>${titles}</tr></thead><tbody>${rows.map(line)}</tbody></table></div>`
}

const MARKS =
  /(`{1,2})(.+?)\1(?!`)|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)|\*\*((?:[^*`]|`[^`]*`)+)\*\*|\*([^*\s](?:[^*`]|`[^`]*`)*)\*/

/** Words with code, links and what is emphasized. */
function inline(text: string, linkTo: LinkTo): (Html | string)[] {
  const mark = MARKS.exec(text)
  if (!mark) return [text]
  const [whole, , code, words, target, strong, soft = ''] = mark
  const address = target === undefined ? null : linkTo(target)
  const inner = inline(words ?? strong ?? soft, linkTo)
  const part =
    code !== undefined
      ? html`<code>${code}</code>`
      : strong !== undefined
        ? html`<b>${inner}</b>`
        : words === undefined
          ? html`<em>${inner}</em>`
          : address === null
            ? html`${inner}`
            : html`<a href="${address}">${inner}</a>`
  return [text.slice(0, mark.index), part, ...inline(text.slice(mark.index + whole.length), linkTo)]
}
