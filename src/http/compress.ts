// Compression of answers, by `Accept-Encoding`, with zlib itself: the plugin looks at every answer, however
// small.
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, gzipSync } from 'node:zlib'

/** Answers shorter than this many characters are sent as they are. */
export const WORTH_COMPRESSING = 1024

/** Characters up to which another thread takes longer to be asked than this one to compress them. */
const SHORT = 16_384

export type Encoding = 'gzip' | 'br'

const gzipped = promisify(gzip)
const brotlied = promisify(brotliCompress)

/**
 * The encoding to answer with, or null for none. Both named alike: gzip, which costs less time at the levels
 * used here. `q=0` refuses an encoding; `*` stands for those not named (RFC 9110 section 12.5.3).
 */
export function encodingFor(accepted: string | undefined): Encoding | null {
  if (!accepted) return null
  let gzipWeight: number | undefined
  let brotliWeight: number | undefined
  let otherWeight = 0
  for (const part of accepted.split(',')) {
    const [name, ...parameters] = part.split(';')
    const weight = quality(parameters)
    switch (name?.trim().toLowerCase()) {
      case 'gzip':
      case 'x-gzip':
        gzipWeight = weight
        break
      case 'br':
        brotliWeight = weight
        break
      case '*':
        otherWeight = weight
        break
    }
  }
  const forGzip = gzipWeight ?? otherWeight
  const forBrotli = brotliWeight ?? otherWeight
  if (forGzip <= 0 && forBrotli <= 0) return null
  return forBrotli > forGzip ? 'br' : 'gzip'
}

function quality(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [key, value] = parameter.split('=')
    if (key?.trim().toLowerCase() === 'q') return Number(value) || 0
  }
  return 1
}

/**
 * A text's bytes in an encoding. Low levels: answers are made for one reader, and time matters more than the
 * last percent.
 */
export function compressed(text: string, encoding: Encoding): Promise<Buffer> {
  return encoding === 'br'
    ? brotlied(text, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 3,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        },
      })
    : text.length <= SHORT
      ? Promise.resolve(gzipSync(text, { level: 2 }))
      : gzipped(text, { level: 2 })
}
