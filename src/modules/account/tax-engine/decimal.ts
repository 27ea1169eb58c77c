// Decimals: so many units of a decimal place as long as both numbers are small, which nearly all amounts are,
// and decimal.js beyond that. Either way the digits are the same.
import { Decimal as Plain } from 'decimal.js'
import { present } from '../../../kit/present.ts'

/** A constructor of our own, so that nobody else's settings reach it. */
const Large = Plain.clone({ precision: 32, rounding: Plain.ROUND_HALF_UP })

/** Powers of ten by which units are scaled: each of them is a number exactly. */
const POWERS = Array.from({ length: 16 }, (_, places) => 10 ** places)
const MOST_PLACES = POWERS.length - 1
const powerOf = (places: number): number => present(POWERS[places])

/** Whole numbers up to here are told apart from their neighbours. */
const isSafe = (units: number): boolean => Math.abs(units) <= Number.MAX_SAFE_INTEGER
/** No two decimals of so few digits are the same number: what a number prints as is the only one of them. */
const isCertain = (units: number): boolean => Math.abs(units) < 10 ** MOST_PLACES
/** Places that are tried for a number or a quotient. */
const TRIED = 6

type Amount = Decimal | number

export class Decimal {
  readonly #units: number
  readonly #places: number
  /** In the place of both where they would not be small. */
  readonly #large: Plain | null

  private constructor(units: number, places: number, large: Plain | null = null) {
    this.#units = units
    this.#places = places
    this.#large = large
  }

  /** The decimal that a number shows when printed: 0.1 is one tenth. */
  static of(value: number): Decimal {
    for (let places = 0; places <= TRIED; places++) {
      const units = Math.round(value * powerOf(places))
      if (!isCertain(units)) break
      if (units / powerOf(places) === value) return new Decimal(units, places)
    }
    return Decimal.#ofLarge(new Large(value))
  }

  static #ofLarge(large: Plain): Decimal {
    return new Decimal(0, 0, large)
  }

  /** Small again, if it can be. */
  static #ofRounded(large: Plain): Decimal {
    const places = Math.max(0, large.decimalPlaces())
    if (places > MOST_PLACES) return Decimal.#ofLarge(large)
    const units = large.times(powerOf(places)).toNumber()
    return isCertain(units) ? new Decimal(units, places) : Decimal.#ofLarge(large)
  }

  #asLarge(): Plain {
    return this.#large ?? new Large(this.#units).div(powerOf(this.#places))
  }

  plus(by: Amount): Decimal {
    const other = asDecimal(by)
    return this.#sum(other, 1) ?? Decimal.#ofLarge(this.#asLarge().plus(other.#asLarge()))
  }

  minus(by: Amount): Decimal {
    const other = asDecimal(by)
    return this.#sum(other, -1) ?? Decimal.#ofLarge(this.#asLarge().minus(other.#asLarge()))
  }

  /** Null where it would not be small. */
  #sum(other: Decimal, sign: 1 | -1): Decimal | null {
    if (this.#large || other.#large) return null
    const places = Math.max(this.#places, other.#places)
    const one = this.#units * powerOf(places - this.#places)
    const two = other.#units * powerOf(places - other.#places)
    const units = one + sign * two
    return isSafe(one) && isSafe(two) && isSafe(units) ? new Decimal(units, places) : null
  }

  times(by: Amount): Decimal {
    const other = asDecimal(by)
    const [units, places] = [this.#units * other.#units, this.#places + other.#places]
    if (!this.#large && !other.#large && isSafe(units) && places <= MOST_PLACES)
      return new Decimal(units, places)
    return Decimal.#ofLarge(this.#asLarge().times(other.#asLarge()))
  }

  /** To thirty-two digits where it does not end. */
  div(by: Amount): Decimal {
    const other = asDecimal(by)
    return this.#quotient(other) ?? Decimal.#ofLarge(this.#asLarge().div(other.#asLarge()))
  }

  /** Null where it does not end soon. */
  #quotient(other: Decimal): Decimal | null {
    if (this.#large || other.#large) return null
    for (let more = 0; more <= TRIED; more++) {
      const units = this.#units * powerOf(more)
      if (!isSafe(units)) return null
      if (units % other.#units !== 0) continue
      const places = this.#places - other.#places + more
      const quotient = (units / other.#units) * powerOf(Math.max(0, -places))
      return isSafe(quotient) && places <= MOST_PLACES ? new Decimal(quotient, Math.max(0, places)) : null
    }
    return null
  }

  negated(): Decimal {
    return this.#large ? Decimal.#ofLarge(this.#large.negated()) : new Decimal(-this.#units, this.#places)
  }

  abs(): Decimal {
    return this.isNegative() ? this.negated() : this
  }

  /** Rounded to a decimal place, halves away from zero. */
  toDecimalPlaces(places: number): Decimal {
    if (this.#large) return Decimal.#ofRounded(this.#large.toDecimalPlaces(places))
    if (this.#places <= places) return this
    const power = powerOf(this.#places - places)
    const rest = this.#units % power
    const units = (this.#units - rest) / power
    return new Decimal(Math.abs(rest) * 2 < power ? units : units + Math.sign(rest), places)
  }

  floor(): Decimal {
    const nearest = this.toDecimalPlaces(0)
    return nearest.greaterThan(this) ? nearest.minus(1) : nearest
  }

  ceil(): Decimal {
    const nearest = this.toDecimalPlaces(0)
    return nearest.lessThan(this) ? nearest.plus(1) : nearest
  }

  /** Places behind the point that are not zero at the end. */
  decimalPlaces(): number {
    if (this.#large) return this.#large.decimalPlaces()
    let places = this.#places
    while (places > 0 && this.#units % powerOf(this.#places - places + 1) === 0) places--
    return places
  }

  comparedTo(by: Amount): number {
    const other = asDecimal(by)
    const difference = this.#sum(other, -1)
    return difference ? Math.sign(difference.#units) + 0 : this.#asLarge().comparedTo(other.#asLarge())
  }

  equals(other: Amount): boolean {
    return this.comparedTo(other) === 0
  }

  lessThan(other: Amount): boolean {
    return this.comparedTo(other) < 0
  }

  greaterThan(other: Amount): boolean {
    return this.comparedTo(other) > 0
  }

  isZero(): boolean {
    return this.#large ? this.#large.isZero() : this.#units === 0
  }

  isNegative(): boolean {
    return this.#large ? this.#large.isNegative() : this.#units < 0
  }

  /** The nearest number. */
  toNumber(): number {
    return this.#large ? this.#large.toNumber() : this.#units / powerOf(this.#places)
  }

  toString(): string {
    return this.#asLarge().toString()
  }
}

const asDecimal = (amount: Amount): Decimal => (typeof amount === 'number' ? Decimal.of(amount) : amount)
