// Identifies a build for one database: by the sources of this package and the versions of the modules that
// are installed there.
import { createHash } from 'node:crypto'
import type { Unit } from '../../models/language/unit.ts'
import { sql } from '../../sql/index.ts'
import { buildId } from '../build-id.ts'

interface Versioned {
  readonly name: string
  readonly version: string | null
}

/**
 * System parameters: the build whose tables exist in addition to those of the last one, and builds that may
 * not serve any more.
 */
export const EXPANDED = 'database.expanded'
export const PAST = 'database.past'
/**
 * Modules that were added or removed, until the work that follows is done: `added sale,stock`, `removed
 * stock`.
 */
export const UNFINISHED = 'database.modules'

/** Builds that are remembered as past. */
const MOST_PAST = 20

/** Eight hexadecimal digits. */
export function buildOf(modules: readonly Versioned[], sources: string = buildId()): string {
  const versions = modules.map(({ name, version }) => `${name} ${version}`).sort()
  return createHash('sha256').update(`${sources} ${versions.join()}`).digest('hex').slice(0, 8)
}

/** The build of this process, whatever the database. */
export const processBuild = (): string => buildId().slice(0, 8)

export const isPast = (build: string, past: string | null): boolean => (past ?? '').split(',').includes(build)

/** These may not serve the database any more, and this one may. */
export async function markPast(unit: Unit, gone: readonly string[], build: string): Promise<void> {
  const [row] = await unit.query(sql`SELECT value FROM ir_config_parameter WHERE key = ${PAST}`)
  const before = ((row?.[0] ?? '') as string).split(',')
  const past = [...new Set([...before, ...gone])].filter((id) => id !== '' && id !== build)
  await setFact(unit, PAST, past.length ? past.slice(-MOST_PAST).join() : null)
}

/** Sets a parameter of the server's own; null removes it. */
export async function setFact(unit: Unit, key: string, value: string | null): Promise<void> {
  await unit.query(sql`DELETE FROM ir_config_parameter WHERE key = ${key}`)
  if (value !== null)
    await unit.query(sql`INSERT INTO ir_config_parameter (key, value) VALUES (${key}, ${value})`)
}
