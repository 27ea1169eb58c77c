// Requested limits of API keys, parsed and compared: rate, amount at a time, whether writes need an
// idempotency key. Scope and addresses: apikeys-restrict.ts.
import { InvalidValue } from '../../../errors.ts'
import { isSlower, rateIn } from '../../../kit/rate.ts'

/** Limits of a policy, without its addresses; null: no limit. */
export interface Limits {
  readonly rate: string | null
  readonly burst: number | null
  readonly concurrency: number | null
  readonly idempotency_required: boolean
  /** Whether what it only reads may come from a replica: neither wider nor narrower. */
  readonly replica: boolean
  /** Kilobytes of an answer to an agent. */
  readonly budget: number | null
}

export type RequestedLimits = { readonly [Name in keyof Limits]?: unknown }

const MOST = 1_000_000
/** Characters of a rate. */
const LONGEST = 100
const isEmpty = (value: unknown) => value === null || value === false || value === ''

/** The members that are given, as they are kept. Throws InvalidValue. */
export function parseLimits(limits: RequestedLimits): Partial<Limits> {
  const { rate, burst, concurrency, idempotency_required, replica, budget } = limits
  return {
    ...(rate === undefined ? {} : { rate: checkedRate(rate) }),
    ...(burst === undefined ? {} : { burst: checkedNumber('burst', burst) }),
    ...(concurrency === undefined ? {} : { concurrency: checkedNumber('concurrency', concurrency) }),
    ...(idempotency_required === undefined
      ? {}
      : { idempotency_required: checkedFlag('idempotency_required', idempotency_required) }),
    ...(replica === undefined ? {} : { replica: checkedFlag('replica', replica) }),
    ...(budget === undefined ? {} : { budget: checkedBudget(budget) }),
  }
}

function checkedRate(value: unknown): string | null {
  if (isEmpty(value)) return null
  if (typeof value !== 'string' || value.length > LONGEST || !rateIn(value))
    throw new InvalidValue('rate must be calls in a time, such as 600/60s or 10000/1d')
  return value.trim()
}

function checkedNumber(name: string, value: unknown): number | null {
  if (isEmpty(value) || value === 0) return null
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MOST)
    throw new InvalidValue(`${name} must be a whole number from 1 to ${MOST}`)
  return value
}

/** Kilobytes by default, and at most: a longer answer is of no use to an agent. */
const [USUAL_BUDGET, MOST_BUDGET] = [40, 200]

function checkedBudget(value: unknown): number | null {
  const budget = checkedNumber('budget', value)
  if (budget !== null && budget > MOST_BUDGET)
    throw new InvalidValue(`budget must be ${MOST_BUDGET} kilobytes at most`)
  return budget
}

function checkedFlag(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean' && value !== null) throw new InvalidValue(`${name} must be true or false`)
  return value === true
}

/** Whether limits let nothing through that others would not. */
export function areTighter(after: Limits, before: Limits): boolean {
  const isLess = (value: number | null, other: number | null) =>
    other === null || (value !== null && value <= other)
  return (
    isSlower(rateIn(after.rate ?? ''), rateIn(before.rate ?? '')) &&
    isLess(after.burst, before.burst) &&
    isLess(after.concurrency, before.concurrency) &&
    (after.idempotency_required || !before.idempotency_required) &&
    (after.budget ?? USUAL_BUDGET) <= (before.budget ?? USUAL_BUDGET)
  )
}
