// Keys of a job's rows, each of which may occur once in the job: stored in a table, because there may be
// millions, and because a worker that takes the job over needs them.
import { ServiceError, UnprocessableEntity } from '../../../errors.ts'
import { sha256 } from '../../../kit/sha256.ts'
import type { ModelDef } from '../../../models/language/definitions.ts'
import type { Environment } from '../../../models/language/environment.ts'
import { comparableKey, type Key, keyValuesOf } from '../../../models/transfer/upsert/key.ts'
import { sql } from '../../../sql/index.ts'
import type { Ask } from '../store.ts'

/** A row that can be read, with the line that it stood in. */
export interface ReadRow {
  readonly line: number
  readonly vals: Record<string, unknown>
}

/**
 * Notes the keys of rows, in the transaction that makes these records. Gives the refusals of those whose key
 * a row before them has, in this portion or one before, by line.
 */
export async function refuseRepeatedKeys(
  { env, model, key, job }: { env: Environment; model: ModelDef; key: Key; job: string },
  rows: readonly ReadRow[],
): Promise<Map<number, ServiceError>> {
  const refusals = new Map<number, ServiceError>()
  const first = new Map<string, number>()
  for (const { line, vals } of rows) {
    const mark = markOf(env, model, key, vals)
    if (mark === null) continue
    const before = first.get(mark)
    if (before === undefined) first.set(mark, line)
    else refusals.set(line, refusal(before))
  }
  if (first.size === 0) return refusals
  const earlierRows = (await env.unit.query(
    sql`SELECT key::text, line::float8 FROM comptoir_job_key WHERE job = ${job}::uuid AND key = ANY(${[...first.keys()]}::uuid[])`,
  )) as unknown as readonly (readonly [string, number])[]
  for (const [mark, before] of earlierRows) {
    refusals.set(first.get(mark) ?? 0, refusal(before))
    first.delete(mark)
  }
  env.unit.send(
    sql`INSERT INTO comptoir_job_key (job, key, line) SELECT ${job}::uuid, * FROM unnest(${[...first.keys()]}::uuid[], ${[...first.values()]}::bigint[])`,
  )
  return refusals
}

/** Sixteen bytes that stand for a row's key, as a UUID; null where it has none, or none that can be read. */
function markOf(env: Environment, model: ModelDef, key: Key, vals: Record<string, unknown>): string | null {
  try {
    const same = comparableKey(keyValuesOf(env, model, key, vals))
    return same === null
      ? null
      : sha256(same)
          .toString('hex', 0, 16)
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  } catch (error) {
    // A row that is wrong in itself is reported when its record is created.
    if (error instanceof ServiceError) return null
    throw error
  }
}

const refusal = (before: number): ServiceError =>
  new UnprocessableEntity(`The row in line ${before} has the same key.`, { code: 'duplicate_key' })

/** Keys that one statement forgets. */
const AT_MOST = 20_000

/** Forgets the keys of a job that is over. */
export async function forgetKeys(ask: Ask, job: string): Promise<void> {
  for (let some = AT_MOST; some === AT_MOST; ) {
    const [row] = await ask(sql`WITH gone AS (DELETE FROM comptoir_job_key WHERE job = ${job}::uuid
        AND key IN (SELECT key FROM comptoir_job_key WHERE job = ${job}::uuid LIMIT ${AT_MOST}::int)
        AND NOT EXISTS (SELECT FROM comptoir_job WHERE id = ${job}::uuid AND state IN ('queued', 'running')) RETURNING 1)
      SELECT count(*)::int FROM gone`)
    some = Number(row?.[0] ?? 0)
  }
}
