// Lists of names with wildcards, such as `sale.order/create, pos.*`: matched in time that grows only with the
// text.

/** Texts between the wildcards, in order. */
type Pattern = readonly string[]

/** Characters of a list that count. */
const MOST = 10_000

export class Wildcards {
  readonly #patterns: readonly Pattern[]

  /**
   * `list`: names between commas, in which `*` stands for any characters or none. It is cut off after 10,000
   * characters.
   */
  constructor(list: string) {
    const names = list.slice(0, MOST).split(',')
    this.#patterns = [...new Set(names.map((name) => name.trim()).filter(Boolean))].map((name) =>
      name.replace(/\*+/g, '*').split('*'),
    )
  }

  matches(text: string): boolean {
    return this.#patterns.some((pattern) => fits(pattern, text))
  }
}

/** The first piece at the start, the last at the end, each of the others as early as it comes. */
function fits(pieces: Pattern, text: string): boolean {
  const [first = '', ...more] = pieces
  const last = more.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of more) {
    const index = text.indexOf(piece, at)
    if (index < 0) return false
    at = index + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
