// The version of a database's rights: one row, raised in the transaction that changes them, and read by
// every credential check.

import { Slot } from '../../kit/slot.ts'
import { raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { Unit } from '../language/unit.ts'

/**
 * The version as a column of `rights_version`, with the transaction that wrote it: another database that
 * gets the same name may have the same version number.
 */
export const versionColumn = raw(`version::text || '.' || xmin::text`)

/**
 * The hook that raises the version, by unit. Rolling back to a savepoint removes the hook of changes
 * after it.
 */
const hooks = new Slot<() => Promise<void>>()

/**
 * Call it whenever rights may change: users' groups, companies, login, password or activity, implied
 * groups, access rights, rules, active languages. The row is updated once, just before COMMIT, so that
 * it is locked briefly. After the commit, every process that checks a credential loads the rights again
 * (spec/wire.md section 9, "count from the next request on").
 */
export function raiseRightsVersion(env: Environment): void {
  const { unit } = env
  if (raisesRightsVersion(unit)) return
  const hook = async () => {
    unit.send(sql`UPDATE rights_version SET version = version + 1`)
  }
  hooks.set(unit, hook)
  unit.beforeCommit.push(hook)
}

/**
 * Whether a unit changed the rights. Values that it derives from them are then valid for this unit only,
 * until it commits.
 */
export function raisesRightsVersion(unit: Unit): boolean {
  const hook = hooks.get(unit)
  return hook !== undefined && unit.beforeCommit.includes(hook)
}
