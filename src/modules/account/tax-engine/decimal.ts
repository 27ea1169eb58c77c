// Exact decimals. Most amounts have a few digits and are stored as integers: a number of units of a decimal
// place. Larger ones, and divisions that do not terminate, use decimal.js.
import { Decimal as Plain } from 'decimal.js'

/**
 * A separate constructor, so that settings of other code do not affect it: thirty-two digits, halves
 * away from zero.
 */
const Big = Plain.clone({ precision: 32, rounding: Plain.ROUND_HALF_UP })

/** Maximum number of decimal places of units. */
const MOST_PLACES = 15
/** Below this, the decimal nearest to a binary fraction is the one that JavaScript prints. */
const MOST_PRINTED = 1e15

const POWERS = Array.from({ length: MOST_PLACES + 1 }, (_, n) => 10 ** n)
const power = (places: number): number => POWERS[places] ?? 10 ** places

export class Decimal {
  /** A safe integer; not used if `#big` is set. */
  readonly #units: number
  /** Decimal places of the units. */
  readonly #places: number
  readonly #big: Plain | null

  private constructor(units: number, places: number, big: Plain | null) {
    this.#units = units
    this.#places = places
    this.#big = big
  }

  /** The decimal that a number shows when printed. Throws RangeError for what is not a number. */
  static of(value: number): Decimal {
    if (Number.isSafeInteger(value)) return new Decimal(value, 0, null)
    if (!Number.isFinite(value)) throw new RangeError(`Cannot count with ${value}.`)
    for (let places = 1; places <= MOST_PLACES; places++) {
      const units = Math.round(value * power(places))
      if (Math.abs(units) > MOST_PRINTED) break
      if (units / power(places) === value) return new Decimal(units, places, null)
    }
    return new Decimal(0, 0, new Big(value))
  }

  /** Null if they exceed the safe range. */
  static #ofUnits(units: number, places: number): Decimal | null {
    return Number.isSafeInteger(units) && places <= MOST_PLACES ? new Decimal(units, places, null) : null
  }

  static #ofBig(big: Plain): Decimal {
    return new Decimal(0, 0, big)
  }

  #asBig(): Plain {
    return this.#big ?? new Big(`${this.#units}e-${this.#places}`)
  }

  plus(other: Decimal | number): Decimal {
    const more = exactly(other)
    if (!this.#big && !more.#big) {
      const apart = this.#places - more.#places
      const sum =
        apart >= 0
          ? Decimal.#sum(this.#units, more.#units * power(apart), this.#places)
          : Decimal.#sum(this.#units * power(-apart), more.#units, more.#places)
      if (sum) return sum
    }
    return Decimal.#ofBig(this.#asBig().plus(more.#asBig()))
  }

  static #sum(value: number, other: number, places: number): Decimal | null {
    if (!Number.isSafeInteger(value) || !Number.isSafeInteger(other)) return null
    return Decimal.#ofUnits(value + other, places)
  }

  minus(other: Decimal | number): Decimal {
    return this.plus(exactly(other).negated())
  }

  times(other: Decimal | number): Decimal {
    const by = exactly(other)
    if (!this.#big && !by.#big) {
      const product = Decimal.#ofUnits(this.#units * by.#units, this.#places + by.#places)
      if (product) return product
    }
    return Decimal.#ofBig(this.#asBig().times(by.#asBig()))
  }

  div(other: Decimal | number): Decimal {
    const by = exactly(other)
    if (!this.#big && !by.#big && by.#units !== 0 && this.#units % by.#units === 0) {
      const places = this.#places - by.#places
      const whole = this.#units / by.#units
      const quotient =
        places >= 0 ? Decimal.#ofUnits(whole, places) : Decimal.#ofUnits(whole * power(-places), 0)
      if (quotient) return quotient
    }
    return Decimal.#ofBig(this.#asBig().div(by.#asBig()))
  }

  negated(): Decimal {
    return new Decimal(-this.#units, this.#places, this.#big?.negated() ?? null)
  }

  abs(): Decimal {
    return this.isNegative() ? this.negated() : this
  }

  isZero(): boolean {
    return this.#big ? this.#big.isZero() : this.#units === 0
  }

  isNegative(): boolean {
    return this.#big ? this.#big.isNegative() : this.#units < 0
  }

  /** Negative if it is less, positive if it is more, else zero. */
  comparedTo(other: Decimal | number): number {
    const to = exactly(other)
    if (this.#big || to.#big) return this.#asBig().comparedTo(to.#asBig())
    if (this.#places === to.#places) return Math.sign(this.#units - to.#units) + 0
    return this.minus(to).#sign()
  }

  #sign(): number {
    return this.isZero() ? 0 : this.isNegative() ? -1 : 1
  }

  equals(other: Decimal | number): boolean {
    return this.comparedTo(other) === 0
  }

  lessThan(other: Decimal | number): boolean {
    return this.comparedTo(other) < 0
  }

  greaterThan(other: Decimal | number): boolean {
    return this.comparedTo(other) > 0
  }

  /** True if it has more decimal places. */
  hasMoreThan(places: number): boolean {
    return (this.#big !== null || this.#places > places) && this.decimalPlaces() > places
  }

  /** Number of decimal places. */
  decimalPlaces(): number {
    if (this.#big) return this.#big.decimalPlaces()
    let places = this.#places
    if (this.#units === 0) return 0
    while (places > 0 && this.#units % power(this.#places - places + 1) === 0) places--
    return places
  }

  /** Rounds to a number of decimal places, halves away from zero. */
  toDecimalPlaces(places: number): Decimal {
    if (this.#big) return Decimal.#rounded(this.#big.toDecimalPlaces(places))
    const less = this.#places - places
    if (less <= 0) return this
    const unit = power(less)
    const rest = this.#units % unit
    const away = Math.abs(rest) * 2 >= unit ? Math.sign(this.#units) : 0
    return new Decimal((this.#units - rest) / unit + away, places, null)
  }

  /** Rounds to a whole number, halves away from zero. */
  round(): Decimal {
    return this.toDecimalPlaces(0)
  }

  ceil(): Decimal {
    return Decimal.#rounded(this.#asBig().ceil())
  }

  floor(): Decimal {
    return Decimal.#rounded(this.#asBig().floor())
  }

  /** The nearest number. */
  toNumber(): number {
    return this.#big ? this.#big.toNumber() : this.#units / power(this.#places)
  }

  toString(): string {
    return this.#asBig().toString()
  }

  /** Rounded numbers usually have few digits: these become units again. */
  static #rounded(big: Plain): Decimal {
    const isFew = big.precision() <= 15 && Math.abs(big.e) <= 15
    return isFew ? Decimal.of(big.toNumber()) : Decimal.#ofBig(big)
  }
}

/** The decimal of a number, and a decimal itself. Throws RangeError for what is not a number. */
export const exactly = (value: Decimal | number): Decimal =>
  typeof value === 'number' ? Decimal.of(value) : value
