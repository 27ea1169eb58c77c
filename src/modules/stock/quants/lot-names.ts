// Numbers of new lots: the first one, and those that follow it by its last digits.
import { InvalidValue } from '../../../errors.ts'

/** Lots that one call numbers. */
const MOST = 10_000
/** Characters of the first number. */
const LONGEST = 200

/** So many names from the first on: the last digits in it are counted up, and keep their length. */
export function lotNames(first: string, count: number): { lot_name: string }[] {
  if (!Number.isInteger(count) || count < 1 || count > MOST)
    throw new InvalidValue(`The number of lots must be between 1 and ${MOST}.`)
  if (first.length > LONGEST)
    throw new InvalidValue(`The lot number is too long: at most ${LONGEST} characters.`)
  const digits = [...first.matchAll(/\d+/g)].at(-1)
  const at = digits?.index ?? first.length
  const number = digits?.[0] ?? '0'
  const rest = first.slice(at + (digits ? number.length : 0))
  return Array.from({ length: count }, (_, i) => {
    if (i === 0 && digits) return { lot_name: first }
    const next = (BigInt(number) + BigInt(i)).toString().padStart(number.length, '0')
    return { lot_name: `${first.slice(0, at)}${next}${rest}` }
  })
}
