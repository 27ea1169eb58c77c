// Idempotency keys: a call that may be sent again and happens once. Its answer is a row that commits with its
// effect (docs/decisions/0035).
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../databases/index.ts'
import { LockError, ServiceUnavailable, UnprocessableEntity } from '../../errors.ts'
import { fingerprintOf } from '../../kit/canonical.ts'
import { sha256Hex } from '../../kit/sha256.ts'
import { keepAnswer } from '../../models/changes/last.ts'
import type { AttachedCheck } from '../../models/language/deferred.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Row, Unit } from '../../models/language/unit.ts'
import { refusal } from '../../models/unit/refusing.ts'
import { isTwin } from '../../postgres/index.ts'
import { raw, type Statement, sql } from '../../sql/index.ts'
import type { Call } from '../request.ts'
import { shaping } from './answer-preferences.ts'
import { assertRoomToKeep, noteKept } from './stored-answers.ts'

/** Parts of a call that identify it: neither the envelope, nor the wire, nor the credential. */
export interface CallIdentity {
  readonly model: string
  readonly method: string
  readonly ids?: readonly number[]
  readonly params: unknown
  readonly context: unknown
  /** Preferences that shape the answer; absent for nearly all. */
  readonly form?: unknown
}

const NOTHING = { params: null, context: null }

/**
 * Identity of a call. A call that takes values from earlier calls of its batch is identified by what those
 * were asked, because they may answer differently once it was done.
 */
export const identityOf = (
  { asks, fingerprint }: Pick<Call, 'asks' | 'fingerprint'>,
  { model, method }: { readonly model: ModelDef; readonly method: MethodDef },
  bound: Pick<CallIdentity, 'ids' | 'params' | 'context'> = NOTHING,
): CallIdentity => ({
  model: model.name,
  method: method.name,
  ...(fingerprint === undefined ? bound : { ...NOTHING, params: fingerprint }),
  form: asks ? shaping(asks, method) : undefined,
})

/** The first of two numbers of an advisory lock: keys of this kind and nothing else. */
const LOCKS = 0x49444d50
/** Bytes of an answer that is kept. */
const MOST_KEPT = 1024 * 1024
const [RUNNING, DONE] = [1, 2]

/**
 * Hours that answers are stored, by the parameter; a day at least, because a client that retries may have
 * been offline over night.
 */
const hours = sql`GREATEST(24, COALESCE((SELECT value::int FROM ir_config_parameter
  WHERE key = 'comptoir.idempotency_hours' AND value ~ '^\\d{1,6}$'), 168)) * interval '1 hour'`

/**
 * Another call with the key is running, or was done. A text of its own: calls with a key that ask for
 * something before their end send it, in one statement with the check of the credential.
 */
const CHECK =
  sql`(CASE WHEN NOT pg_try_advisory_xact_lock(${raw(String(LOCKS))}, $1::int) THEN ${refusal(RUNNING)}
  WHEN EXISTS (SELECT FROM comptoir_idempotency WHERE uid = $2::int AND key_hash = $3::bytea) THEN ${refusal(DONE)} END)::int`.compile()
    .text

/** The first half of it: where the row of the answer comes next, that row finds what was done. */
const IS_RUNNING =
  sql`(CASE WHEN NOT pg_try_advisory_xact_lock(${raw(String(LOCKS))}, $1::int) THEN ${refusal(RUNNING)} END)::int`.compile()
    .text

/** The call was done before. Never reaches a client: the answer that was kept does. */
export class Done extends Error {
  /** Gives the row of the earlier call; one that is past its time goes. */
  readonly row: Statement
  rows: readonly Row[] = []

  constructor(row: Statement) {
    super('This call already took effect.')
    this.row = row
  }

  with(rows: readonly Row[]): this {
    this.rows = rows
    return this
  }
}

/**
 * The connection broke while COMMIT was on its way: the row shows whether it arrived. Never reaches a
 * client.
 */
export class CommitLost extends Error {}

/** One attempt at a call with a key. */
export class Ticket {
  readonly #database: Database
  readonly #uid: number
  /** In hexadecimal digits, as the fingerprint. */
  readonly #hash: string
  readonly #check: AttachedCheck
  readonly #ahead: AttachedCheck
  #call: CallIdentity | undefined
  #fingerprint = ''
  #isKept = false

