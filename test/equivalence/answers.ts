// Compares what both sides answered, request by request.
import { describeRequest, type Exchange, isText, shorten } from './exchange.ts'
import type { Times, ValueDifference, Values } from './values.ts'

/** A difference, for people. */
export interface Finding {
  readonly what: string
  /** The request that caused it. */
  readonly request: string
  readonly detail: string
}

export interface Aligned {
  /** Exchanges of both sides that belong together. */
  readonly pairs: readonly (readonly [Exchange, Exchange])[]
  /** Where the clients of the two sides sent different requests. */
  readonly partings: readonly Finding[]
}

/** Requests that are looked at to find where two clients meet again. */
const LOOK = 400
/** Requests in a row that must be alike there. */
const ALIKE = 3

const isAlike = (left: Exchange | undefined, other: Exchange | undefined): boolean =>
  left?.method === other?.method && left?.path.split('?')[0] === other?.path.split('?')[0]

/** Requests that a client sends at the same time, at most. */
const AT_A_TIME = 24

/** Whether a client had several requests under way around this one. */
const isOneOfSeveral = (exchanges: readonly Exchange[], at: number): boolean =>
  exchanges
    .slice(Math.max(0, at - AT_A_TIME), at + AT_A_TIME)
    .some(({ begin }, n, near) => n > 0 && begin < (near[n - 1] as Exchange).end)

/**
 * Exchanges are recorded as they are answered, and which of several at a time is answered first is chance:
 * brings the one with the same request to the place `at`.
 */
function bringForward(exchange: Exchange, other: Exchange[], at: number): void {
  const isSame = (two: Exchange) => isAlike(exchange, two) && exchange.requestBody.equals(two.requestBody)
  const distance = other.slice(at, at + AT_A_TIME).findIndex(isSame)
  if (distance > 0) other.splice(at, 0, ...other.splice(at + distance, 1))
}

/**
 * Puts the exchanges of both sides together. A client that got another answer may go another way: such
 * requests are left out until both ask for the same again.
 */
export function align(old: readonly Exchange[], unordered: readonly Exchange[]): Aligned {
  const other = [...unordered]
  const pairs: (readonly [Exchange, Exchange])[] = []
  const partings: Finding[] = []
  let [i, k] = [0, 0]
  while (i < old.length && k < other.length) {
    if (isOneOfSeveral(old, i) || isOneOfSeveral(other, k)) bringForward(old[i] as Exchange, other, k)
    const [left, two] = [old[i] as Exchange, other[k] as Exchange]
    if (isAlike(left, two)) {
      pairs.push([left, two])
      i++
      k++
      continue
    }
    const [di, dk] = meeting(old, other, i, k)
    const request = describeRequest(left)
    const detail = `new: ${describeRequest(two)}\n${di} requests of the old side and ${dk} of the new one are not compared`
    partings.push({ what: 'the client went another way', request, detail })
    i += di
    k += dk
  }
  if (i < old.length || k < other.length) {
    const [rest, side] = i < old.length ? [old[i], 'old'] : [other[k], 'new']
    const count = old.length - i + other.length - k
    const detail = `${count} requests came on the ${side} side alone`
    partings.push({ what: 'the client ended early', request: describeRequest(rest as Exchange), detail })
  }
  return { pairs, partings }
}

function meeting(
  old: readonly Exchange[],
  other: readonly Exchange[],
  i: number,
  k: number,
): [number, number] {
  for (let sum = 1; sum <= LOOK; sum++)
    for (let di = 0; di <= sum; di++) {
      const dk = sum - di
      const meets = Array.from({ length: ALIKE }, (_, n) => n).every(
        (n) => isAlike(old[i + di + n], other[k + dk + n]) && (n > 0 || old[i + di] !== undefined),
      )
      if (meets) return [di, dk]
    }
  return [old.length - i, other.length - k]
}

export const timesOf = (pairs: Aligned['pairs']): Times[] =>
  pairs.map(([left, two]) => ({
    oldBegin: left.begin,
    newBegin: two.begin,
    oldEnd: left.end,
    newEnd: two.end,
  }))

/** Response headers that are not compared, and why. */
const IGNORED_HEADERS: Readonly<Record<string, string>> = {
  date: 'the moment of the answer',
  'content-length': 'follows from the body',
  'x-request-id': 'random',
  'request-id': 'random',
  'server-timing': 'durations',
  'x-server-timing': 'durations',
  connection: 'of the connection',
  'keep-alive': 'of the connection',
  'last-modified': 'of a file of the checkout',
  'content-security-policy': 'has a random nonce',
}

/** An entity tag that names transactions of the database, whose ids differ by what else ran. */
const STATE_TAG = /^W\/"\d+\.\d+\.[0-9a-f-]{36}\./

/** The first difference of two answers. */
export function answerDifference(values: Values, left: Exchange, two: Exchange): ValueDifference | null {
  values.scope = left.path
  if (left.status !== two.status)
    return {
      path: 'status',
      old: `${left.status} ${shorten(left.body.toString('utf8'), 400)}`,
      new: `${two.status} ${shorten(two.body.toString('utf8'), 400)}`,
    }
  const names = new Set([...Object.keys(left.headers), ...Object.keys(two.headers)])
  for (const name of names) {
    if (name in IGNORED_HEADERS) continue
    const areStates = [left, two].every((side) => STATE_TAG.test(side.headers[name] ?? ''))
    if (name === 'etag' && areStates) continue
    const [old, other] = [left.headers[name], two.headers[name]]
    const difference = values.of(old, other, `header ${name}`)
    if (difference) return difference
  }
  return bodyDifference(values, left, two)
}

/**
 * Searches of transfers, whose order begins with a moment to the second and goes on with the highest id
 * first: which of them share a second is chance.
 */
const ORDERED_BY_CLOCK = /^\/json\/2\/stock\.picking\/search(_read)?$/

/** The rows or ids of an answer by id, where chance decided their order; else the text as it is. */
function inStableOrder({ path, requestBody, body }: Exchange): string {
  const text = body.toString('utf8')
  if (!ORDERED_BY_CLOCK.test(path) || requestBody.includes('"order"')) return text
  const rows: unknown = JSON.parse(text)
  if (!Array.isArray(rows)) return text
  const idOf = (row: number | { readonly id: number }) => (typeof row === 'number' ? row : row.id)
  return JSON.stringify(rows.toSorted((a, b) => idOf(a) - idOf(b)))
}

function bodyDifference(values: Values, left: Exchange, two: Exchange): ValueDifference | null {
  if (left.body.equals(two.body)) return null
  const type = left.headers['content-type']
  if (isText(type)) {
    const difference = values.ofTexts(inStableOrder(left), inStableOrder(two))
    return difference && { ...difference, path: difference.path ? `body.${difference.path}` : 'body' }
  }
  // Archives hold moments in binary form; their contents are compared where they are read over the API.
  if (/zip|octet-stream|gzip/.test(type ?? '')) return null
  const difference = values.ofTexts(left.body.toString('latin1'), two.body.toString('latin1'))
  return difference && { ...difference, path: `body (${type})` }
}

/** All differences of the answers, in the order of the requests. */
export function compareAnswers(values: Values, { pairs, partings }: Aligned): Finding[] {
  const findings: Finding[] = []
  for (const [left, two] of pairs) {
    const differs = answerDifference(values, left, two)
    if (!differs) continue
    const detail = `${differs.path}\n  old: ${differs.old}\n  new: ${differs.new}`
    findings.push({ what: `the answer differs at ${differs.path}`, request: describeRequest(left), detail })
  }
  return [...findings, ...partings]
}
