// Decides whether two values mean the same. Everything must be equal to the letter except for what a second
// run of the same server would change too: moments, random secrets, ports, places in source code.

/** When the requests of a run began and ended on both sides: aligned, in the order of the old side. */
export interface Times {
  readonly oldBegin: number
  readonly newBegin: number
  readonly oldEnd: number
  readonly newEnd: number
}

/**
 * Comparison of ids. `exact`: equal. `mapped`: an id of one side stands for one id of the other side at
 * the same kind of place.
 */
export type IdMode = 'exact' | 'mapped'

/** A difference, and its place in the value. */
export interface ValueDifference {
  readonly path: string
  readonly old: string
  readonly new: string
}

/** Milliseconds within which two clocks read while the same thing happened. */
const TOLERANCE = 1500
const DAY = 86_400_000

/** Keys whose values are not compared, and why. */
const IGNORED_KEYS: Readonly<Record<string, string>> = {
  debug: 'the stack trace names lines of source code',
}

/** Keys of lists whose order is not compared, and why. */
const UNORDERED_KEYS: Readonly<Record<string, string>> = {
  picking_ids: 'ordered by the moment of the transfer, to the second: which of them share one is chance',
}

/** Keys whose values look random and are not: digests of contents. */
const DIGESTS = /checksum|digest|etag/i

