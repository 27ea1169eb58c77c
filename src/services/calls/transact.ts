// The transaction of one call: its unit of work, the credential that is checked along with it, its end, and
// what becomes of failures.
import { AddressGuard, type Caller } from '../../access/index.ts'
import type { Database } from '../../databases/index.ts'
import { ServiceError, ServiceUnavailable } from '../../errors.ts'
import type { UnitOptions } from '../../models/unit/options.ts'
import { UnitOfWork } from '../../models/unit/unit.ts'
import { isConnectionLost } from '../../postgres/index.ts'
import { stopIfAbandoned } from '../abandoned-calls.ts'
import { connectionLostError, translatedError } from '../failures.ts'
import type { Call } from '../request.ts'
import { keepingNone } from './call-preferences.ts'
import type { Owner, Standing } from './caller.ts'
import { CommitLost, Done, type Ticket } from './idempotency.ts'
import type { Target } from './method.ts'
import { type Elsewhere, endingOf } from './replica-calls.ts'

/** Properties of a call's transaction. */
export interface Kind
  extends Pick<
    UnitOptions,
    | 'readonly'
    | 'inLane'
    | 'turns'
    | 'sole'
    | 'follows'
    | 'timed'
    | 'takesLong'
    | 'noted'
    | 'isOptimistic'
    | 'defers'
  > {
  /** The key that makes it happen once. */
  readonly ticket?: Ticket | null
  /** False: the server's own bounds of a call do not count, for work that has others. */
  readonly bounded?: boolean
  /** When its client began to wait; absent where no client waits. */
  readonly since?: number | undefined
  /** Nothing stays. */
  readonly rehearsed?: boolean
  /**
   * Whether it reports the server's position although it only reads: a job's end is its caller's own commit.
   */
  readonly tellsPosition?: boolean
  /** Whether it will be done once more after it failed so: it is no use of the key yet. */
  readonly repeats?: ((failure: unknown) => boolean) | undefined
  /** In the place of the primary server. */
  readonly elsewhere?: Elsewhere | undefined
}

/** Place of a call among others, and where and how it runs. */
export type Where = Standing & {
  readonly elsewhere?: Elsewhere
  /** The optimistic assertions failed: run with all checks done up front. */
  readonly isPessimistic?: boolean
}

/** Whether a call has no preferences except for an idempotency key. A dry run is a preference. */
export const hasNoPreferences = (asks: Call['asks']): boolean =>
  !asks || (asks.onlyKey === true && asks.dryRun !== true)

/** The properties of the transaction for a request. */
export function kindOf(request: Call, { method }: Target, record: Ticket | null, standing: Where): Kind {
  const { asks, job } = request
  // One plain read, of a method that nothing is wrapped around; rows and their versions are of one moment.
  const isPlain = !asks?.etag && !asks?.count && method?.module === 'core' && !method.wrapped
  const readonly = (method?.readonly ?? true) && !job
  const timed = request.timing !== undefined
  const isSimple = !readonly && !timed && !job && !standing.elsewhere
  const isOptimistic = isSimple && !standing.isPessimistic && hasNoPreferences(asks)
  return {
    // The end of a job is written with what it read.
    readonly,
    rehearsed: asks?.dryRun === true,
    sole: isPlain && !job,
    timed,
    isOptimistic,
    defers: isOptimistic && method?.module === 'core' && method.name === 'create',
    ticket: record,
    takesLong: isPlain && !record && !asks?.page && request.pieces === true,
    inLane: standing.inLane,
    turns: standing.turns,
    since: standing.since,
    elsewhere: standing.elsewhere,
  }
}

/**
 * Runs `work` in a transaction of the caller's. Throws what it throws, in the words of the models, once it is
 * known that the credential holds.
 */
