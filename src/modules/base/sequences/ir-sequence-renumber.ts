// PostgreSQL sequences of the sequences that allow gaps: they follow what is written to their records.

import type { Environment, Records } from '#models'
import { present } from '../../../kit/present.ts'
import {
  assertStep,
  changeGenerators,
  dropGenerators,
  makeGenerators,
  type Source,
  upcoming,
} from './ir-sequence-numbers.ts'

/** Where the numbers of a sequence come from. */
export const sourceOf = (id: number): Source => ({ table: 'ir_sequence', id })

/** Sequences as they stand, with the ids of their ranges. */
export const withRanges = (records: Records<'ir.sequence'>) =>
  records.sudo().load(['implementation', 'number_next', 'number_increment', 'date_range_ids.number_next'])
type Standing = Awaited<ReturnType<typeof withRanges>>[number]

const rangesOf = (row: Standing): Source[] =>
  row.date_range_ids.map((range) => ({ table: 'ir_sequence_date_range', id: range.id, of: row.id }))
export const sourcesOf = (row: Standing): Source[] => [sourceOf(row.id), ...rangesOf(row)]

/**
 * Brings PostgreSQL's sequences in line with what was written; a written number restarts, also when it is the
 * same.
 */
export async function renumber(
  env: Environment,
  before: readonly Standing[],
  after: readonly Standing[],
  vals: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const row of after) {
    assertStep(row.number_increment)
    const was = before.find((other) => other.id === row.id)
    if (row.implementation === 'no_gap') {
      if (was?.implementation === 'standard') {
        await countOn(env, row, was.number_increment, 'number_next' in vals || 'number_next_actual' in vals)
        await dropGenerators(env, sourcesOf(row))
      }
      continue
    }
    if (was?.implementation === 'no_gap') {
      await makeGenerators(env, [
        { source: sourceOf(row.id), next: row.number_next, step: row.number_increment },
        ...row.date_range_ids.map((range, i) => ({
          source: present(rangesOf(row)[i]),
          next: range.number_next,
          step: row.number_increment,
        })),
      ])
      continue
    }
    const step = was?.number_increment === row.number_increment ? undefined : row.number_increment
    await changeGenerators(env, [sourceOf(row.id)], {
      next: 'number_next' in vals ? row.number_next : undefined,
      step,
    })
    if (step !== undefined) await changeGenerators(env, rangesOf(row), { step })
  }
}

/**
 * Continues numbers without gaps after those with gaps, in the sequence, unless it was `restarted`, and
 * in its ranges: no number is drawn twice. The next one is `step` after the last one.
 */
async function countOn(env: Environment, row: Standing, step: number, restarted: boolean): Promise<void> {
  // The lock of the change keeps others from drawing until the numbers are elsewhere.
  await changeGenerators(env, sourcesOf(row), { step })
  const counted = { step, gaps: true }
  const counter = { ...sourceOf(row.id), next: row.number_next, ...counted }
  const next = (await upcoming(env, restarted ? [] : [counter])).get(row.id) ?? row.number_next
  if (next !== row.number_next)
    await env.sudo().model('ir.sequence').browse([row.id]).write({ number_next: next })
  const ranges = rangesOf(row).map((source, i) => ({
    ...source,
    next: present(row.date_range_ids[i]).number_next,
    ...counted,
  }))
  const following = await upcoming(env, ranges)
  for (const range of ranges) {
    const number_next = following.get(range.id) ?? range.next
    if (number_next !== range.next)
      await env.sudo().model('ir.sequence.date_range').browse([range.id]).write({ number_next })
  }
}
