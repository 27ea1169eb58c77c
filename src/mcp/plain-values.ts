// Values of records as agents get them: texts without markup and shortened, long lists shortened, all within
// the budget of an answer.

/** Most characters of a text, and most members of a list. */
const [MOST_TEXT, MOST_LIST] = [300, 100]
/** Characters of markup that are looked at for them. */
const MOST_MARKUP = 10_000

/** Characters without a visible form, which do not belong in text for people and models. */
const UNSEEN = /\p{Cc}|\p{Cf}|[\u{fe00}-\u{fe0f}]|\u{115f}|\u{1160}|\u{3164}/gu

/** A text without what cannot be seen; lines stay. */
export const visibleText = (text: string): string =>
  text.replace(UNSEEN, (sign) => (sign === '\n' || sign === '\t' ? sign : ''))

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  apos: "'",
}

/** Markup as text: blocks on lines of their own. */
export const fromMarkup = (html: string): string =>
  html
    .slice(0, MOST_MARKUP)
    .replace(/<(?:br|\/p|\/div|\/li|\/h\d|\/tr)\b[^<>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&#(\d{1,6});/g, (_, code: string) => {
      const point = Number(code)
      return point <= 0x10ffff ? String.fromCodePoint(point) : ''
    })
    .replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\n{3,}/g, '\n\n')
    .trim()

export type Row = Readonly<Record<string, unknown>>

/** Rows with their values cut, and the fields of which something is missing. */
export function shortened(rows: readonly Row[], markup: ReadonlySet<string>): { rows: Row[]; cut: string[] } {
  const cut = new Set<string>()
  const short = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') {
      const plain = markup.has(name) ? fromMarkup(value) : value
      if (plain.length <= MOST_TEXT) return plain
      cut.add(name)
      return `${plain.slice(0, MOST_TEXT).toWellFormed()}…`
    }
    if (Array.isArray(value) && value.length > MOST_LIST) {
      cut.add(name)
      return value.slice(0, MOST_LIST)
    }
    return value
  }
  const shortRows = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, short(value, name)])),
  )
  return { rows: shortRows, cut: [...cut] }
}

/** Bytes that a value takes in an answer: as data, and as the text of it. */
export function weightOf(value: unknown): number {
  const json = JSON.stringify(value) ?? 'null'
  return Buffer.byteLength(json) + Buffer.byteLength(JSON.stringify(json))
}

/** Number of rows that fit, from the first. */
export function fitting(rows: readonly unknown[], bytes: number): number {
  let room = bytes
  let count = 0
  for (const row of rows) {
    room -= weightOf(row)
    if (room < 0) break
    count++
  }
  return count
}

/** An object with as many of its first members as fit, and the names of the others. */
export function withinBudget(row: Row, bytes: number): { row: Row; left: string[] } {
  const members = Object.entries(row)
  const count = fitting(members, bytes)
  return {
    row: Object.fromEntries(members.slice(0, count)),
    left: members.slice(count).map(([name]) => name),
  }
}
