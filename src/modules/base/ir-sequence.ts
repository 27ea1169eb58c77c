// Sequences (ir.sequence): numbered texts such as INV/2026/0001 (spec/models-api.md section 6). Texts:
// ir-sequence-text.ts; numbers: ir-sequence-numbers.ts.

import { inTrial } from '#engine'
import {
  alike,
  boolean,
  char,
  computedTogether,
  type Environment,
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
import { MissingError } from '../../errors.ts'
import { type Sql, sql } from '../../sql/index.ts'
import { assertRange, rangeFor } from './ir-sequence-date-range.ts'
import {
  assertStep,
  changeGenerators,
  drawFast,
  drawWithoutGap,
  dropGenerators,
  makeGenerators,
  type Source,
  upcoming,
} from './ir-sequence-numbers.ts'
import { assertShape, momentsOf, numberText } from './ir-sequence-text.ts'

const dateParam = optional<string | null>('any', null, {
  doc: 'Date of the number; today when left out',
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
      doc: 'Draws the next number of the sequence, as text.',
      params: { sequence_date: dateParam },
      returns: returns<string>('string', 'str'),
    },
    next_by_code: {
      doc: 'Draws the next number of the sequence with this code, of the current company before those of none. False when there is none.',
      level: 'model',
      params: {
        sequence_code: required<string>('string', { doc: 'Code of the sequence', annotation: 'str' }),
        sequence_date: dateParam,
      },
      returns: returns<string | false>('any', 'str | bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'ir.sequence': Sequence
  }
  interface Sequence extends Of<typeof sequence> {}
}

const sourceOf = (id: number): Source => ({ table: 'ir_sequence', id })

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
      await sequences.load(['name'])
      return draw(sequences.sudo(), sequence_date)
    },
    next_by_code: async (sequences, { sequence_code, sequence_date }) => {
      const found = await sequenceOf(sequences, sequence_code)
      return found.length ? draw(found.sudo(), sequence_date) : false
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
      const made = (await next(records, params)) as Records<'ir.sequence'>
      const rows = await made.sudo().load(['implementation', 'number_next', 'number_increment'])
      for (const row of rows) assertStep(row.number_increment)
      await makeGenerators(
        records.env,
        rows
          .filter((r) => r.implementation === 'standard')
          .map((r) => ({ source: sourceOf(r.id), next: r.number_next, step: r.number_increment })),
      )
      return made
    },
    unlink: (next) => async (records, params) => {
      const rows = await withRanges(records)
      const result = await next(records, params)
      await dropGenerators(records.env, rows.flatMap(sourcesOf))
      return result
    },
  },
})

/** Sequences as they stand, with the ids of their ranges. */
const withRanges = (records: Records<'ir.sequence'>) =>
  records.sudo().load(['implementation', 'number_next', 'number_increment', 'date_range_ids.number_next'])
type Standing = Awaited<ReturnType<typeof withRanges>>[number]

const rangesOf = (row: Standing): Source[] =>
  row.date_range_ids.map((range) => ({ table: 'ir_sequence_date_range', id: range.id, of: row.id }))
const sourcesOf = (row: Standing): Source[] => [sourceOf(row.id), ...rangesOf(row)]

/**
 * Brings PostgreSQL's sequences in line with what was written; a written number restarts, also when it is the
 * same.
 */
