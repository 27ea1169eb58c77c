// JSON from outside: bytes to a value, refusing what is no JSON in UTF-8 and nesting that would hurt what walks it later.
import { BadRequest } from '../errors.ts'

/** Deeper than any honest body, shallow enough for recursive readers. */
export const MAX_DEPTH = 500

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * The value that a body holds. Throws BadRequest for broken JSON, broken UTF-8, a byte order mark and nesting without end
 * (spec/wire.md section 3). The last of equal keys counts; `__proto__` is an ordinary key.
 */
export function parseJson(body: Uint8Array): unknown {
  if (depthOf(body) > MAX_DEPTH) throw new BadRequest('The JSON body is nested too deeply.')
  let text: string
  try {
    text = utf8.decode(body)
  } catch (cause) {
    throw new BadRequest('The body is no UTF-8 text.', { cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's own message would quote the body, secrets in it included.
    throw new BadRequest('The body is no JSON.', { cause })
  }
}

/** How deep arrays and objects lie within each other, strings left out. Bytes will do: UTF-8 never reuses ASCII. */
function depthOf(body: Uint8Array): number {
  let [depth, deepest, quoted] = [0, 0, false]
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]
    if (quoted) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) deepest = Math.max(deepest, ++depth)
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
  }
  return deepest
}

/** Whether a JSON value is an object: no array, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
