// Sanitizes long markup in a thread before it is written (docs/decisions/0030): values are converted
// synchronously, so it happens earlier.

import { PayloadTooLarge } from '../../errors.ts'
import { Aside, threadProgram } from '../../kit/aside.ts'
import { cleanHtml } from '../../kit/html-policy.ts'
import { present } from '../../kit/present.ts'
import { assertWithin, beyond, limits } from '../../limits.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Quota } from '../language/unit.ts'

export interface Piece {
  readonly texts: readonly string[]
  readonly deepest: number
}
/** Clean texts in the order of the task's texts. */
export type Cleaned = readonly string[] | 'too deep'

/** Characters of markup that are sanitized synchronously: some milliseconds. */
const SHORT = 16_384
/** Characters per task of short texts, so that tasks of other calls run in between. */
const PORTION = 262_144

const thread = new Aside<Piece, Cleaned>({
  program: threadProgram(import.meta.url, 'html-thread'),
  // Two megabytes take a second, or three at worst; other work may need the processor too.
  patienceMs: 20_000,
  idleMs: 20_000,
  heapMb: 160,
  // Callers that would wait for more than a few seconds are asked to retry later.
  waiting: 4 * 1024 ** 2,
  what: 'long HTML texts',
})

export type KnownMarkup = ReadonlyMap<string, string>

export const noMarkup: KnownMarkup = new Map()
let current = noMarkup

/** From `withCleaned`, or sanitized now. Throws PayloadTooLarge for too long or too deep markup. */
export function cleaned(markup: string): string {
  assertWithin('html', bytesOf(markup))
  return current.get(markup) ?? cleanHtml(markup)
}

/** Throws the field's refusal of the value. Markup is only measured: it is sanitized when written. */
export function assertTaken(field: FieldDef, value: unknown): void {
  if (isMarkup(field, value)) assertWithin('html', bytesOf(value))
  else field.type.toColumn(field, value)
}

/** Runs `work`, which must be synchronous, with the results of `sanitizeBeforeWrite`. */
export function withCleaned<T>(markup: KnownMarkup, work: () => T): T {
  const before = current
  current = markup
  try {
    return work()
  } finally {
    current = before
  }
}

/** Whether a value of the field is markup to sanitize. */
export const isMarkup = (field: FieldDef | undefined, value: unknown): value is string =>
  field?.kind === 'html' && field.options.sanitize !== false && typeof value === 'string'

/**
 * Sanitizes markup for a call, each text once; in the thread unless the texts are short. Throws
 * PayloadTooLarge for markup that is too long, too deep, too much for one call, or that takes the thread
 * too long.
 */
export async function sanitizeBeforeWrite({ unit }: Payer, texts: readonly string[]): Promise<KnownMarkup> {
  if (texts.every((text) => text === '')) return noMarkup
  const different = [...new Set(texts)]
  const sum = different.reduce((length, text) => length + text.length, 0)
  if (sum <= SHORT) return new Map(different.map((text) => [text, cleanHtml(text)]))
  for (const text of different) assertWithin('html', bytesOf(text))
  unit.quota.charge('html-call', sum)
  const clean = new Map<string, string>()
  for (const { portion, length } of portionsOf(different)) {
    const answer = await thread.ask({ texts: portion, deepest: limits['html-depth'] }, length)
    if (answer === 'too deep') throw beyond('html-depth')
    if (answer === null)
      throw new PayloadTooLarge('An HTML text is too complex to be sanitized in time: simplify it.')
    for (const [i, text] of portion.entries()) clean.set(text, present(answer[i]))
  }
  return clean
}

interface Payer {
  readonly unit: { readonly quota: Pick<Quota, 'charge'> }
}

/** Texts in portions that are sanitized together: several short ones, or a long one. */
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

/** Size of a text in bytes, counted only if its length does not show that it is within the limit. */
function bytesOf(text: string): number {
  return text.length * 3 <= limits.html ? text.length : Buffer.byteLength(text)
}
