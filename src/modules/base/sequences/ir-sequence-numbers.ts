// Numbers of sequences: PostgreSQL sequences where gaps may be, a locked row where none may be.

import type { Environment } from '#models'
import { MissingError, UserError } from '../../../errors.ts'
import { only } from '../../../kit/present.ts'
import { id, join, raw, type Sql, sql } from '../../../sql/index.ts'

/** Numbers may go below zero and backwards, as far as numbers of clients reach. */
const BOUNDS = raw(`MINVALUE ${Number.MIN_SAFE_INTEGER} MAXVALUE ${Number.MAX_SAFE_INTEGER}`)

/** Source of numbers: a sequence, or one of its date ranges. Both tables have `number_next`. */
export interface Source {
  readonly table: 'ir_sequence' | 'ir_sequence_date_range'
  readonly id: number
  /** The sequence of a range. */
  readonly of?: number
}

/** Name of the PostgreSQL sequence. */
export function generatorOf({ id: rowId, of }: Source): string {
  const three = (n: number) => String(n).padStart(3, '0')
  return of === undefined ? `ir_sequence_${three(rowId)}` : `ir_sequence_${three(of)}_${three(rowId)}`
}

/** The same in SQL, of a sequence without ranges whose id an expression gives. */
export const generatorIn = (rowId: Sql): Sql =>
  sql`('"ir_sequence_' || lpad(${rowId}::text, GREATEST(3, length(${rowId}::text)), '0') || '"')`

export interface Numbering {
  readonly source: Source
  readonly next: number
  readonly step: number
}

/**
 * Makes PostgreSQL sequences. Throws UserError for a step of zero, PayloadTooLarge for too many of them: each
 * takes a lock until the call ends.
 */
export async function makeGenerators(env: Environment, numberings: readonly Numbering[]): Promise<void> {
  env.unit.quota.charge('definitions', numberings.length)
  for (const { source, next, step } of numberings) {
    assertStep(step)
    await env.execute(sql`CREATE SEQUENCE IF NOT EXISTS ${id(generatorOf(source))} INCREMENT BY ${raw(whole(step))}
      ${BOUNDS} START WITH ${raw(whole(next))}`)
  }
}

/** Restarts PostgreSQL sequences at `next`, where given, and changes their step. */
export async function changeGenerators(
  env: Environment,
  sources: readonly Source[],
  { next, step }: { readonly next?: number | undefined; readonly step?: number | undefined },
): Promise<void> {
  if (step !== undefined) assertStep(step)
  const changes: Sql[] = []
  if (step !== undefined) changes.push(sql`INCREMENT BY ${raw(whole(step))}`)
  if (next !== undefined) changes.push(sql`RESTART WITH ${raw(whole(next))}`)
  if (changes.length === 0) return
  for (const source of sources)
    await env.execute(sql`ALTER SEQUENCE IF EXISTS ${id(generatorOf(source))} ${join(changes, ' ')}`)
}

export async function dropGenerators(env: Environment, sources: readonly Source[]): Promise<void> {
  env.unit.quota.charge('definitions', sources.length)
  if (sources.length)
    await env.execute(sql`DROP SEQUENCE IF EXISTS ${join(sources.map((source) => id(generatorOf(source))))}`)
}

/** Draws the next numbers, which are never given back: gaps are possible, waiting is not. */
export async function drawWithGaps(env: Environment, source: Source, count = 1): Promise<number[]> {
  const rows = await env.rows(
    sql`SELECT nextval(${`"${generatorOf(source)}"`}::regclass)::float8 FROM generate_series(1, (SELECT ${count}::int))`,
    { reads: [], row: ['float'] },
  )
  return rows.map((row) => row[0])
}

/** Draws the next number under the lock of its row: no gaps, and the next caller waits or starts over. */
export async function drawGapless(env: Environment, source: Source, step: number): Promise<number> {
  const rows = await env.rows(
    sql`UPDATE ${id(source.table)} SET number_next = number_next + ${step}::int
    WHERE id = ${source.id}::int RETURNING number_next - ${step}::int`,
    { reads: ['ir.sequence', 'ir.sequence.date_range'], row: ['int'] },
  )
  env.unit.cache.clear()
  if (rows.length === 0) throw new MissingError('The sequence no longer exists.')
  return only(rows)[0]
}

/** The number that comes next, by source id; each source has its step. */
export async function upcoming(
  env: Environment,
  sources: readonly (Source & { readonly step: number; readonly next: number; readonly gaps: boolean })[],
): Promise<Map<number, number>> {
  const names = sources.filter((s) => s.gaps).map(generatorOf)
  const rows = names.length
    ? await env.rows(
        sql`SELECT sequencename, last_value::float8 FROM pg_sequences
        WHERE schemaname = current_schema() AND sequencename = ANY(${names}::text[])`,
        { reads: [], row: ['text', 'float?'] },
      )
    : []
  const last = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map(
    sources.map((source) => {
      // Without a last value nothing was drawn since the start: that is what was set.
      const drawn = source.gaps ? (last.get(generatorOf(source)) ?? null) : null
      return [source.id, drawn === null ? source.next : drawn + source.step]
    }),
  )
}

/** Throws UserError for a step that would repeat one number for ever. */
export function assertStep(step: number): void {
  if (step === 0) throw new UserError('Step must not be zero.')
}

/** Digits for statements that take no parameters. */
function whole(value: number): string {
  return String(Math.trunc(value))
}
