// Request bodies that are generated in pieces while they are sent: a hundred megabytes cost the sender
// nothing.

export type Part = string | Buffer | (() => Iterable<string | Buffer>)
/** Parts sent one after the other; functions produce their pieces anew each time. */
export type Body = readonly Part[]

const PIECE = 64 * 1024

/** `count` pieces, joined by `joint`. */
export function many(
  count: number,
  piece: string | ((at: number) => string),
  joint = ',',
): () => Iterable<string> {
  const write = typeof piece === 'string' ? () => piece : piece
  return function* () {
    let text = ''
    for (let at = 0; at < count; at++) {
      text += at ? joint + write(at) : write(at)
      if (text.length < PIECE) continue
      yield text
      text = ''
    }
    if (text) yield text
  }
}

/** A text repeated `count` times. */
export function times(count: number, text: string): () => Iterable<string> {
  const together = Math.max(1, Math.floor(PIECE / text.length))
  const long = text.repeat(Math.min(count, together))
  return function* () {
    for (let left = count; left > 0; left -= together) yield left >= together ? long : text.repeat(left)
  }
}

/** Every piece of a body in order. */
export function* piecesOf(body: Body): Generator<Buffer> {
  for (const part of body) {
    if (typeof part === 'function') for (const piece of part()) yield Buffer.from(piece as string)
    else yield Buffer.from(part as string)
  }
}

export function lengthOf(body: Body): number {
  let length = 0
  for (const piece of piecesOf(body)) length += piece.length
  return length
}
