// Date ranges of sequences (ir.sequence.date_range): each counts on its own; missing ones are made for the
// calendar year.
import {
  computedTogether,
  date,
  type Environment,
  idsWhere,
  implement,
  integer,
  many2one,
  model,
  type Of,
  type Records,
} from '#models'
import { InvalidValue } from '../../../errors.ts'
import { addDays, isDate, isMoment, today } from '../../../kit/dates.ts'
import { sql } from '../../../sql/index.ts'
import {
  changeGenerators,
  dropGenerators,
  makeGenerators,
  type Source,
  upcoming,
} from './ir-sequence-numbers.ts'

const range = model('ir.sequence.date_range', {
  label: 'Sequence Date Range',
  recName: 'sequence_id',
  fields: {
    date_from: date({ label: 'From', required: true }),
    date_to: date({ label: 'To', required: true }),
    sequence_id: many2one('ir.sequence', {
      label: 'Main Sequence',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    number_next: integer({ label: 'Next Number', required: true, default: 1 }),
    number_next_actual: integer({ label: 'Actual Next Number', computed: true, readonly: false }),
  },
  rules: {
    unique_range_per_sequence: {
      unique: ['sequence_id', 'date_from', 'date_to'],
      message: 'You cannot create two date ranges for the same sequence with the same date range.',
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.sequence.date_range': SequenceDateRange
  }
  interface SequenceDateRange extends Of<typeof range> {}
}

const sourceOf = (id: number, of: number): Source => ({ table: 'ir_sequence_date_range', id, of })

/** Throws InvalidValue for an invalid date. */
export function assertRange(value: unknown): asserts value is string | null {
  if (
    value !== null &&
    value !== false &&
    !(typeof value === 'string' && (isDate(value) || isMoment(value)))
  ) {
    throw new InvalidValue('sequence_date must be YYYY-MM-DD')
  }
}

/** The calendar year around a day, cut at the neighbouring ranges. */
export function yearAround(
  day: string,
  neighbours: readonly { readonly from: string; readonly to: string }[],
): { from: string; to: string } {
  const year = day.slice(0, 4)
  let [from, to] = [`${year}-01-01`, `${year}-12-31`]
  for (const other of neighbours) {
    if (other.from > day && other.from <= to) to = addDays(other.from, -1)
    if (other.to < day && other.to >= from) from = addDays(other.to, 1)
  }
  return { from, to }
}

/** The range of a sequence that contains a date, created if it does not exist. */
export async function rangeFor(
  env: Environment,
  sequence: number,
  date: string | null,
): Promise<{ from: string; source: Source }> {
  const day = date ? date.slice(0, 10) : today(env.tz, env.now())
  const ranges = env.sudo().model('ir.sequence.date_range')
  const all = await (await ranges.search([['sequence_id', '=', sequence]], { order: 'date_from' })).load([
    'date_from',
    'date_to',
  ])
  const range = all.find((row) => row.date_from <= day && day <= row.date_to)
  if (range) return { from: range.date_from, source: sourceOf(range.id, sequence) }
  const { from, to } = yearAround(
    day,
    all.map((row) => ({ from: row.date_from, to: row.date_to })),
  )
  // Of two callers who find no range, one writes the row first; the other one loses, is repeated, and finds
  // the range.
  await env.execute(sql`UPDATE ir_sequence SET active = active WHERE id = ${sequence}::int`, {
    reads: ['ir.sequence'],
  })
  const createdRange = await ranges.create([{ date_from: from, date_to: to, sequence_id: sequence }])
  return { from, source: sourceOf(createdRange.ensureOne(), sequence) }
}

type Ranges = Records<'ir.sequence.date_range'>
const standing = (ranges: Ranges) =>
  ranges.sudo().load(['number_next', 'sequence_id.implementation', 'sequence_id.number_increment'])

export default implement(range, {
  computed: {
    number_next_actual: computedTogether(
      range,
      ['number_next', 'sequence_id.implementation', 'sequence_id.number_increment'],
      (rows, env) =>
        upcoming(
          env,
          rows.map((r) => ({
            ...sourceOf(r.id, r.sequence_id.id),
            next: r.number_next,
            step: r.sequence_id.number_increment,
            gaps: r.sequence_id.implementation === 'standard',
          })),
        ),
      {
        inverse: async (env, values) => {
          for (const next of new Set(values.values())) {
            const same = [...values].filter(([, value]) => value === next).map(([id]) => id)
            await env
              .model('ir.sequence.date_range')
              .browse(same)
              .write({ number_next: Number(next) || 0 })
          }
        },
      },
    ),
  },
  wrapWrite: (next) => async (records, changes) => {
    await next(records, changes)
    const renumbered = idsWhere(changes, (vals) => 'number_next' in vals)
    for (const row of renumbered.length ? await standing(records.browse(renumbered)) : []) {
      if (row.sequence_id.implementation !== 'standard') continue
      await changeGenerators(records.env, [sourceOf(row.id, row.sequence_id.id)], { next: row.number_next })
    }
  },
  wrapGeneric: {
    create: (next) => async (records, params) => {
      const createdRanges = (await next(records, params)) as Ranges
      const rows = (await standing(createdRanges)).filter((r) => r.sequence_id.implementation === 'standard')
      await makeGenerators(
        records.env,
        rows.map((r) => ({
          source: sourceOf(r.id, r.sequence_id.id),
          next: r.number_next,
          step: r.sequence_id.number_increment,
        })),
      )
      return createdRanges
    },
    unlink: (next) => async (records, params) => {
      const rows = await standing(records)
      const result = await next(records, params)
      await dropGenerators(
        records.env,
        rows.map((r) => sourceOf(r.id, r.sequence_id.id)),
      )
      return result
    },
  },
})
