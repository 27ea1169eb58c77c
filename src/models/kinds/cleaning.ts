// Cleaning of long markup ahead of time, in a thread (docs/decisions/0030): values are converted without
// waiting, so it is done before.

import { PayloadTooLarge } from '../../errors.ts'
import { Aside, programBeside } from '../../kit/aside.ts'
import { present } from '../../kit/present.ts'
import { assertWithin, beyond, type LimitName, limits } from '../../limits.ts'
import type { FieldDef } from '../language/definitions.ts'
import { cleanHtml } from './html-policy.ts'

/** What the thread is told. */
export interface Piece {
  readonly texts: readonly string[]
  readonly deepest: number
}
/** Clean texts in the order of those given. */
export type Cleaned = readonly string[] | 'too deep'

/** Characters of markup that are cleaned on the spot: a matter of milliseconds. */
const SHORT = 16_384
/** Characters that the thread is given at once, where texts are short: others come in between. */
const PORTION = 262_144

const thread = new Aside<Piece, Cleaned>({
  program: programBeside(import.meta.url, 'html-thread'),
  // Two megabytes take a second, or three at the worst; others may want the processor too.
  patienceMs: 20_000,
  idleMs: 20_000,
  heapMb: 160,
  // What is told to wait for longer than a few seconds is better told to come again.
  waiting: 4 * 1024 ** 2,
  what: 'long HTML texts',
})

/** Clean markup by the markup that it was made of. */
export type KnownMarkup = ReadonlyMap<string, string>

export const noMarkup: KnownMarkup = new Map()
let known = noMarkup

/**
 * Clean markup: what was cleaned ahead is there, the rest is done now. Throws PayloadTooLarge for markup that
 * is too long or too deep.
 */
export function cleaned(markup: string): string {
  assertWithin('html', bytesOf(markup))
  return known.get(markup) ?? cleanHtml(markup)
}

/**
 * Throws what the field refuses the value with. Markup is measured and not cleaned: that is done once, ahead
 * of its writing.
 */
export function assertTaken(field: FieldDef, value: unknown): void {
  if (isMarkup(field, value)) assertWithin('html', bytesOf(value))
  else field.type.toColumn(field, value)
}

/** Does `work`, which does not wait, with what was cleaned ahead. */
export function withCleaned<T>(markup: KnownMarkup, work: () => T): T {
  const before = known
  known = markup
  try {
    return work()
  } finally {
    known = before
  }
}

/** Whether a value of the field is markup that is to be cleaned. */
export const isMarkup = (field: FieldDef | undefined, value: unknown): value is string =>
  field?.kind === 'html' && field.options.sanitize !== false && typeof value === 'string'

/**
 * Cleans markup for a call, each text once, in the thread unless there is little of it: that is as well done
 * on the spot.
 * Throws PayloadTooLarge for markup that is too long, too deep, too much for one call, or that the thread
 * does not get done with.
 */
export async function cleanAhead({ unit }: Payer, texts: readonly string[]): Promise<KnownMarkup> {
  // Most calls bring none.
  if (texts.every((text) => text === '')) return noMarkup
  const different = [...new Set(texts)]
  const sum = different.reduce((length, text) => length + text.length, 0)
  if (sum <= SHORT) return new Map(different.map((text) => [text, cleanHtml(text)]))
  for (const text of different) assertWithin('html', bytesOf(text))
  unit.spend('html-call', sum)
  const clean = new Map<string, string>()
  for (const { portion, length } of portionsOf(different)) {
    const answer = await thread.ask({ texts: portion, deepest: limits['html-depth'] }, length)
    if (answer === 'too deep') throw beyond('html-depth')
    if (answer === null) throw new PayloadTooLarge('An HTML text is too complicated to be cleaned in time.')
    for (const [i, text] of portion.entries()) clean.set(text, present(answer[i]))
  }
  return clean
}

/** Whose call it is. */
interface Payer {
  readonly unit: { spend(name: LimitName, amount: number): void }
}

/** Texts in portions that are cleaned at once: several short ones, or one long one. */
function* portionsOf(texts: readonly string[]): Generator<{ portion: string[]; length: number }> {
  let portion: string[] = []
  let length = 0
  for (const text of texts) {
    if (portion.length && length + text.length > PORTION) {
      yield { portion, length }
      portion = []
      length = 0
    }
    portion.push(text)
    length += text.length
  }
  if (portion.length) yield { portion, length }
}

/** Bytes of a text, looked at only where its length does not settle the matter. */
function bytesOf(text: string): number {
  return text.length * 3 <= limits.html ? text.length : Buffer.byteLength(text)
}
