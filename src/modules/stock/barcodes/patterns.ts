// Patterns of barcodes: what rules of a nomenclature make of the digits of a code.
import { InvalidValue } from '../../../errors.ts'

/** A rule, as far as it judges codes. */
export interface Rule {
  readonly type: string
  readonly encoding: string
  readonly pattern: string
  readonly alias: string
}

const LONGEST = 200
/** The number within a pattern: digits before and after the decimal point. */
const NUMBER = /\{(N*)(D*)\}/

/** The last digit of a code, from all others: threes and ones by turns, from the right. */
export function checkDigit(digits: string): number {
  const sum = [...digits].toReversed().reduce((total, digit, i) => total + Number(digit) * (i % 2 ? 1 : 3), 0)
  return (10 - (sum % 10)) % 10
}

const withCheck = (code: string, length: number): string => {
  const digits = code.slice(0, length).padStart(length, '0').slice(0, -1)
  return /^\d+$/.test(digits) ? `${digits}${checkDigit(digits)}` : code
}

export const sanitizedEan = (code: string): string => withCheck(code, 13)
export const sanitizedUpc = (code: string): string => withCheck(code, 12)

const isSound = (code: string, length: number) =>
  code.length === length && /^\d+$/.test(code) && withCheck(code, length) === code

/** Whether a text is a serial number of a container: eighteen digits, the last one checks them. */
export const isSscc = (code: string): boolean => isSound(code, 18)

/** Whether a code is one of the encoding; anything is of any. */
export function isEncoded(code: string, encoding: string): boolean {
  if (encoding === 'ean13') return isSound(code, 13)
  if (encoding === 'ean8') return isSound(code, 8)
  if (encoding === 'upca') return isSound(code, 12)
  return encoding === 'any'
}

/**
 * Whether a code begins as a pattern says, the number in it, and the code with zeros for the number. In a
 * pattern a dot stands for any character, and `.*` for all others. Throws InvalidValue for longer codes.
 */
export function valueIn(code: string, pattern: string): { value: number; base_code: string; match: boolean } {
  if (code.length > LONGEST || pattern.length > LONGEST)
    throw new InvalidValue(`The barcode or its pattern is too long: at most ${LONGEST} characters.`)
  const number = NUMBER.exec(pattern)
  const [whole, before, decimals] = [number?.[0] ?? '', number?.[1] ?? '', number?.[2] ?? '']
  const at = number ? number.index : -1
  const length = before.length + decimals.length
  const rest = number
    ? `${pattern.slice(0, at)}${'.'.repeat(length)}${pattern.slice(at + whole.length)}`
    : pattern
  const digits = number ? code.slice(at, at + length) : ''
  const match = isLike(code, rest) && (!number || new RegExp(`^\\d{${length}}$`).test(digits))
  if (!match || !number) return { value: 0, base_code: code, match }
  const value = Number(digits) / 10 ** decimals.length
  return { value, base_code: `${code.slice(0, at)}${'0'.repeat(length)}${code.slice(at + length)}`, match }
}

/** Whether a code begins with the characters of a pattern. */
function isLike(code: string, pattern: string): boolean {
  const open = pattern.endsWith('.*')
  const fixed = open ? pattern.slice(0, -2) : pattern
  return code.length >= fixed.length && [...fixed].every((sign, i) => sign === '.' || sign === code[i])
}

/** The code as rules of an encoding see it: UPC codes are EAN codes with a zero in front. */
function asEncoded(code: string, encoding: string, conversion: string): string | null {
  if (isEncoded(code, encoding)) return code
  if (encoding === 'ean13' && isSound(code, 12) && ['upc2ean', 'always'].includes(conversion))
    return `0${code}`
  if (
    encoding === 'upca' &&
    code.startsWith('0') &&
    isSound(code, 13) &&
    ['ean2upc', 'always'].includes(conversion)
  )
    return code.slice(1)
  return null
}

/** The meaning of a code by the first rule that fits; an alias stands for another code. */
export function parseCode(code: string, rules: readonly Rule[], conversion: string): object {
  let meant = code
  for (const { type, encoding, pattern, alias } of rules) {
    const seen = asEncoded(meant, encoding, conversion)
    if (seen === null) continue
    const { match, value, base_code } = valueIn(seen, pattern)
    if (!match) continue
    if (type !== 'alias') {
      const base = encoding === 'ean13' ? sanitizedEan(base_code) : base_code
      return { encoding, type, code: seen, base_code: base, value }
    }
    meant = alias
  }
  return { encoding: '', type: 'error', code: meant, base_code: meant, value: 0 }
}
