// Ranges of postcodes: digits are padded to equal length, so that texts compare as the numbers they hold.

const digits = /^\d+$/

const fit = (zip: string, length: number) => (digits.test(zip) ? zip.padStart(length, '0') : zip)

/**
 * Both ends with as many digits: `100` and `2999` become `0100` and `2999`. Ends with letters stay as they
 * are.
 */
export function fitZips(from: string, to: string): { zip_from: string; zip_to: string } {
  const length = Math.max(from.length, to.length)
  return { zip_from: fit(from, length), zip_to: fit(to, length) }
}

/** Whether a range goes from its first to its last. */
export const inZipOrder = (from: string, to: string): boolean => from <= to

/** Whether a postcode lies in a range; no postcode lies in none. */
export function inZipRange(zip: string | null, from: string, to: string): boolean {
  const trimmed = zip?.trim()
  if (!trimmed) return false
  const length = Math.max(trimmed.length, from.length, to.length)
  return fit(from, length) <= fit(trimmed, length) && fit(trimmed, length) <= fit(to, length)
}
