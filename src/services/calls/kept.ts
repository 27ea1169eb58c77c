// How much is kept for retries: each user's part is bounded, and the whole. Nothing is counted a call: only
// when a good part was added here is the database asked.
import type { Database } from '../../databases/index.ts'
import { beyond, type LimitName, limits } from '../../limits.ts'
import type { Unit } from '../../models/language/unit.ts'
import { sql } from '../../sql/index.ts'

/** What may be added before it is counted, of what there may be. */
const PART = 1 / 16

/** Bytes that this process added since they were counted: by user, and of all. */
const added = new WeakMap<Database, Map<number | 'all', number>>()

function countsOf(database: Database): Map<number | 'all', number> {
  const known = added.get(database) ?? new Map<number | 'all', number>()
  added.set(database, known)
  return known
}

/** An answer was kept. */
export function noteKept(database: Database, uid: number, bytes: number): void {
  const counts = countsOf(database)
  counts.set(uid, (counts.get(uid) ?? 0) + bytes)
  counts.set('all', (counts.get('all') ?? 0) + bytes)
}

/** Throws PayloadTooLarge where no further answer may be kept; nothing is asked where little was added. */
export function assertRoomToKeep(database: Database, unit: Unit, uid: number): void | Promise<void> {
  const counts = added.get(database)
  if (!counts) return
  const ofUser = isMuch(counts, uid, 'kept-answers')
  const ofAll = isMuch(counts, 'all', 'kept-answers-database')
  return ofUser || ofAll ? assertCounted(unit, counts, { uid: ofUser ? uid : null, ofAll }) : undefined
}

const isMuch = (counts: ReadonlyMap<number | 'all', number>, whose: number | 'all', name: LimitName) =>
  (counts.get(whose) ?? 0) > limits[name] * PART

async function assertCounted(
  unit: Unit,
  counts: Map<number | 'all', number>,
  { uid, ofAll }: { readonly uid: number | null; readonly ofAll: boolean },
): Promise<void> {
  if (uid !== null) {
    const [row] = await unit.query(
      sql`SELECT COALESCE(sum(octet_length(answer)), 0)::float8 FROM comptoir_idempotency WHERE uid = ${uid}::int`,
    )
    if (Number(row?.[0]) > limits['kept-answers']) throw beyond('kept-answers')
    counts.set(uid, 0)
  }
  if (ofAll) {
    const [row] = await unit.query(sql`SELECT pg_total_relation_size('comptoir_idempotency')::float8`)
    if (Number(row?.[0]) > limits['kept-answers-database']) throw beyond('kept-answers-database')
    counts.set('all', 0)
  }
}
