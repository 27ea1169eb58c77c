// Modules installed and removed while others use the database: tables and columns in steps that lock a
// table for a moment, records in a transaction that changes no table, and what callers of before would not
// tolerate when they have ended (docs/decisions/0062).
import { UserError } from '../../errors.ts'
import { upgradeTable } from '../../models/changes/tables.ts'
import type { Module } from '../../models/index.ts'
import {
  assertUnused,
  forgetModules,
  initialise,
  installing,
  loadModules,
  removeData,
} from '../../models/install/install.ts'
import { enterMigrations } from '../../models/install/tasks.ts'
import type { Registry } from '../../models/language/definitions.ts'
import type { Unit } from '../../models/language/unit.ts'
import { lockSchema } from '../../models/schema/apply.ts'
import { removalOf } from '../../models/schema/removal.ts'
import { schemaOf } from '../../models/schema/tables.ts'
import { inWordsOf } from '../../models/terms/labels.ts'
import { registryOf } from '../database-state.ts'
import { buildOf, setFact, UNFINISHED } from './builds.ts'
import { applyChanges, compared, factsOf, type Ground, inUnit } from './ground.ts'
import { finish, raiseVersion, redoAfterOldBuilds, waitForOlderTransactions, withTasks } from './steps.ts'

/** Records that the modules are installed or removed, in the transaction from which on callers see it. */
type Mark = (unit: Unit) => Promise<void>

interface Addition {
  readonly modules: readonly Module[]
  readonly demo: boolean
  readonly mark: Mark
  /** Takes the note back where records break a rule of the modules. */
  readonly unmark: Mark
}

const withModules = (ground: Ground, modules: readonly Module[]): Ground => ({
  ...ground,
  modules,
  build: buildOf(modules),
})
const withAlso = (ground: Ground, modules: readonly Module[]): Ground =>
  withModules(
    ground,
    ground.available.filter((module) => ground.modules.includes(module) || modules.includes(module)),
  )
const without = (ground: Ground, modules: readonly Module[]): Ground =>
  withModules(
    ground,
    ground.modules.filter((module) => !modules.includes(module)),
  )
const registryFor = ({ modules }: Ground): Registry =>
  registryOf(modules, new Set(modules.map(({ name }) => name)))
const namesOf = (modules: readonly Module[]) => modules.map(({ name }) => name)

/** Installs modules that the database does not have. A failed installation is rolled back. */
export async function addModules(before: Ground, { modules, demo, mark, unmark }: Addition): Promise<void> {
  const after = withAlso(before, modules)
  const { comparison, rolling } = await compared(after)
  if (rolling.impossible.length)
    throw new UserError(
      `This upgrade is not possible while the database is in use: ${rolling.impossible.join('; ')}. Stop all servers and upgrade it: comptoir module upgrade.`,
    )
  const { drop } = removalOf(comparison.schema, schemaOf(registryFor(before)))
  try {
    await after.session.simple(upgradeTable)
    await applyChanges(after, await withTasks(after, rolling.expand), comparison.schema)
    await applyChanges(after, rolling.links, comparison.schema)
    // Data of the modules may need what their columns hold by default.
    await finish(after, 'fill ')
    await inUnit(after, async ({ unit }) => {
      await lockSchema(unit)
      await initialise(installing(unit), modules)
    })
    await inUnit(after, async ({ unit }) => {
      await lockSchema(unit)
      const env = installing(unit)
      await loadModules(
        env,
        { modules, demo, fresh: false, progress: after.progress ?? (() => undefined) },
        true,
      )
      await enterMigrations(env, modules, after.build)
      await mark(unit)
      await setFact(unit, UNFINISHED, `added ${namesOf(modules).join()}`)
      await raiseVersion(unit)
    })
  } catch (error) {
    await applyChanges(after, drop, comparison.schema)
    await finish(before)
    throw error
  }
  try {
    await completeAddition(after)
  } catch (error) {
    await removeModules(after, { modules, mark: unmark })
    throw error
  }
}

/** Does what follows on the moment from which on callers see modules. */
async function completeAddition(after: Ground): Promise<void> {
  await waitForOlderTransactions(after)
  await redoAfterOldBuilds(after)
  const { comparison, rolling } = await compared(after)
  await applyChanges(after, rolling.contract, comparison.schema)
  await inUnit(after, ({ unit }) => setFact(unit, UNFINISHED, null))
}

/** Removes modules with their tables, columns and data. Throws UserError for what is still referred to. */
export async function removeModules(
  before: Ground,
  { modules, mark }: Pick<Addition, 'modules' | 'mark'>,
): Promise<void> {
  const after = without(before, modules)
  const [wide, narrow] = [registryFor(before), registryFor(after)]
  const { loosen } = removalOf(schemaOf(wide), schemaOf(narrow))
  // Before foreign keys are gone, without which others may remove what records of the modules refer to.
  await inUnit(before, (env) => assertUnused(env, narrow))
  try {
    await applyChanges(before, loosen, schemaOf(wide))
    await inUnit(before, async ({ unit }) => {
      await lockSchema(unit)
      const env = installing(unit, 'uninstall')
      await removeData(env, { modules: namesOf(modules), remaining: narrow })
      await mark(unit)
      await setFact(unit, UNFINISHED, `removed ${namesOf(modules).join()}`)
      await raiseVersion(unit)
    })
  } catch (error) {
    // Foreign keys that are not there are made by this too.
    await applyChanges(before, (await compared(before)).rolling.contract, schemaOf(wide))
    throw inWordsOf(wide, error)
  }
  await completeRemoval(before, modules)
}

/** Drops what is left of modules that callers do not see any more. */
async function completeRemoval(before: Ground, modules: readonly Module[]): Promise<void> {
  const after = without(before, modules)
  const wide = registryFor(before)
  await waitForOlderTransactions(before)
  await applyChanges(before, removalOf(schemaOf(wide), schemaOf(registryFor(after))).drop, schemaOf(wide))
  const { comparison, rolling } = await compared(after)
  await applyChanges(after, [...rolling.expand, ...rolling.contract], comparison.schema)
  await inUnit(after, async ({ unit }) => {
    await lockSchema(unit)
    await forgetModules(installing(unit), namesOf(modules), wide)
    await setFact(unit, UNFINISHED, null)
  })
}

/**
 * Completes the work of a process that died after callers saw its modules come or go; new modules that are
 * `leaving` now are removed at once. Throws UserError if this server lacks one of them.
 */
export async function finishModules(ground: Ground, leaving: readonly string[]): Promise<void> {
  const [unfinished] = await factsOf(ground, [UNFINISHED])
  const [what, list = ''] = unfinished?.split(' ') ?? []
  if (!what) return
  const names = list.split(',')
  const modules = ground.available.filter(({ name }) => names.includes(name))
  if (modules.length < names.length)
    throw new UserError(
      `The last change of modules is not finished (${what}: ${list}), and some of these modules are not installed on this server. Use a server that has them (--addons).`,
    )
  if (what === 'removed') await completeRemoval(withAlso(ground, modules), modules)
  else if (!names.every((name) => leaving.includes(name))) await completeAddition(ground)
}