export async function transact<T>(
  database: Database,
  caller: Caller,
  owner: Owner,
  kind: Kind,
  work: (unit: UnitOfWork) => Promise<T>,
): Promise<T> {
  const { remote, userAgent, gone, asks } = owner
  const { readonly, rehearsed, elsewhere, since = Number.POSITIVE_INFINITY } = kind
  if (!readonly && database.gate.isShut) await database.gate.pass()
  let guard: AddressGuard | undefined
  const lasts = (!readonly || kind.tellsPosition) && !rehearsed
  const ending = lasts ? endingOf(database, asks) : null
  const unit = new UnitOfWork(elsewhere?.pool ?? database.pool, caller.rights.registry, caller.rights, {
    readonly,
    inLane: kind.inLane,
    turns: kind.turns,
    sole: kind.sole,
    follows: kind.follows,
    timed: kind.timed,
    takesLong: kind.takesLong,
    isOptimistic: kind.isOptimistic,
    defers: kind.defers,
    noted: kind.noted,
    credentialQuery: caller.credentialQuery,
    holder: caller.profile.id,
    guard: () => (guard ??= guardOf(database, caller, owner)),
    tell: database.tell,
    changed: rehearsed ? null : database.changed,
    files: rehearsed ? keepingNone(database.files) : database.files,
    bounded: kind.bounded ?? true,
    gone,
    opened: elsewhere?.opened,
    committed: ending?.committed,
  })
  try {
    const link = gone && stopIfAbandoned(unit, gone, since)
    let result: T
    try {
      result = await work(unit)
    } finally {
      link?.leave()
    }
    // The work may have gone on after its credential was refused: that refusal is thrown here.
    if (unit.mustVerify) await unit.verify()
    if (rehearsed) await unit.rehearse()
    else if (!unit.endAtOnce()) await unit.commit()
    database.callers.noteUse(caller, remote, userAgent)
    await ending?.tell()
    return result
  } catch (caught) {
    throw await undone(unit, caught, { database, caller, owner, kind })
  } finally {
    if (guard?.concerned) await guard.settle()
  }
}

const guardOf = ({ callers }: Database, { expected }: Caller, { credential, remote }: Owner): AddressGuard =>
  new AddressGuard(callers.attemptQueue, {
    address: remote,
    keyId: expected.key?.id ?? null,
    session: credential.kind === 'session' ? credential.token : null,
  })

/** Context of a failed transaction. */
interface Failed {
  readonly database: Database
  readonly caller: Caller
  readonly owner: Owner
  readonly kind: Kind
}

/** Rolls back a failed transaction. Returns the error for the client. */
async function undone(
  unit: UnitOfWork,
  caught: unknown,
  { database, caller, owner: { remote, userAgent }, kind: { ticket, elsewhere, readonly, repeats } }: Failed,
): Promise<unknown> {
  // A request rejected before its first query cannot be a replay of an earlier one.
  ticket?.withdraw(unit)
  const failure = await unit.first(caught)
  const error = ticket ? ticket.outcomeOf(failure) : failure
  // Verify the credential before reporting any error. If the call had already run, the auth result arrives
  // with its stored row.
  const proven =
    error instanceof Done && unit.credential.isUnheard
      ? error
      : await unit.verify().then(
          () => error,
          (refused: unknown) => refused,
        )
  const outcome = proven instanceof Done ? await withRow(unit, proven) : proven
  const clientError =
    proven instanceof Done ? outcome : await clientErrorOf(unit, outcome, { database, ticket, readonly })
  // A call that failed for another reason than its key is a use of the key; one that is repeated will be
  // counted then.
  const isRepeated =
    (clientError instanceof ServiceUnavailable && clientError.repeats) || repeats?.(clientError)
  const isUse = (clientError instanceof ServiceError && !isRepeated) || clientError instanceof Done
  if (!elsewhere && outcome === error && isUse && unit.credential.verified)
    database.callers.noteUse(caller, remote, userAgent)
  return clientError
}

/**
 * Ends the transaction. Returns the client's error: in the words of the models, or that the server is gone.
 */
async function clientErrorOf(
  unit: UnitOfWork,
  failure: unknown,
  { database, ticket, readonly }: Pick<Failed, 'database'> & Pick<Kind, 'ticket' | 'readonly'>,
): Promise<unknown> {
  const lost = unit.committing && isConnectionLost(failure)
  await unit.rollback()
  if (lost && ticket?.isKept) return new CommitLost()
  return (
    connectionLostError(failure, unit, readonly, database) ?? translatedError(database, unit.inTurn(failure))
  )
}

/** Reads the stored row of a call that was done; if the connection breaks, the row is read again. */
const withRow = (unit: UnitOfWork, done: Done): Promise<unknown> =>
  unit.rollbackFor(done.row).then(
    (rows) => done.with(rows),
    (error: unknown) => (isConnectionLost(error) ? new CommitLost() : error),
  )
