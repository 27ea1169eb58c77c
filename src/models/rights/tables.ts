// Tables of rights that belong to no model: statements that make them, run by the base module's `init`; each
// may run again.
import { AccessError } from '../../errors.ts'
import { Slot } from '../../kit/slot.ts'
import { loginTables } from '../../logins/index.ts'
import { raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { Rights } from '../language/rights.ts'
import type { Unit } from '../language/unit.ts'

/** The one row that every change of rights raises (version.ts). */
const rightsVersion = `CREATE TABLE IF NOT EXISTS rights_version (
  single boolean PRIMARY KEY DEFAULT TRUE CHECK (single),
  version bigint NOT NULL
)`
const rightsVersionRow =
  'INSERT INTO rights_version (version) SELECT 1 WHERE NOT EXISTS (SELECT FROM rights_version)'

/** Statements that create the tables of logins and rights. Idempotent. */
export const rightsTables: readonly string[] = [rightsVersion, rightsVersionRow, ...loginTables]

// The version of a database's rights: one row, raised in the transaction that changes them, and read by
// every credential check.

/**
 * The version as a column of `rights_version`, with the transaction that wrote it: another database that
 * gets the same name may have the same version number.
 */
export const versionColumn = raw(`version::text || '.' || xmin::text`)

/** The hook that raises the version; a rollback to a savepoint removes it. */
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
  unit.ending.beforeCommit.push(hook)
}

/** Whether a unit changed the rights: what it derives from them is valid for itself alone. */
export function raisesRightsVersion(unit: Unit): boolean {
  const hook = hooks.get(unit)
  return hook !== undefined && unit.ending.beforeCommit.includes(hook)
}

// Rights while a database is created: it has none yet, and only the system user works.

const rights: Rights = {
  version: 'unrestricted',
  timed: false,
  languages: new Set(['en_US']),
  mayModel: () => true,
  ownerMayModel: () => true,
  refusal: (_user, model) => new AccessError(`${model.name} has no records.`),
  rules: () => null,
  ownRules: () => null,
  ruled: () => null,
  mayField: () => true,
  defaults: () => ({}),
  profile: () =>
    Promise.reject(new Error('Only the system user may work while the rights of a database are unknown.')),
}

export const unrestricted: Rights = Object.freeze(rights)
