// How far the server's replica must have followed for a client to see what it did: told by answers, shown
// with calls.
import { InvalidValue } from '../errors.ts'

const TOKEN = /^(\d{1,20})-([\dA-F]{1,8})\/([\dA-F]{1,8})$/

/** Kept in memory; `value` may be kept elsewhere too, and given to the program that goes on. */
export class Position {
  #value: string | null = null

  /** Throws InvalidValue for what no answer told. */
  constructor(value: string | null = null) {
    if (value !== null && !TOKEN.test(value))
      throw new InvalidValue('This is no position that an answer told.')
    this.#value = value
  }

  /** Null before the first answer: then all that there is must be seen. */
  get value(): string | null {
    return this.#value
  }

  /** What an answer told; null where one that changed something told nothing. */
  heard(told: string | null): void {
    if (told === null) this.#value = null
    else if (TOKEN.test(told) && isLater(told, this.#value)) this.#value = told
  }
}

/** Of another server, one moved to, what was told last counts. */
function isLater(told: string, known: string | null): boolean {
  const [, server, ...place] = TOKEN.exec(told) ?? []
  const [, before, ...other] = TOKEN.exec(known ?? '') ?? []
  return server !== before || numberOf(place) > numberOf(other)
}

const numberOf = ([high = '0', low = '0']: readonly string[]): bigint =>
  (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
