// Finds the database and the caller of a call, and repeats its work when a transaction lost against another
// or what was remembered is out of date.
import type { Caller } from '../../access/index.ts'
import { type Database, type Databases, ReplacedDatabase } from '../../databases/index.ts'
import { ServiceUnavailable } from '../../errors.ts'
import { patience } from '../../kit/patience.ts'
import { Crowded, isConnectionLost, isDemoted, withRetries } from '../../postgres/index.ts'
import { waitedTooLong } from '../abandoned-calls.ts'
import type { Call } from '../request.ts'

/** The credential of a call, its database and its client. */
export type Owner = Pick<
  Call,
  'database' | 'credential' | 'remote' | 'userAgent' | 'gone' | 'answering' | 'weight' | 'asks' | 'tell'
>

/** Place of a call among concurrent ones. */
export interface Standing {
  /** Whether it is repeated, and waits for all others that are. */
  readonly inLane: boolean
  /** Names of the queues that it enters before it begins; undefined where it enters none. */
  readonly turns: readonly string[] | undefined
  /** When its client began to wait, by `performance.now()`; undefined where none does. */
  readonly since?: number | undefined
}

type Work<T> = (database: Database, caller: Caller, standing: Standing) => Promise<T>

/**
 * Attempts while holding the resource queues alone. A later conflict comes from a writer that does not queue.
 */
const IN_TURN = 3

/** Milliseconds after which a call that is still queued is refused, with the advice to try again. */
const PATIENCE_MS = 8000

/** Times that a call finds out that there is more to wait for. */
const MOST_TURNS = 10

/** Times that another database may come to stand under the name while one call looks for it. */
const REPLACEMENTS = 3

/** Runs `work` in the database and for the caller of a request, again and again where others were faster. */
export async function inDatabase<T>(server: Databases, owner: Owner, work: Work<T>): Promise<T> {
  for (let replacement = 1; ; replacement++) {
    let database: Database | undefined
    try {
      // No promise where the database is open already, here and below: every call would pay for it.
      database = server.handles.known(owner.database) ?? (await server.database(owner.database))
      database.enter()
      return await inOpened(server, database, owner, work)
    } catch (error) {
      // A transaction reports its own lost connection: this one was lost before any had begun.
      if (isConnectionLost(error) || isDemoted(error)) throw lostBefore(error)
      if (!(error instanceof ReplacedDatabase)) throw error
      if (replacement >= REPLACEMENTS)
        throw new ServiceUnavailable('The database is being replaced.', { repeats: true })
    } finally {
      database?.leave()
    }
  }
}

const lostBefore = (cause: unknown): Error =>
  new ServiceUnavailable('The database is not available at the moment.', { cause, repeats: true })

function inOpened<T>(server: Databases, database: Database, owner: Owner, work: Work<T>): Promise<T> {
  // Jobs come from nowhere, and wait as long as they must.
  const since = owner.gone && owner.remote ? performance.now() : undefined
  return database.callers.run(
    (isAgain) => callerOf(database, owner, isAgain),
    (caller) => {
      const run = () => repeated(database, since, (standing) => work(database, caller, standing))
      const { rates } = server
      return owner.answering && rates?.counts(caller.policy?.limits ?? null)
        ? counted(server, database, { caller, owner }).then(run)
        : run()
    },
  )
}

/** Repeats what lost against others: the first time is nearly always the last. */
async function repeated<T>(
  database: Database,
  since: number | undefined,
  run: (standing: Standing) => Promise<T>,
): Promise<T> {
  const first: Standing = { inLane: false, turns: database.pool.keepsSessions ? [] : undefined, since }
  try {
    return await run(first)
  } catch (error) {
    return afterFirst(database, { error, standing: first }, run)
  }
}

/**
 * Repeats after a first failure: in the queues of the resources, where they are known; else after all
 * retries.
 */
