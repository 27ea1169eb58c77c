// Rows that are to be made records later: stored as they come, in chunks of which each will be one unit of
// work.
import { createHash, type Hash } from 'node:crypto'
import type { Database, Databases } from '../../../databases/index.ts'
import { BadRequest, UnprocessableEntity } from '../../../errors.ts'
import { canonical } from '../../../kit/canonical.ts'
import { Pace } from '../../../kit/pace.ts'
import { hashKey } from '../../../kit/secrets.ts'
import { sha256 } from '../../../kit/sha256.ts'
import { traceNow } from '../../../kit/watch/index.ts'
import { beyond, limits } from '../../../limits.ts'
import { assertModel } from '../../../models/rights/judge.ts'
import { upsertKeyOf } from '../../../models/transfer/upsert/key.ts'
import { sqlState } from '../../../postgres/index.ts'
import { sql } from '../../../sql/index.ts'
import { assertMeant } from '../../calls/answer-preferences.ts'
import { inDatabase, type Owner } from '../../calls/caller.ts'
import { contextOf, envOf, findMethod } from '../../calls/method.ts'
import { assertKeyed } from '../../calls/rules.ts'
import { assertQueues, assertScope } from '../../calls/scope.ts'
import { transact } from '../../calls/transact.ts'
import type { RequestPreferences } from '../../request.ts'
import { assertFewWait, keyReused, newId } from '../ids.ts'
import { alone, type Queued } from '../store.ts'
import { type BulkWork, RESULT_TYPE } from './work.ts'

interface Request extends Owner {
  readonly asks?: RequestPreferences | null | undefined
  readonly work: Omit<BulkWork, 'kind'>
}

/** A row as it is kept: JSON, and the line that it stood in. */
interface KeptRow {
  readonly line: number
  readonly text: string
}

/** Rows and characters of a chunk: what is made records in one transaction. */
const [CHUNK_ROWS, CHUNK_TEXT] = [500, 4 * 1024 ** 2]
/** Rows that may be one transaction. */
const ATOMIC_ROWS = 50_000

/**
 * Begins a job whose rows are still to come. Throws what its rows would be refused for altogether: unknown
 * models and keys, missing rights.
 */
export function receiveBulk(server: Databases, request: Request): Promise<Receiving> {
  const { credential, asks } = request
  if (credential.kind !== 'key') throw new BadRequest('Jobs require an API key.')
  const work: BulkWork = { kind: 'bulk', ...request.work }
  const hash = hashKey(credential.key)
  return inDatabase(server, request, (database, caller, standing) =>
    transact(database, caller, request, { readonly: false, ...standing }, async (unit) => {
      assertQueues(caller)
      assertMeant(asks, 'rows of a job')
      if (asks?.dryRun) throw new BadRequest('Dry run is not supported for bulk imports.')
      const target = findMethod(database, caller.rights.registry.get(work.model), {
        model: work.model,
        method: 'upsert',
      })
      if (target.refusal) throw target.refusal
      const { model, method } = target
      assertScope(caller, model, method)
      assertKeyed(database, caller, request, model, method)
      const env = envOf(unit, caller, contextOf(caller, {}), null)
      if (!unit.rights.mayModel(env.user, model, 'write')) assertModel(env, model, 'create')
      upsertKeyOf(env, model, work.key)
      await assertFewWait(unit, caller)
      const [row] =
        await unit.query(sql`SELECT COALESCE(sum(octet_length(i.rows)), 0)::float8 FROM comptoir_job j
        JOIN comptoir_job_input i ON i.job = j.id WHERE j.uid = ${env.uid}::int`)
      const id = newId()
      const trace = traceNow()
      const call = JSON.stringify({ work, asks: { ...(trace && { trace }), from: request.remote } })
      unit.send(
        sql`INSERT INTO comptoir_job (id, uid, key_hash, call, state, type) VALUES (${id}::uuid, ${env.uid}::int, ${hash}::bytea, ${call}, 'receiving', ${RESULT_TYPE})`,
      )
      const stored = Number(row?.[0] ?? 0)
      return new Receiving(database, { id, uid: env.uid, work, key: asks?.key, stored })
    }),
  )
}

