// Rates as people write them: so many in a time, such as 600/60s.
import { present } from './present.ts'

export interface Rate {
  /** Most requests in a window. */
  readonly quota: number
  /** Seconds of a window. */
  readonly seconds: number
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
/** Seconds of the longest window: what is counted is in memory. */
const LONGEST = 31 * 86_400

/** No rate is longer: white space without end is not looked through. */
const MOST = 50

/** The rate of a text such as `600/60s`, `10000/1d` or `5/s`; null for an invalid text. */
export function rateIn(text: string): Rate | null {
  if (text.length > MOST) return null
  const [, quota = '', number, unit = 's'] = /^\s*(\d{1,9})\s*\/\s*(\d{0,7})\s*([smhd]?)\s*$/.exec(text) ?? []
  if (quota === '' || (number === '' && unit === '')) return null
  const rate = { quota: Number(quota), seconds: Number(number || 1) * present(UNITS[unit || 's']) }
  return rate.quota > 0 && rate.seconds > 0 && rate.seconds <= LONGEST ? rate : null
}

/** Whether a rate (null: none) lets nothing through that another would not. */
export function isSlower(first: Rate | null, other: Rate | null): boolean {
  if (!other) return true
  return (
    first !== null && first.quota <= other.quota && first.quota / first.seconds <= other.quota / other.seconds
  )
}
