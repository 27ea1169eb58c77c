// Both sides over copies of one database, and what they differ by before the first request.
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from './client.ts'
import { copyDataDir, openSide, type Side } from './side.ts'
import { marksOf, readTables, sharedColumns } from './tables.ts'
import { Values } from './values.ts'

export interface Trees {
  readonly old: string
  readonly new: string
}

export interface Pair {
  readonly old: Side
  readonly new: Side
  /** Columns that both databases have, by table. */
  readonly shared: ReadonlyMap<string, readonly string[]>
  /** Differences of the schemas, for people. */
  readonly notes: readonly string[]
  /** Marks of differences that an upgrade by the new tree made before the first request. */
  readonly known: ReadonlySet<string>
  close(): Promise<void>
}

/**
 * Copies the ground twice, to paths that begin with `prefix`, and starts a server of each tree over
 * its copy.
 */
export async function openPair(trees: Trees, ground: string, prefix: string): Promise<Pair> {
  const opened: Side[] = []
  const close = async () => {
    await Promise.all(opened.splice(0).map((side) => side.close()))
  }
  try {
    for (const name of ['old', 'new'] as const) {
      const dataDir = `${prefix}-${name}`
      copyDataDir(ground, dataDir)
      const side = await openSide(name, trees[name], dataDir)
      opened.push(side)
      await openDatabase(side)
    }
    const [old, other] = opened as [Side, Side]
    await alignSequences(old, other)
    const { shared, notes } = await sharedColumns(old.db, other.db)
    const states = [await readTables(old.db, shared), await readTables(other.db, shared)] as const
    const knownMarks = marksOf(new Values([], 'exact'), states)
    return { old, new: other, shared, notes, known: knownMarks, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first call upgrades the database where the tree is not the one that made it; others wait meanwhile. */
export async function openDatabase(side: Side): Promise<void> {
  const client = await clientOf(side, { lane: 0 })
  for (let tries = 0; ; tries++) {
    const { status, body } = await client.call('res.users/context_get', {})
    if (status === 200) break
    if (status !== 503 || tries === MOST_TRIES)
      throw new Error(`The ${side.name} side does not answer: ${status} ${JSON.stringify(body)}`)
    await sleep(500)
  }
  side.recorder.take()
}

/** Attempts to reach a server while its database is upgraded: ten minutes. */
const MOST_TRIES = 1200

/** An upgrade takes ids of sequences: both go on from the higher one, so that ids stay comparable. */
async function alignSequences(old: Side, other: Side): Promise<void> {
  const valuesOf = async ({ db }: Side) => {
    const { rows } = await db.query<{ name: string; value: string | null }>(
      "SELECT sequencename::text AS name, last_value::text AS value FROM pg_sequences WHERE schemaname = 'public'",
    )
    return new Map(rows.map(({ name, value }) => [name, value === null ? 0 : Number(value)]))
  }
  const [ones, others] = [await valuesOf(old), await valuesOf(other)]
  for (const [name, value] of ones) {
    const counterpart = others.get(name)
    if (counterpart === undefined || counterpart === value) continue
    const text = `SELECT setval('public."${name}"', ${Math.max(value, counterpart)})`
    await old.db.query(text)
    await other.db.query(text)
  }
}
