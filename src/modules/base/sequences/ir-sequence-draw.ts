// Drawing from sequences: the next numbers as texts, of ranges of dates where there are some.

import { inTrial } from '#engine'
import type { Environment, ModelName, Records } from '#models'
import { MissingError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { type Sql, sql } from '../../../sql/index.ts'
import { assertRange, rangeFor } from './ir-sequence-date-range.ts'
import { drawGapless, drawWithGaps, generatorIn } from './ir-sequence-numbers.ts'
import { sourceOf } from './ir-sequence-renumber.ts'
import { momentsOf, numberText } from './ir-sequence-text.ts'

/**
 * The next numbers of the sequence with this code; a sequence of the current company precedes one
 * without a company. Null if the sequence does not exist, and during onchange. Without ranges one
 * statement draws them all.
 */
export async function nextNumbers(env: Environment, code: string, count: number): Promise<string[] | null> {
  return numbersFrom(
    env,
    sql`code = ${code} AND active AND (company_id = ${env.companyId}::int OR company_id IS NULL) ORDER BY company_id, id LIMIT 1`,
    count,
  )
}

/**
 * The next numbers of a sequence by its id, or a query of it; null when it is gone, and for a form that is
 * only tried.
 */
export function nextNumbersOf(
  env: Environment,
  sequence: number | { readonly query: Sql; readonly reads: readonly ModelName[] },
  count: number,
): Promise<string[] | null> {
  return typeof sequence === 'number'
    ? numbersFrom(env, sql`id = ${sequence}::int`, count)
    : numbersFrom(env, sql`id = (${sequence.query})`, count, sequence.reads)
}

/**
 * The sequence and, where PostgreSQL counts for it, its next numbers: one statement. Others are drawn one by
 * one.
 */
async function numbersFrom(
  env: Environment,
  which: Sql,
  count: number,
  reads: readonly ModelName[] = [],
): Promise<string[] | null> {
  // A number that is drawn is gone: none for a record that is undone at once.
  const trial = inTrial(env)
  const [row] = await env.rows(
    sql`SELECT id, prefix, suffix, COALESCE(padding, 0), CASE WHEN ${!trial} AND implementation = 'standard' AND use_date_range IS NOT TRUE
      THEN to_jsonb(ARRAY(SELECT nextval(${generatorIn(sql`id`)}::regclass) FROM generate_series(1, (SELECT ${count}::int)))) END
    FROM (SELECT * FROM ir_sequence WHERE ${which}) AS s`,
    { reads: ['ir.sequence', ...reads], row: ['int', 'text?', 'text?', 'int', 'text?'] },
  )
  if (!row || trial) return null
  const [id, prefix, suffix, padding, numbers] = row
  if (numbers) {
    const moments = momentsOf(env.tz, null, null, env.now())
    return (JSON.parse(numbers) as number[]).map((number) =>
      numberText({ prefix, suffix, padding }, number, moments),
    )
  }
  const texts: string[] = []
  const sequence = env.sudo().model('ir.sequence').browse([id])
  while (texts.length < count) texts.push(await draw(sequence, null))
  return texts
}

/** Fields that `draw` reads. */
export const drawnPaths = [
  'implementation',
  'prefix',
  'suffix',
  'padding',
  'number_increment',
  'use_date_range',
] as const

/**
 * The next number of one sequence as text, of the range that the date lies in where there are ranges. Throws
 * MissingError when it is gone.
 */
export async function draw(sequences: Records<'ir.sequence'>, date: string | null): Promise<string> {
  const { env } = sequences
  const [row] = await sequences.load(drawnPaths)
  if (!row) throw new MissingError('The sequence no longer exists.')
  assertRange(date)
  const range = row.use_date_range ? await rangeFor(env, row.id, date) : null
  const moments = momentsOf(env.tz, date, range?.from ?? null, env.now())
  // Texts first: a broken prefix must not use up a number.
  numberText(row, 0, moments)
  const source = range?.source ?? sourceOf(row.id)
  const number =
    row.implementation === 'standard'
      ? present((await drawWithGaps(env, source))[0])
      : await drawGapless(env, source, row.number_increment)
  return numberText(row, number, moments)
}

/**
 * Numbers without gaps from several sequences in one statement: as many texts of each as are requested.
 * The rows stay locked until the call ends: other calls that draw from them in the meantime start over.
 */
export async function drawGaplessTexts(
  env: Environment,
  counts: ReadonlyMap<number, number>,
): Promise<Map<number, string[]>> {
  const rows = [...counts].map(([id, count]) => ({ id, count }))
  const drawn = await env.rows(
    sql`UPDATE ir_sequence s SET number_next = s.number_next + x.count * s.number_increment
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, count int) WHERE s.id = x.id
    RETURNING s.id, s.number_next - x.count * s.number_increment, s.number_increment, s.prefix, s.suffix, COALESCE(s.padding, 0), x.count`,
    { reads: ['ir.sequence'], row: ['int', 'int', 'int', 'text?', 'text?', 'int', 'int'] },
  )
  const field = env.def('ir.sequence').fields.get('number_next')
  if (field) env.unit.cache.forget(field, counts.keys())
  const moments = momentsOf(env.tz, null, null, env.now())
  return new Map(
    drawn.map((row) => {
      const [id, first, step, prefix, suffix, padding, count] = row
      return [
        id,
        Array.from({ length: count }, (_, i) =>
          numberText({ prefix, suffix, padding }, first + i * step, moments),
        ),
      ]
    }),
  )
}