interface Begun {
  readonly id: string
  readonly uid: number
  readonly work: BulkWork
  readonly key: string | undefined
  /** Bytes of rows that the user's other jobs hold. */
  readonly stored: number
}

/** A job whose rows are arriving. Its holder has to end it, by `done` or `abandon`. */
export class Receiving {
  readonly #database: Database
  readonly #begun: Begun
  readonly #hash: Hash
  #bytes: number
  #waiting: string[] = []
  #length = 0
  /** Rows that are kept. */
  #rows = 0

  constructor(database: Database, begun: Begun) {
    this.#database = database
    this.#begun = begun
    this.#bytes = begun.stored
    this.#hash = createHash('sha256').update(canonical(JSON.parse(JSON.stringify(begun.work))))
  }

  /** Throws PayloadTooLarge for more rows or bytes than there may be. */
  async add(rows: Iterable<KeptRow>): Promise<void> {
    const pace = new Pace()
    for (const { line, text } of rows) {
      this.#hash.update(`${text}\n`)
      this.#waiting.push(`${line}\t${text}`)
      this.#length += text.length
      if (this.#waiting.length >= CHUNK_ROWS || this.#length >= CHUNK_TEXT) await this.#store()
      if (pace.due) await pace.step()
    }
  }

  async #store(): Promise<void> {
    const [count, text] = [this.#waiting.length, this.#waiting.join('\n')]
    if (count === 0) return
    this.#bytes += Buffer.byteLength(text)
    if (this.#rows + count > limits['bulk-rows']) throw beyond('bulk-rows')
    if (this.#bytes > limits['bulk-bytes']) throw beyond('bulk-bytes')
    if (this.#begun.work.atomic && this.#rows + count > ATOMIC_ROWS)
      throw new UnprocessableEntity(
        `Too many rows for one transaction: at most ${ATOMIC_ROWS}. Send them in parts, or without atomic.`,
        {
          code: 'too_many',
        },
      )
    await alone(this.#database)(
      sql`INSERT INTO comptoir_job_input (job, n, count, rows) VALUES (${this.#begun.id}::uuid, ${this.#rows}::bigint, ${count}::int, ${text})`,
    )
    this.#rows += count
    this.#waiting = []
    this.#length = 0
  }

  /**
   * All rows are here: the job waits for its turn. Gives it, or the earlier one that its Idempotency-Key was
   * used for. Throws UnprocessableEntity where that had other rows.
   */
  async done(): Promise<Queued> {
    await this.#store()
    const { id, uid, key } = this.#begun
    const named = key === undefined ? null : sha256(key)
    const fingerprint = this.#hash.digest()
    try {
      await alone(this.#database)(
        sql`WITH queued AS (UPDATE comptoir_job SET state = 'queued', named = ${named}::bytea, fingerprint = ${fingerprint}::bytea, created = now()
            WHERE id = ${id}::uuid RETURNING id)
          INSERT INTO comptoir_job_lease (job, until, total) SELECT id, now(), ${this.#rows}::bigint FROM queued`,
      )
      return { id, isNew: true, state: 'queued' }
    } catch (error) {
      if (named === null || sqlState(error) !== '23505') throw error
      const [row] = await alone(this.#database)(
        sql`SELECT id::text, fingerprint, state FROM comptoir_job WHERE uid = ${uid}::int AND named = ${named}::bytea`,
      )
      await this.abandon()
      const [earlier, earlierFingerprint, state] = (row ?? [id, null, 'queued']) as readonly [
        string,
        Buffer | null,
        Queued['state'],
      ]
      if (!earlierFingerprint?.equals(fingerprint)) throw keyReused()
      return { id: earlier, isNew: false, state }
    }
  }

  /** The body broke off, or was refused. */
  async abandon(): Promise<void> {
    await alone(this.#database)(sql`DELETE FROM comptoir_job WHERE id = ${this.#begun.id}::uuid`)
  }
}
