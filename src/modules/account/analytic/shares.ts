// Analytic distributions: percentages by analytic account. A key names one account, or several of different
// plans with commas between them: {"7": 75, "8,12": 25}.
import { InvalidValue } from '../../../errors.ts'

/** Accounts of different plans, and the percentage of an amount that counts for each of them. */
export interface Share {
  readonly accounts: readonly number[]
  readonly percent: number
}

/** The most keys of a distribution. */
const MOST_SHARES = 500

/** The most that a percentage is, of either sign: sums of them stay numbers that can be reckoned with. */
const MOST_PERCENT = 1_000_000

/** The shares of a stored distribution. */
export const sharesOf = (distribution: unknown): Share[] =>
  isObject(distribution)
    ? Object.entries(distribution).map(([key, percent]) => ({
        accounts: key.split(',').map(Number),
        percent: Number(percent),
      }))
    : []

/** The analytic accounts that a distribution names, each once. */
export const accountsIn = (distribution: unknown): number[] => [
  ...new Set(sharesOf(distribution).flatMap(({ accounts }) => accounts)),
]

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isShare = ([key, percent]: readonly [string, unknown]): boolean =>
  /^[1-9]\d{0,9}(,[1-9]\d{0,9}){0,9}$/.test(key) &&
  key.split(',').every((id) => Number(id) < 2 ** 31) &&
  typeof percent === 'number' &&
  Math.abs(percent) <= MOST_PERCENT

/** For `prepare`: throws InvalidValue for values with an invalid distribution. */
export function assertDistribution(vals: Readonly<Record<string, unknown>>): void {
  const { analytic_distribution: value } = vals
  if (value === undefined || value === null || value === false) return
  const entries = isObject(value) ? Object.entries(value) : null
  if (entries && entries.length <= MOST_SHARES && entries.every(isShare)) return
  throw new InvalidValue(
    `An analytic distribution is an object of at most ${MOST_SHARES} percentages by the ids of analytic accounts: write it as {"7": 75, "8": 25}, or false for none.`,
  )
}
