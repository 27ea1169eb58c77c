// The version of a database's rights: one row, raised in the very transaction that changes them, read with
// every credential check.

import { Slot } from '../../kit/slot.ts'
import { raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { Unit } from '../language/unit.ts'

/**
 * The version as a column of `rights_version`. With the transaction that wrote it: another database that
 * comes to stand under the same name may well have counted to the same number.
 */
export const versionColumn = raw(`version::text || '.' || xmin::text`)

/**
 * The hook that raises the version, by unit: a savepoint that is undone takes it away with what it was for.
 */
const hooks = new Slot<() => Promise<void>>()

/**
 * Call it wherever rights may change: users' groups, companies, login, password or activity, groups and what
 * they imply, access lines, rules, active languages. The row is updated once, just before COMMIT, so that its
 * lock is held for a moment only; from the commit on every process that checks a credential loads rights anew
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
 * Whether a unit changed what follows from the version: what it reads of that now is its own until it
 * commits, and nobody else's.
 */
export function raisesRightsVersion(unit: Unit): boolean {
  const known = hooks.get(unit)
  return known !== undefined && unit.beforeCommit.includes(known)
}