function afterFirst<T>(
  { lanes }: Database,
  failed: { readonly error: unknown; readonly standing: Standing },
  again: (standing: Standing) => Promise<T>,
): Promise<T> {
  const { since } = failed.standing
  let { turns } = failed.standing
  let isFirst = true
  const inTurn = (work: () => Promise<T>) => (turns?.length ? lanes.inTurn(turns, work) : work())
  return withRetries(async (attempt) => {
    for (let waits = 1; ; waits++) {
      const inLane = attempt > 1 && !(turns?.length && attempt <= IN_TURN)
      const begin = (work: () => Promise<T>) => (inLane ? lanes.again(() => inTurn(work)) : inTurn(work))
      try {
        if (isFirst) throw failed.error
        return await inTime(since, begin, () => again({ inLane, turns, since }))
      } catch (error) {
        isFirst = false
        if (!(error instanceof Crowded)) throw error
        // A call that learns of another resource to queue for has not lost yet.
        const isMore = error.turns.length > (turns?.length ?? 0)
        turns = error.turns
        if (!isMore || error.cause || waits >= MOST_TURNS) throw error
      }
    }
  })
}

/** Work that waits for its turn. Throws ServiceUnavailable where that does not come in time for a client. */
export async function inTime<T>(
  since: number | undefined,
  begin: (work: () => Promise<T>) => Promise<T>,
  work: () => Promise<T>,
): Promise<T> {
  if (since === undefined) return begin(work)
  const late = Promise.withResolvers<never>()
  const left = Math.max(0, since + PATIENCE_MS * patience.factor - performance.now())
  const timer = setTimeout(() => late.reject(waitedTooLong()), left)
  let isLate = false
  late.promise.catch(() => {
    isLate = true
  })
  const turn = () => {
    clearTimeout(timer)
    return isLate ? Promise.reject(waitedTooLong()) : work()
  }
  return Promise.race([begin(turn), late.promise])
}

/**
 * The caller of a request. `isAgain`: the check that went along said that something changed, and modules and
 * caller are read anew.
 */
function callerOf(database: Database, owner: Owner, isAgain: boolean): Caller | Promise<Caller> {
  const loaded = isAgain ? readAgain(database, owner) : find(database, owner)
  // A cached caller is verified together with the call.
  return loaded instanceof Promise
    ? loaded.then((caller) => upToDate(database, owner, caller))
    : upToDate(database, owner, loaded)
}

function find({ callers }: Database, { credential, remote }: Owner): Caller | Promise<Caller> {
  switch (credential.kind) {
    case 'key':
      return callers.byKey(credential.key, remote)
    case 'hash':
      return callers.byHash(credential.hash, credential.from)
    case 'password':
      return callers.byPassword(credential.uid, credential.password, remote)
    case 'session':
      return callers.bySession(credential.token)
  }
}

async function readAgain(database: Database, owner: Owner): Promise<Caller> {
  await database.refresh()
  return find(database, owner)
}

/**
 * Models are those of the caller's version, or are read first: a caller whom another call read after a change
 * may be remembered before that call knows the models, or finds that this build is past.
 */
function upToDate(database: Database, owner: Owner, caller: Caller): Caller | Promise<Caller> {
  if (!database.isBehind(caller.expected.version)) return caller
  database.callers.forget(caller)
  return readAgain(database, owner)
}

/** Counts a call. Throws TooManyRequests. */
async function counted(
  { nodes, rates }: Databases,
  database: Database,
  { caller, owner }: { readonly caller: Caller; readonly owner: Owner },
): Promise<void> {
  const who = caller.expected.key
    ? `key ${caller.expected.key.id}`
    : `user ${caller.profile.id} ${owner.remote}`
  const quota = {
    name: `${database.name} ${who}`,
    limits: caller.policy?.limits ?? null,
    nodes: await nodes.of(database),
  }
  try {
    if (owner.answering) rates?.admit(quota, owner.answering, owner.weight)
  } catch (error) {
    // The cached limits may be outdated: have them read again.
    database.callers.doubt(caller)
    throw error
  }
}
