// Limits on stored answers for retries, per user and in all. The database is asked for the sum only after
// this process has added a good part of a limit, not in every call.
import type { Database } from '../../databases/index.ts'
import { beyond, type LimitName, limits } from '../../limits.ts'
import type { Unit } from '../../models/language/unit.ts'
import { type Sql, sql } from '../../sql/index.ts'

/** Part of a limit that may be added before the sum is read again. */
const PART = 1 / 16

/** Bytes that a row counts for in addition to its answer, which may be short or missing. */
const ROW = 256

/** Milliseconds for which it is not counted again where there was no room. */
const PAUSE = 5000

/** Whose answers: a user's, or those of all. */
type Whose = number | 'all'

/** Counters of this process for a database; they only decide when to read the sum, and are approximate. */
interface Counters {
  /** Bytes added here since they were counted. */
  readonly added: Map<Whose, number>
  /** When there was no room, and within which bound: another bound is counted anew. */
  readonly full: Map<Whose, { readonly at: number; readonly bound: number }>
  /** Is being counted. */
  readonly counting: Set<Whose>
}

const countersOf = new WeakMap<Database, Counters>()

/** An answer was kept, of so many bytes; none if only its row is. */
export function noteKept(database: Database, uid: number, bytes: number): void {
  let counters = countersOf.get(database)
  if (!counters) {
    counters = { added: new Map(), full: new Map(), counting: new Set() }
    countersOf.set(database, counters)
  }
  for (const whose of [uid, 'all'] as const)
    counters.added.set(whose, (counters.added.get(whose) ?? 0) + bytes + ROW)
}

/**
 * Throws PayloadTooLarge where no further answer may be kept; nothing is asked where little was added. `now`:
 * a clock in milliseconds.
 */
export function assertRoomToKeep(
  database: Database,
  unit: Unit,
  uid: number,
  now: () => number = () => performance.now(),
): void | Promise<void> {
  const counters = countersOf.get(database)
  if (!counters) return
  const ofUser = isNearLimit(counters, uid, 'kept-answers')
  const ofAll = isNearLimit(counters, 'all', 'kept-answers-database')
  return ofUser || ofAll ? assertCounted(unit, counters, { uid: ofUser ? uid : null, ofAll, now }) : undefined
}

const isNearLimit = ({ added }: Counters, whose: Whose, name: LimitName) =>
  (added.get(whose) ?? 0) > limits[name] * PART

async function assertCounted(
  unit: Unit,
  counters: Counters,
  { uid, ofAll, now }: { readonly uid: number | null; readonly ofAll: boolean; readonly now: () => number },
): Promise<void> {
  if (uid !== null)
    await assertRoom(unit, counters, { whose: uid, name: 'kept-answers', now, count: () => live(unit, uid) })
  if (ofAll)
    await assertRoom(unit, counters, {
      whose: 'all',
      name: 'kept-answers-database',
      now,
      // The file keeps the places of rows that are gone: where it is large, it says nothing.
      count: async (bound) => {
        const size = await numberOf(unit, sql`SELECT pg_total_relation_size('comptoir_idempotency')::float8`)
        return size > bound ? live(unit) : size
      },
    })
}

interface Counting {
  readonly whose: Whose
  readonly name: LimitName
  readonly now: () => number
  /** Bytes there are; exact only beyond the bound. */
  count(bound: number): Promise<number>
}

async function assertRoom(
  unit: Unit,
  counters: Counters,
  { whose, name, now, count }: Counting,
): Promise<void> {
  const bound = limits[name]
  const at = now()
  const before = counters.full.get(whose)
  if (before?.bound === bound && at - before.at < PAUSE) {
    // The statement carries the check of the key: a call that was done already is answered nevertheless.
    await unit.query(sql`SELECT 1`)
    throw beyond(name)
  }
  // One call at a time reads the sum; the others add little until it is known.
  if (counters.counting.has(whose)) return
  counters.counting.add(whose)
  // Others are refused meanwhile, as they were.
  if (before?.bound === bound) counters.full.set(whose, { at, bound })
  try {
    const noted = counters.added.get(whose) ?? 0
    if ((await count(bound)) > bound) {
      counters.full.set(whose, { at: now(), bound })
      throw beyond(name)
    }
    counters.full.delete(whose)
    counters.added.set(whose, (counters.added.get(whose) ?? 0) - noted)
  } finally {
    counters.counting.delete(whose)
  }
}

/** Bytes of the rows that stand, of one user or of all. */
const live = (unit: Unit, uid?: number): Promise<number> =>
  numberOf(
    unit,
    sql`SELECT (COALESCE(sum(octet_length(answer)), 0) + ${ROW}::int * count(*))::float8
      FROM comptoir_idempotency WHERE ${uid === undefined ? sql`true` : sql`uid = ${uid}::int`}`,
  )

async function numberOf(unit: Unit, statement: Sql): Promise<number> {
  const [row] = await unit.query(statement)
  return Number(row?.[0])
}
