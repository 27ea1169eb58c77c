// JSON inside of a caller's text: its values and levels are counted before it is taken apart, for ten million
// brackets take sixty times their length.
import { assertWithin } from '../limits.ts'

/**
 * The value of a JSON text. Throws SyntaxError for what is not JSON, PayloadTooLarge for more values,
 * levels or members of an object than a body may have.
 */
export function parseJson(text: string): unknown {
  assertCountable(text)
  return JSON.parse(text)
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Counts marks outside of texts: as many values as there are commas and opening marks, as many levels as
 * stand open.
 */
function assertCountable(text: string): void {
  let values = 1
  let depth = 0
  // Members of the objects that are open; of a list nothing is counted.
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const mark = text.charCodeAt(at)
    if (mark === QUOTE) at = endOfText(text, at)
    else if (mark === COMMA) {
      values++
      const members = (open[depth] ?? 0) + 1
      assertWithin('members', members)
      open[depth] = members
    } else if (mark === OPEN_LIST || mark === OPEN_OBJECT) {
      assertWithin('depth', ++depth)
      assertWithin('values', ++values)
      open[depth] = mark === OPEN_OBJECT ? 1 : Number.NEGATIVE_INFINITY
    } else if (mark === CLOSE_LIST || mark === CLOSE_OBJECT) depth--
  }
  assertWithin('values', values)
}

/** The end of a text that begins at a quote. */
function endOfText(text: string, begin: number): number {
  for (let at = begin + 1; at < text.length; at++) {
    const mark = text.charCodeAt(at)
    if (mark === BACKSLASH) at++
    else if (mark === QUOTE) return at
  }
  return text.length
}