async function renumber(
  env: Environment,
  before: readonly Standing[],
  after: readonly Standing[],
  vals: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const row of after) {
    assertStep(row.number_increment)
    const was = before.find((other) => other.id === row.id)
    if (row.implementation === 'no_gap') {
      if (was?.implementation === 'standard') await dropGenerators(env, sourcesOf(row))
      continue
    }
    if (was?.implementation === 'no_gap') {
      await makeGenerators(env, [
        { source: sourceOf(row.id), next: row.number_next, step: row.number_increment },
        ...row.date_range_ids.map((range, i) => ({
          source: rangesOf(row)[i] as Source,
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
 * The next numbers of the sequence with this code, of the current company before those of none; null when
 * there is none, and for a form that is only tried. Without ranges they are drawn in one statement.
 */
export async function nextNumbers(env: Environment, code: string, count: number): Promise<string[] | null> {
  return numbersFrom(
    env,
    sql`code = ${code} AND active AND (company_id = ${env.companyId}::int OR company_id IS NULL) ORDER BY company_id, id LIMIT 1`,
    count,
  )
}

/** The next numbers of a sequence by its id; null when it is gone, and for a form that is only tried. */
export function nextNumbersOf(env: Environment, sequence: number, count: number): Promise<string[] | null> {
  return numbersFrom(env, sql`id = ${sequence}::int`, count)
}

async function numbersFrom(env: Environment, which: Sql, count: number): Promise<string[] | null> {
  const [row] = await env.query(
    sql`SELECT id, implementation, prefix, suffix, COALESCE(padding, 0), COALESCE(use_date_range, false) FROM ir_sequence WHERE ${which}`,
  )
  // A number that is drawn is gone: none for a record that is undone at once.
  if (!row || inTrial(env)) return null
  const [id, implementation, prefix, suffix, padding, ranged] = row as [
    number,
    string,
    string | null,
    string | null,
    number,
    boolean,
  ]
  const texts: string[] = []
  if (ranged || implementation !== 'standard') {
    const sequence = env.sudo().model('ir.sequence').browse([id])
    while (texts.length < count) texts.push(await draw(sequence, null))
    return texts
  }
  const moments = momentsOf(env.tz, null, null, env.now())
  const parts = { prefix, suffix, padding }
  // Texts first: a broken prefix must not use up a number.
  numberText(parts, 0, moments)
  for (const number of await drawFast(env, sourceOf(id), count))
    texts.push(numberText(parts, number, moments))
  return texts
}

const drawn = ['implementation', 'prefix', 'suffix', 'padding', 'number_increment', 'use_date_range'] as const

/** The sequence with a code: of the current company before those of none. */
const sequenceOf = (sequences: Records<'ir.sequence'>, code: string) =>
  sequences.search(
    [
      ['code', '=', code],
      ['company_id', 'in', [sequences.env.companyId, false]],
    ],
    { order: 'company_id, id', limit: 1 },
  )

/**
 * The next number of one sequence as text, of the range that the date lies in where there are ranges. Throws
 * MissingError when it is gone.
 */
async function draw(sequences: Records<'ir.sequence'>, date: string | null): Promise<string> {
  const { env } = sequences
  const [row] = await sequences.load(drawn)
  if (!row) throw new MissingError('The sequence does not exist any more.')
  assertRange(date)
  const range = row.use_date_range ? await rangeFor(env, row.id, date) : null
  const moments = momentsOf(env.tz, date, range?.from ?? null, env.now())
  // Texts first: a broken prefix must not use up a number.
  numberText(row, 0, moments)
  const source = range?.source ?? sourceOf(row.id)
  const number =
    row.implementation === 'standard'
      ? ((await drawFast(env, source))[0] as number)
      : await drawWithoutGap(env, source, row.number_increment)
  return numberText(row, number, moments)
}

/**
 * Numbers without gaps from several sequences at once, in one statement: as many texts of each as are asked
 * for. Their rows stay locked until the call ends: whoever draws from them meanwhile starts over.
 */
export async function drawInRow(
  env: Environment,
  asked: ReadonlyMap<number, number>,
): Promise<Map<number, string[]>> {
  const rows = [...asked].map(([id, count]) => ({ id, count }))
  const drawn =
    await env.query(sql`UPDATE ir_sequence s SET number_next = s.number_next + x.count * s.number_increment
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, count int) WHERE s.id = x.id
    RETURNING s.id, s.number_next - x.count * s.number_increment, s.number_increment, s.prefix, s.suffix, COALESCE(s.padding, 0), x.count`)
  const field = env.def('ir.sequence').fields.get('number_next')
  if (field) env.unit.cache.forget(field, asked.keys())
  const moments = momentsOf(env.tz, null, null, env.now())
  return new Map(
    drawn.map((row) => {
      const [id, first, step, prefix, suffix, padding, count] = row as [
        number,
        number,
        number,
        string | null,
        string | null,
        number,
        number,
      ]
      return [
        id,
        Array.from({ length: count }, (_, i) =>
          numberText({ prefix, suffix, padding }, first + i * step, moments),
        ),
      ]
    }),
  )
}
