// Names of prepared statements: one process-wide table, so that a text has the same name on every connection.
// A text gets a name when it is met again: texts built for one call only (long lists of values) are never kept.

const CAPACITY = 2000

const seen = new Map<string, string | undefined>()
let counter = 0

/** The name under which this text is to be prepared; undefined on its first appearance, when it is sent unnamed. */
export function statementName(text: string): string | undefined {
  if (!seen.has(text)) {
    if (seen.size >= CAPACITY) forgetOldest()
    seen.set(text, undefined)
    return undefined
  }
  const name = seen.get(text) ?? `s${++counter}`
  // A Map keeps the order of insertion: putting the text back at the end makes the first key the least recently used.
  seen.delete(text)
  seen.set(text, name)
  return name
}

function forgetOldest(): void {
  const oldest = seen.keys().next()
  if (!oldest.done) seen.delete(oldest.value)
}
