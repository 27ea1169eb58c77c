// Runs a job of many rows: chunk by chunk, each in one transaction with the progress of the job, so that a
// worker that takes it over resumes there.
import type { Databases } from '../../../databases/index.ts'
import { errorObject, ServiceError } from '../../../errors.ts'
import { flush } from '../../../models/compute/recompute.ts'
import type { Unit } from '../../../models/language/unit.ts'
import { sql } from '../../../sql/index.ts'
import { inDatabase, type Owner } from '../../calls/caller.ts'
import { contextOf, envOf, findMethod } from '../../calls/method.ts'
import { assertQueues, assertScope } from '../../calls/scope.ts'
import { transact } from '../../calls/transact.ts'
import { alone, assertHeld, type Claimed } from '../store.ts'
import { ResultLines, type Row, type RowCounts, rowsIn, upserted, zeroCounts } from './rows.ts'
import type { BulkWork } from './work.ts'

/** Rows of a unit of work; and where so many of them fail that these could not be found among the others. */
const [ROWS, FEW_ROWS] = [500, 64]

export interface BulkRun {
  readonly owner: Owner
  /** Reports the progress; returns whether the job is still this worker's. */
  readonly tell: (done: number) => Promise<boolean>
}

/** Does a job to its end, and ends it. Throws what is no matter of its rows. */
export async function doBulk(
  server: Databases,
  job: Claimed,
  work: BulkWork,
  { owner, tell }: BulkRun,
): Promise<void> {
  let [most, few] = [ROWS, 0]
  for (;;) {
    try {
      const step = await inDatabase(server, owner, (database, caller, standing) => {
        const bounded = !work.atomic
        return transact(database, caller, owner, { readonly: false, ...standing, bounded }, async (unit) => {
          const target = findMethod(database, caller.rights.registry.get(work.model), {
            model: work.model,
            method: 'upsert',
          })
          if (target.refusal) throw target.refusal
          assertQueues(caller)
          assertScope(caller, target.model, target.method)
          const env = envOf(unit, caller, contextOf(caller, {}), target.method)
          return stepOf(unit, job, work, {
            most,
            run: async (rows) => {
              const outcomes = await upserted(env, target, { id: job.id, work }, rows)
              await flush(env)
              return outcomes
            },
          })
        })
      })
      if (!(await tell(step.position)) || step.isOver) return
      if (few > 0 && --few === 0) most = ROWS
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      if (error.code === 'too_many' && most > FEW_ROWS && !work.atomic) {
        most = FEW_ROWS
        few = Math.ceil(ROWS / FEW_ROWS)
      } else if (typeof error.context.line === 'number') {
        const database = await server.database(owner.database)
        return await failedAt(alone(database), job, error)
      } else throw error
    }
  }
}

interface Step {
  readonly position: number
  readonly isOver: boolean
}

/** The next rows, or all of them where they are one transaction; and, with it, how far the job is. */
async function stepOf(
  unit: Unit,
  job: Claimed,
  { atomic }: BulkWork,
  { most, run }: { readonly most: number; readonly run: (rows: readonly Row[]) => Promise<ResultLines> },
): Promise<Step> {
  const [place] = await unit.query(
    sql`SELECT position::float8, counts FROM comptoir_job WHERE id = ${job.id}::uuid AND lease_no = ${job.lease}::int`,
  )
  const [begin, before] = (place ?? [0, null]) as readonly [number, string | null]
  const all = new ResultLines(before === null ? zeroCounts : (JSON.parse(before) as RowCounts))
  let position = begin
  for (let isOver = false; ; ) {
    const rows = await rowsAt(unit, job.id, position, most)
    isOver = rows.length === 0
    if (!isOver) {
      all.add(await run(rows))
      position += rows.length
    }
    if (!isOver && atomic) {
      unit.cache.clear()
      continue
    }
    if (isOver) all.end()
    advance(unit, job, { position, telling: all, isOver })
    return { position, isOver }
  }
}

async function rowsAt(unit: Unit, id: string, position: number, most: number): Promise<Row[]> {
  const [chunk] = await unit.query(
    sql`SELECT n::float8, rows FROM comptoir_job_input WHERE job = ${id}::uuid AND n <= ${position}::bigint ORDER BY n DESC LIMIT 1`,
  )
  if (!chunk) return []
  const [n, text] = chunk as unknown as readonly [number, string]
  return rowsIn(text, position - n, most)
}

/** Leaves with COMMIT; rows that are done are not kept any longer. */
function advance(
  unit: Unit,
  job: Claimed,
  { position, telling, isOver }: Step & { readonly telling: ResultLines },
): void {
  const content = Buffer.from(telling.text)
  unit.send(sql`SELECT FROM res_users_apikeys WHERE key_hash = ${job.keyHash}::bytea FOR SHARE`)
  unit.send(sql`WITH moved AS (UPDATE comptoir_job SET position = ${position}::bigint, counts = ${JSON.stringify(telling.counts)}, attempts = 1,
      size = size + ${content.length}::int, state = ${isOver ? 'done' : 'running'}, status = ${isOver ? 200 : null}::int, finished = CASE WHEN ${isOver} THEN now() END
      WHERE id = ${job.id}::uuid AND lease_no = ${job.lease}::int AND state = 'running' RETURNING id, size - ${content.length}::int AS at)
    INSERT INTO comptoir_job_output (job, at, size, content) SELECT id, at, ${content.length}::int, ${content}::bytea FROM moved WHERE ${content.length}::int > 0`)
  unit.send(
    sql`DELETE FROM comptoir_job_input WHERE job = ${job.id}::uuid AND n + count <= ${position}::bigint`,
  )
  assertHeld(unit, job, isOver ? 'done' : 'running')
}

/** A row that ends the job: its report is the last one, and rows of earlier transactions are kept. */
async function failedAt(ask: ReturnType<typeof alone>, job: Claimed, error: ServiceError): Promise<void> {
  const [place] = await ask(sql`SELECT counts FROM comptoir_job WHERE id = ${job.id}::uuid`)
  const before = place?.[0] as string | null | undefined
  const telling = new ResultLines(before ? (JSON.parse(before) as RowCounts) : zeroCounts)
  telling.failed(error.context.line as number, errorObject(error))
  telling.end()
  const content = Buffer.from(telling.text)
  await ask(sql`WITH ended AS (UPDATE comptoir_job SET state = 'failed', status = ${error.status}::int, error = ${JSON.stringify(errorObject(error))}, code = ${error.code},
      size = size + ${content.length}::int, finished = now()
      WHERE id = ${job.id}::uuid AND lease_no = ${job.lease}::int AND state = 'running' RETURNING id, size - ${content.length}::int AS at),
    fed AS (DELETE FROM comptoir_job_input WHERE job IN (SELECT id FROM ended))
    INSERT INTO comptoir_job_output (job, at, size, content) SELECT id, at, ${content.length}::int, ${content}::bytea FROM ended`)
}
