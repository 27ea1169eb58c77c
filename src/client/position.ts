// Position in the server's log that a replica must have replayed before a client reads from it: taken from
// answers, sent with calls.
import { InvalidValue } from '../errors.ts'

const TOKEN = /^(\d{1,20})-([\dA-F]{1,8})\/([\dA-F]{1,8})$/

/** Kept in memory; `value` may be kept elsewhere too, and given to the program that goes on. */
export class Position {
  #value: string | null = null

  /** Throws InvalidValue for a value that is not the position of an answer. */
  constructor(value: string | null = null) {
    if (value !== null && !TOKEN.test(value))
      throw new InvalidValue('Invalid position: pass the header Comptoir-Position of an answer.')
    this.#value = value
  }

  /** Null before the first answer: then all that there is must be seen. */
  get value(): string | null {
    return this.#value
  }

  /** Takes the position of an answer; null where an answer to a write had no position. */
  observe(position: string | null): void {
    if (position === null) this.#value = null
    else if (TOKEN.test(position) && isLater(position, this.#value)) this.#value = position
  }
}

/** Positions of different servers cannot be compared: after a move the newest answer counts. */
function isLater(position: string, current: string | null): boolean {
  const [, server, ...place] = TOKEN.exec(position) ?? []
  const [, before, ...other] = TOKEN.exec(current ?? '') ?? []
  return server !== before || numberOf(place) > numberOf(other)
}

const numberOf = ([high = '0', low = '0']: readonly string[]): bigint =>
  (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