const MOMENT = String.raw`\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)?`
// Not the begin of a hexadecimal secret.
const PDF_MOMENT = String.raw`(?<![0-9a-f])\d{8}T?\d{6}(?![0-9a-f])`
const CLOCK = String.raw`\d\d?:\d\d(?::\d\d)?(?: ?[AP]M)?`
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const HEX = String.raw`(?:\\x)?[0-9a-fA-F]{32,}`
const ARGON = String.raw`\$argon2[^"\s]+`
const TOKEN = '[A-Za-z0-9_.+/=-]{20,}'
/** The random end of an external id that an export gives. */
const EXPORTED = String.raw`(?<=[a-z]_\d+_)[0-9a-f]{8}\b`
const ADDRESS = String.raw`(?:127\.0\.0\.1|localhost):\d+`
const PARTS = new RegExp(
  `(${[EXPORTED, MOMENT, PDF_MOMENT, CLOCK, UUID, HEX, ARGON, ADDRESS, TOKEN].join('|')})`,
)
const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`)
const [isMoment, isPdfMoment, isClock, isAddress] = [MOMENT, PDF_MOMENT, CLOCK, ADDRESS].map(whole) as [
  RegExp,
  RegExp,
  RegExp,
  RegExp,
]
/** Ends with, or is, such an end. */
const isExported = /(?:^|_\d+_)[0-9a-f]{8}$/
const isSecret = whole([UUID, HEX, ARGON].join('|'))
/** Letters of both cases and digits mixed: no name or word. */
const isRandom = (text: string): boolean =>
  text.length >= 20 && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)

export class Values {
  readonly #times: readonly Times[]
  readonly #ids: IdMode
  readonly #secrets = new Map<string, string>()
  readonly #pairs = new Map<string, string>()
  readonly #skews: readonly [number, number]

  /** The kind of request: ids are mapped for each kind by itself. */
  scope = ''

  constructor(times: readonly Times[], ids: IdMode) {
    this.#times = times
    this.#ids = ids
    const skews = times.map(({ oldBegin, newBegin }) => oldBegin - newBegin)
    this.#skews = skews.reduce(
      ([least, most], skew) => [Math.min(least, skew), Math.max(most, skew)],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    )
  }

  /** The first difference of two texts of JSON, or of other texts where they are none. */
  ofTexts(old: string, other: string): ValueDifference | null {
    if (old === other) return null
    const [left, two] = [parseJson(old), parseJson(other)]
    if (left === undefined || two === undefined) return this.#texts(old, other, '')
    return this.of(left, two, '')
  }

  /** The first difference of two values of JSON. */
  of(old: unknown, other: unknown, path: string): ValueDifference | null {
    if (old === other && !(this.#ids === 'mapped' && typeof old === 'number')) return null
    if (typeof old === 'string' && typeof other === 'string') return this.#texts(old, other, path)
    if (typeof old === 'number' && typeof other === 'number') return this.#numbers(old, other, path)
    if (Array.isArray(old) && Array.isArray(other)) return this.#lists(old, other, path)
    if (isObject(old) && isObject(other)) return this.#objects(old, other, path)
    return difference(path, old, other)
  }

  #lists(
    unordered: readonly unknown[],
    unorderedOther: readonly unknown[],
    path: string,
  ): ValueDifference | null {
    const isOrdered = !((path.split('.').at(-1) as string) in UNORDERED_KEYS)
    const [old, other] = [unordered, unorderedOther].map((list) =>
      isOrdered || !list.every((item) => typeof item === 'number') ? list : list.toSorted((a, b) => a - b),
    ) as [readonly unknown[], readonly unknown[]]
    for (let i = 0; i < Math.min(old.length, other.length); i++) {
      const difference = this.of(old[i], other[i], `${path}[${i}]`)
      if (difference) return difference
    }
    if (old.length === other.length) return null
    return difference(`${path}.length`, old.length, other.length)
  }

  #objects(
    old: Readonly<Record<string, unknown>>,
    other: Readonly<Record<string, unknown>>,
    path: string,
  ): ValueDifference | null {
    for (const key of new Set([...Object.keys(old), ...Object.keys(other)])) {
      if (key in IGNORED_KEYS && key in old && key in other) continue
      const at = path ? `${path}.${key}` : key
      if (!(key in old) || !(key in other)) return difference(at, old[key], other[key])
      const inner = this.of(old[key], other[key], at)
      if (inner) return inner
    }
    return null
  }

  #numbers(old: number, other: number, path: string): ValueDifference | null {
    const isEpoch = (n: number) => n > 1.7e9 && n < 2.1e9
    if (isEpoch(old) && isEpoch(other) && this.#sameMoment(old * 1000, other * 1000, 1000)) return null
    if (isEpoch(old / 1000) && isEpoch(other / 1000) && this.#sameMoment(old, other, 1)) return null
    if (this.#ids === 'mapped' && Number.isInteger(old) && Number.isInteger(other) && old > 0 && other > 0)
      return this.#paired(old, other, path) ? null : difference(path, old, other)
    return old === other ? null : difference(path, old, other)
  }

  /** Whether two ids may stand for each other: neither stands for another one at this kind of place. */
  #paired(old: number, other: number, path: string): boolean {
    const kind = this.scope + path.replace(/\[\d+\]/g, '[]')
    const [forward, back] = [`>${kind} ${old}`, `<${kind} ${other}`]
    const [counterpart, knownBack] = [this.#pairs.get(forward), this.#pairs.get(back)]
    if (counterpart === undefined && knownBack === undefined) {
      this.#pairs.set(forward, String(other))
      this.#pairs.set(back, String(old))
      return true
    }
    return counterpart === String(other) && knownBack === String(old)
  }

  #texts(old: string, other: string, path: string): ValueDifference | null {
    if (old === other) return null
    const [ones, others] = [old.split(PARTS), other.split(PARTS)]
    const isSame =
      ones.length === others.length &&
      ones.every((part, i) => {
        const counterpart = others[i] as string
        return (
          part === counterpart ||
          (i % 2 ? this.#sameToken(part, counterpart, path) : this.#sameWords(part, counterpart))
        )
      })
    if (isSame) return null
    const at = firstDifference(old, other)
    return {
      path,
      old: JSON.stringify(old.slice(at, at + 300)),
      new: JSON.stringify(other.slice(at, at + 300)),
    }
  }

  /** Words between moments and secrets: numbers within them may be ids. */
  #sameWords(old: string, other: string): boolean {
    return this.#ids === 'mapped' && old.replace(/\d+/g, '0') === other.replace(/\d+/g, '0')
  }

  #sameToken(old: string, other: string, path: string): boolean {
    if (isAddress.test(old) && isAddress.test(other)) return true
    if (isMoment.test(old) && isMoment.test(other)) return this.#sameMomentTexts(old, other)
    if (isPdfMoment.test(old) && isPdfMoment.test(other))
      return this.#sameMomentTexts(pdfMoment(old), pdfMoment(other))
    if (isClock.test(old) && isClock.test(other)) return this.#sameClock(old, other)
    if (DIGESTS.test(path)) return false
    if (old.slice(0, -8) === other.slice(0, -8) && isExported.test(old) && isExported.test(other))
      return this.#sameSecret(old.slice(-8), other.slice(-8))
    if (old.length === other.length && isSecret.test(old) && isSecret.test(other))
      return this.#sameSecret(old, other)
    if (isRandom(old) && isRandom(other)) return this.#sameSecret(old, other)
    return this.#sameWords(old, other)
  }

  /** One secret stands for one secret, throughout a run. */
  #sameSecret(old: string, other: string): boolean {
    const [counterpart, knownBack] = [this.#secrets.get(`>${old}`), this.#secrets.get(`<${other}`)]
    if (counterpart === undefined && knownBack === undefined) {
      this.#secrets.set(`>${old}`, other)
      this.#secrets.set(`<${other}`, old)
      return true
    }
    return counterpart === other && knownBack === old
  }

  #sameMomentTexts(old: string, other: string): boolean {
    const precision = /\.\d/.test(old) ? 1 : /:\d\d:\d\d/.test(old) ? 1000 : 60_000
    const [a, b] = [momentOf(old), momentOf(other)]
    return Number.isFinite(a) && Number.isFinite(b) && this.#sameMoment(a, b, precision)
  }

  /**
   * Whether two moments are those of the same request, or as far from the begin of the run on their side.
   * A moment of a run that belongs to different requests is a difference.
   */
  #sameMoment(old: number, other: number, precision: number): boolean {
    const first = this.#times[0]
    const last = this.#times.at(-1)
    if (!first || !last) return false
    const isIn = old >= first.oldBegin - precision && old <= last.oldEnd + precision
    // Several clients at a time: no order of requests is common to both sides.
    if (this.#ids === 'mapped' && isIn)
      return other >= first.newBegin - precision - TOLERANCE && other <= last.newEnd + precision + TOLERANCE
    if (isIn && this.#overlap(old, other, precision)) return true
    const [least, most] = this.#skews
    const isElsewhere = !isIn || precision > 1000
    return (
      isElsewhere &&
      old - other >= least - TOLERANCE - precision &&
      old - other <= most + TOLERANCE + precision
    )
  }

  /** Whether a request was under way, on both sides, at the moments given. */
  #overlap(old: number, other: number, precision: number): boolean {
    const [from, to] = rangeOf(this.#times, (span) => span.oldBegin, old, precision)
    const [otherFrom, otherTo] = rangeOf(this.#times, (span) => span.newBegin, other, precision)
    return from <= otherTo && otherFrom <= to
  }

  #sameClock(old: string, other: string): boolean {
    const apart = Math.abs(secondsOf(old) - secondsOf(other)) * 1000
    const [least, most] = this.#skews
    const reach = Math.max(Math.abs(least), Math.abs(most)) + TOLERANCE + 60_000
    return apart <= reach || DAY / 2 - apart <= reach || DAY - apart <= reach
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const momentOf = (text: string): number => Date.parse(`${text.replace(' ', 'T').replace(/Z|\+00:00$/, '')}Z`)

const pdfMoment = (text: string): string => {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)$/.exec(text) ?? []
  return `${year}-${month}-${day} ${hour}:${minute}:${second}`
}

function secondsOf(clock: string): number {
  const [hour = 0, minute = 0, second = 0] = clock
    .replace(/[^\d:]/g, '')
    .split(':')
    .map(Number)
  return hour * 3600 + minute * 60 + second
}

/**
 * First and last request that may have run at a moment of the given precision. PostgreSQL's clock and ours
 * are the same; what happens between two requests belongs to the former.
 */
function rangeOf(
  times: readonly Times[],
  beginOf: (one: Times) => number,
  moment: number,
  precision: number,
): [number, number] {
  const before = (limit: number): number => {
    let [low, high] = [0, times.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (beginOf(times[middle] as Times) <= limit) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  // Moments are rounded or cut: either may have happened.
  return [before(moment - precision), before(moment + precision)]
}

function firstDifference(old: string, other: string): number {
  let at = 0
  while (at < old.length && old[at] === other[at]) at++
  return Math.max(0, at - 60)
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'missing').slice(0, 400)

const difference = (path: string, old: unknown, other: unknown): ValueDifference => ({
  path,
  old: shown(old),
  new: shown(other),
})

/**
 * Reads JSON and keeps the notation of numbers: clients that distinguish floats from integers read
 * `1.0` and `1` differently.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
        ? `‹${context.source}›`
        : value,
    )
  } catch {
    return undefined
  }
}
