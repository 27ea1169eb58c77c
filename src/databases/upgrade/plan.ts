// The steps of an upgrade, in words and statements.
import { newMigrations, openTasks } from '../../models/install/tasks.ts'
import { type Change, dropExistingLeftovers } from '../../models/schema/rolling.ts'
import { compared, type Ground, inUnit } from './ground.ts'
import { otherBuildsIn } from './presence.ts'

export interface UpgradePlan {
  readonly expand: readonly string[]
  readonly migrate: readonly string[]
  readonly contract: readonly string[]
  /** Why it cannot go step by step. */
  readonly impossible: readonly string[]
  /** Nodes that the last step waits for. */
  readonly waitsFor: readonly string[]
}

export async function planOf(ground: Ground): Promise<UpgradePlan> {
  const { modules, standing, build, name } = ground
  const { comparison, rolling } = await compared(ground)
  const fresh = modules.filter((module) => !standing.installed.includes(module))
  const added = rolling.expand.flatMap((change) => change.added ?? [])
  const tasks = await openTaskNames(ground)
  return {
    expand: [
      ...lines([...rolling.expand, ...rolling.links]),
      ...fresh.map((module) => `install ${module.name}, which others need`),
      ...(standing.older ? [`bring data, rights and terms of ${modules.length} modules up to date`] : []),
    ],
    migrate: [
      ...added.map(({ table, column }) => `fill ${table}.${column} where it has a default or is computed`),
      ...tasks,
    ],
    contract: lines([
      ...rolling.contract,
      ...dropExistingLeftovers(comparison.leftovers, comparison.columns),
    ]),
    impossible: rolling.impossible,
    waitsFor: (await otherBuildsIn(ground.main, name, build)).map((node) => node.name),
  }
}

/** Open tasks, and migrations that have not begun. */
const openTaskNames = (ground: Ground): Promise<string[]> =>
  inUnit(ground, async (env) => [...(await openTasks(env)), ...(await newMigrations(env, ground.modules))])

const lines = (changes: readonly Change[]) =>
  changes.map(({ words, statements }) => `${words}\n  ${statements.join(';\n  ')}`)