  constructor(database: Database, uid: number, key: string) {
    this.#database = database
    this.#uid = uid
    this.#hash = sha256Hex(key)
    const lock = Number.parseInt(this.#hash.slice(0, 8), 16) ^ uid
    const refusal = (wrong: number) => (wrong === RUNNING ? inProgress() : new Done(this.#row))
    this.#check = { column: CHECK, values: [lock, uid, `\\x${this.#hash}`], refusal }
    this.#ahead = { column: IS_RUNNING, values: [lock], refusal }
  }

  get #mine() {
    return sql`uid = ${this.#uid}::int AND key_hash = ${`\\x${this.#hash}`}::bytea`
  }

  /** Whether the answer leaves, or left, with COMMIT. */
  get isKept(): boolean {
    return this.#isKept
  }

  /**
   * Sends the check that can only refuse: another call with the key is running, or was done. Throws
   * PayloadTooLarge where no further answer may be kept.
   */
  present(unit: Unit, call: CallIdentity): void | Promise<void> {
    this.#call = call
    // Now, while the parameters are as they came.
    const { model, method, ids = [], params, context, form } = call
    const pending = fingerprintOf({ model, method, ids, params, context, form })
    return typeof pending === 'string'
      ? this.#send(unit, pending)
      : pending.then((fingerprint) => this.#send(unit, fingerprint))
  }

  /** As `present`, and waits for what is found. Throws Done. */
  async look(unit: Unit, call: CallIdentity): Promise<void> {
    await this.present(unit, call)
    await unit.query(sql`SELECT 1`)
  }

  #send(unit: Unit, fingerprint: string): void | Promise<void> {
    this.#fingerprint = fingerprint
    unit.credential.post(this.#check)
    // After the check: a call that was done is answered although there is no room for more.
    return assertRoomToKeep(this.#database, unit, this.#uid)
  }

  /** The stored answer; an expired one is deleted. */
  get #row(): Statement {
    return sql`WITH old AS (DELETE FROM comptoir_idempotency WHERE ${this.#mine} AND created < now() - ${hours})
      SELECT fingerprint, kept, answer FROM comptoir_idempotency WHERE ${this.#mine} AND created >= now() - ${hours}`.compile()
  }

  withdraw(unit: Unit): void {
    for (const check of [this.#check, this.#ahead]) unit.credential.withdraw(check)
  }

  /** Done for a failed insert of the answer's row, which means that the call was done; else the failure. */
  outcomeOf(failure: unknown): unknown {
    return isTwin(failure) ? new Done(this.#row) : failure
  }

  /**
   * Keeps the answer; it leaves with COMMIT. A secret, or what is too long, is not kept: only that it was
   * given. `atLast`: the answer as it is to be said once COMMIT is about to leave.
   */
  keep(unit: Unit, json: string, isSecret: boolean, atLast = (): string => json): void {
    const call = this.#call
    if (!call) return
    const bytes = Buffer.byteLength(json)
    const kept = !isSecret && bytes <= MOST_KEPT
    this.#isKept = true
    unit.insertions.note('comptoir_idempotency', 1)
    // Before it is known whether it commits: what is added up only says when to count.
    noteKept(this.#database, this.#uid, kept ? bytes : 0)
    const by = { key: this.#hash, fingerprint: this.#fingerprint }
    const make = () => keepAnswer(this.#uid, by, call, kept ? atLast() : null)
    unit.ending.claim = { check: this.#check, ahead: this.#ahead, make }
  }

  /**
   * The answer of the call that was done. Throws UnprocessableEntity where that was another call, LockError
   * where its answer was not kept.
   */
  answer({ rows: [row] }: Done): string {
    // It was past its time, and is gone now.
    if (!row) throw new ServiceUnavailable('The key is free again.', { repeats: true })
    const [fingerprint, kept, json] = row as [Buffer, boolean, string]
    if (this.#fingerprint !== fingerprint.toString('hex'))
      throw new UnprocessableEntity('This Idempotency-Key was used for another call.', {
        code: 'idempotency_key_reused',
      })
    if (!kept)
      throw new LockError('The call with this Idempotency-Key took effect. Its answer was not kept.', {
        code: 'idempotency_answer_not_kept',
      })
    return json
  }
}

const inProgress = () =>
  new LockError('A call with this Idempotency-Key is still running.', {
    code: 'idempotency_in_progress',
    retryAfter: 1,
  })

/** Milliseconds during which the outcome of a COMMIT is looked for, and between two attempts. */
const [PATIENCE, PAUSE] = [5000, 100]

/**
 * Runs `run`, and again where the connection broke in the middle of COMMIT, until the row says what became of
 * it. Throws LockError where that takes too long.
 */
export const retryUntilKnown = <T>(run: () => Promise<T>): Promise<T> =>
  run().catch((error: unknown) => settledAfter(run, error))

async function settledAfter<T>(run: () => Promise<T>, first: unknown): Promise<T> {
  if (!(first instanceof CommitLost)) throw first
  const until = performance.now() + PATIENCE
  for (;;) {
    if (performance.now() > until) throw inProgress()
    await sleep(PAUSE)
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof CommitLost) && !isPassing(error)) throw error
    }
  }
}

/** The backend of before holds its lock still, or the server is not there yet. */
const isPassing = (error: unknown) =>
  error instanceof ServiceUnavailable ||
  (error instanceof LockError && error.code === 'idempotency_in_progress')
