// Ranges of bytes (RFC 9110 section 14): one at a time; several at once get the whole.

/** The part to send: everything, a part with both ends included, or nothing because the part lies outside. */
export type Range = 'whole' | 'outside' | { readonly start: number; readonly end: number }

/** The range that a request's header names of a content of `size` bytes. */
export function rangeOf(header: string | undefined, size: number): Range {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return 'whole'
  if (from === '')
    return Number(to) === 0 || size === 0
      ? 'outside'
      : { start: Math.max(0, size - Number(to)), end: size - 1 }
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < start) return 'whole'
  return start >= size ? 'outside' : { start, end }
}
