// Sequences (ir.sequence): numbered texts such as INV/2026/0001 (spec/models-api.md section 6). Drawing:
// ir-sequence-draw.ts; texts: ir-sequence-text.ts; numbers: ir-sequence-numbers.ts.

import {
  alike,
  boolean,
  char,
  computedTogether,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  type Records,
  required,
  returns,
  selection,
} from '#models'
import { assertAllowed } from '../rights/refusal.ts'
import { draw, drawnPaths } from './ir-sequence-draw.ts'
import { assertStep, dropGenerators, makeGenerators, upcoming } from './ir-sequence-numbers.ts'
import { renumber, sourceOf, sourcesOf, withRanges } from './ir-sequence-renumber.ts'
import { assertShape, momentsOf, numberText } from './ir-sequence-text.ts'

const dateParam = optional<string | null>('any', null, {
  doc: 'Date of the number. Default: today',
  annotation: 'str | None',
})

const sequence = model('ir.sequence', {
  label: 'Sequence',
  order: 'name, id',
  fields: {
    name: char({ label: 'Name', required: true }),
    code: char({ label: 'Sequence Code', index: true }),
    implementation: selection(
      { standard: 'Standard', no_gap: 'No gap' },
      { label: 'Implementation', required: true, default: 'standard' },
    ),
    active: boolean({ label: 'Active', default: true }),
    prefix: char({ label: 'Prefix', trim: false }),
    suffix: char({ label: 'Suffix', trim: false }),
    number_next: integer({ label: 'Next Number', required: true, default: 1 }),
    number_next_actual: integer({ label: 'Actual Next Number', computed: true, readonly: false }),
    number_increment: integer({ label: 'Step', required: true, default: 1 }),
    padding: integer({ label: 'Sequence Size', required: true, default: 0 }),
    company_id: many2one('res.company', { label: 'Company' }),
    use_date_range: boolean({ label: 'Use subsequences per date_range' }),
    date_range_ids: one2many('ir.sequence.date_range', 'sequence_id', { label: 'Subsequences' }),
  },
  methods: {
    next_by_id: {
      doc: 'Returns the next number of the sequence, and advances it.',
      params: { sequence_date: dateParam },
      returns: returns<string>('string', 'str'),
    },
    next_by_code: {
      doc: 'Returns the next number of the sequence with this code, and advances it. A sequence of the current company precedes a shared one. False if no sequence has the code.',
      level: 'model',
      params: {
        sequence_code: required<string>('string', { doc: 'Code of the sequence', annotation: 'str' }),
        sequence_date: dateParam,
      },
      returns: returns<string | false>('any', 'str | bool'),
    },
    get_next_char: {
      doc: 'Formats a number like the sequence does today. The sequence does not advance.',
      readonly: true,
      params: { number_next: required<number>('integer', { annotation: 'int' }) },
      returns: returns<string>('string', 'str'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.sequence': Sequence
  }
  interface Sequence extends Of<typeof sequence> {}
}

export default implement(sequence, {
  defaults: { company_id: (env) => env.companyId },
  prepare: (vals) => assertShape(vals),
  computed: {
    number_next_actual: computedTogether(
      sequence,
      ['implementation', 'number_next', 'number_increment'],
      (rows, env) =>
        upcoming(
          env,
          rows.map((r) => ({
            ...sourceOf(r.id),
            next: r.number_next,
            step: r.number_increment,
            gaps: r.implementation === 'standard',
          })),
        ),
      {
        inverse: async (env, values) => {
          for (const next of new Set(values.values())) {
            const same = [...values].filter(([, value]) => value === next).map(([id]) => id)
            await env
              .model('ir.sequence')
              .browse(same)
              .write({ number_next: Number(next) || 0 })
          }
        },
      },
    ),
  },
  methods: {
    next_by_id: async (sequences, { sequence_date }) => {
      sequences.ensureOne()
      await sequences.load(drawnPaths)
      await assertMayDraw(sequences)
      return draw(sequences.sudo(), sequence_date)
    },
    next_by_code: async (sequences, { sequence_code, sequence_date }) => {
      const sequence = await sequenceOf(sequences, sequence_code)
      if (sequence.length === 0) return false
      await assertMayDraw(sequence)
      return draw(sequence.sudo(), sequence_date)
    },
    get_next_char: async (sequences, { number_next }) => {
      const { env } = sequences
      const shape = await sequences.one(['prefix', 'suffix', 'padding'])
      return numberText(shape, number_next, momentsOf(env.tz, null, null, env.now()))
    },
  },
  wrapWrite: alike((next) => async (records, params) => {
    const vals = params.vals as Record<string, unknown>
    const before = await withRanges(records)
    const result = await next(records, params)
    const after = await withRanges(records)
    await renumber(records.env, before, after, vals)
    return result
  }),
  wrapGeneric: {
    create: (next) => async (records, params) => {
      const created = (await next(records, params)) as Records<'ir.sequence'>
      const rows = await created.sudo().load(['implementation', 'number_next', 'number_increment'])
      for (const row of rows) assertStep(row.number_increment)
      await makeGenerators(
        records.env,
        rows
          .filter((r) => r.implementation === 'standard')
          .map((r) => ({ source: sourceOf(r.id), next: r.number_next, step: r.number_increment })),
      )
      return created
    },
    unlink: (next) => async (records, params) => {
      const rows = await withRanges(records)
      const result = await next(records, params)
      await dropGenerators(records.env, rows.flatMap(sourcesOf))
      return result
    },
  },
})

/**
 * Numbers without gaps are given with the records that they number: drawn by hand they are gaps. Throws
 * AccessError for callers who may not set sequences up.
 */
async function assertMayDraw(sequences: Records<'ir.sequence'>): Promise<void> {
  // All that drawing reads next: one statement.
  const [row] = await sequences.sudo().load(drawnPaths)
  if (row?.implementation === 'no_gap') await assertAllowed(sequences, 'write')
}

/**
 * The sequence with a code; one of the current company precedes one without a company. An empty code has
 * no sequence.
 */
const sequenceOf = (sequences: Records<'ir.sequence'>, code: string) =>
  sequences.search(
    [
      ['code', 'in', code === '' ? [] : [code]],
      ['company_id', 'in', [sequences.env.companyId, false]],
    ],
    { order: 'company_id, id', limit: 1 },
  )
