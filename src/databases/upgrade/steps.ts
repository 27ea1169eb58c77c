// An upgrade in three steps, while nodes of the build before go on serving: expand makes what they tolerate,
// migrate fills it, contract takes away what they alone need (docs/decisions/0062).
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../errors.ts'
import { upgradeTable } from '../../models/changes/tables.ts'
import { customUsesOf, initialise, installing, loadModules } from '../../models/install/install.ts'
import { reflect } from '../../models/install/reflect.ts'
import {
  enterMigrations,
  fillingTask,
  hasTask,
  isPlain,
  literalOf,
  nextBatch,
  openTasks,
  valueFor,
} from '../../models/install/tasks.ts'
import type { Environment } from '../../models/language/environment.ts'
import type { Unit } from '../../models/language/unit.ts'
import { lockSchema, readColumns } from '../../models/schema/apply.ts'
import { type Change, dropExistingLeftovers } from '../../models/schema/rolling.ts'
import { quote, sql } from '../../sql/index.ts'
import { markInstalled, markRelease, RELEASE } from '../modules.ts'
import { buildOf, EXPANDED, markPast, setFact } from './builds.ts'
import { applyChanges, compared, factsOf, type Ground, inUnit } from './ground.ts'
import { type OtherNode, otherBuildsIn } from './presence.ts'

export const raiseVersion = (unit: Unit) => unit.query(sql`UPDATE rights_version SET version = version + 1`)

/** Makes what older builds tolerate. May run again. Throws UserError for what no two builds can have between them. */
export async function expand(ground: Ground): Promise<void> {
  const { modules, standing, build } = ground
  const { comparison, rolling } = await compared(ground)
  if (rolling.impossible.length)
    throw new UserError(
      `Two builds cannot use this database at the same time: ${rolling.impossible.join('; ')}. Stop all servers and upgrade without --step, or add a field and rename it over several releases.`,
    )
  await ground.session.simple(upgradeTable)
  await applyChanges(ground, await withTasks(ground, rolling.expand), comparison.schema)
  await inUnit(ground, async (env) => {
    await lockSchema(env.unit)
    await initialise(installing(env.unit), modules)
  })
  const fresh = modules.filter((module) => !standing.installed.includes(module))
  await inUnit(ground, async ({ unit }) => {
    await lockSchema(unit)
    const env = installing(unit)
    await loadModules(
      env,
      { modules, fresh: false, ...(ground.progress ? { progress: ground.progress } : {}) },
      false,
    )
    await enterMigrations(env, modules, build)
    await markInstalled(unit, ground.available, fresh)
    await setFact(unit, EXPANDED, build)
    await raiseVersion(unit)
  })
  await applyChanges(ground, rolling.links, comparison.schema)
  await applyChanges(ground, await laterDefaults(ground), comparison.schema)
}

/** A new column and the task that fills it commit together. */
export const withTasks = (ground: Ground, changes: readonly Change[]): Promise<Change[]> =>
  inUnit(ground, async ({ unit }) => {
    const models = new Map([...unit.registry.models.values()].map((model) => [model.table, model]))
    return changes.map((change) => {
      const model = models.get(change.added?.table ?? '')
      const field = model?.fields.get(change.added?.column ?? '')
      const isGiven = change.statements.some((statement) => / DEFAULT /.test(statement))
      if (!model || !field || isGiven || !(field.compute || field.defaultOf)) return change
      return { ...change, statements: [...change.statements, fillingTask({ model, field }, ground.build)] }
    })
  })

/** Defaults that follow from what the database holds: what they are now, for what older builds write. */
const laterDefaults = (ground: Ground): Promise<Change[]> =>
  inUnit(ground, async (env) => {
    const existingColumns = await readColumns(env.unit)
    const rows = await env.query(
      sql`SELECT task, fields FROM comptoir_upgrade WHERE task LIKE 'fill %' AND build = ${ground.build}`,
    )
    const changes: Change[] = []
    for (const [task, fields] of rows as readonly (readonly [string, readonly string[]])[]) {
      const model = env.def(task.slice('fill '.length))
      for (const name of new Set(fields)) {
        const field = model.fields.get(name)
        const value =
          field && isPlain(field) && !existingColumns.get(model.table)?.get(name)?.hasDefault
            ? await valueFor(env, field)
            : null
        if (!field || !value) continue
        const literal = await literalOf(env, field, value)
        changes.push({
          words: `${model.table}.${name} is ${literal} where an older build writes`,
          statements: [
            `ALTER TABLE ${quote(model.table)} ALTER COLUMN ${quote(name)} SET DEFAULT ${literal}`,
          ],
        })
      }
    }
    return changes
  })

/** Fills existing rows, in batches; continues after an interruption. */
export async function migrate(ground: Ground): Promise<void> {
  const [expanded] = await factsOf(ground, [EXPANDED])
  if (expanded !== ground.build && ground.standing.older)
    throw new UserError('The database is not expanded for this build: run --step expand first.')
  await finish(ground)
}

/** Does the open tasks whose names begin so; those of modules that this server lacks stay open. */
export async function finish(ground: Ground, prefix = ''): Promise<void> {
  const isWhole = ground.standing.missing.length === 0
  const tasks = await inUnit(ground, async (env) => {
    const open = await openTasks(env)
    return open.filter((task) => task.startsWith(prefix) && (isWhole || hasTask(env, ground.modules, task)))
  })
  for (const [i, task] of tasks.entries()) {
    let records = 0
    for (let size = -1; size !== 0; records += size) {
      ground.progress?.(`${task}: ${records} records`, i / tasks.length)
      size = await inUnit(ground, (env) => nextBatch(installing(env.unit), ground.modules, task))
    }
  }
}

export interface ContractOptions {
  /** Goes on although nodes of older builds are running. */
  readonly force?: boolean
  /** Objects that no module declares any more stay. */
  readonly keep?: boolean
}

/** Removes objects that only older builds need. Throws UserError while one of them serves. */
export async function contract(
  ground: Ground,
  { force = false, keep = false }: ContractOptions = {},
): Promise<void> {
  const { name, build, modules, standing } = ground
  const [expanded] = await factsOf(ground, [EXPANDED])
  if (expanded !== build && standing.older)
    throw new UserError('The database is not expanded for this build: run --step expand first.')
  const open = standing.older ? await inUnit(ground, (env) => openTasks(env, 1)) : []
  if (open.length) throw new UserError(`Not migrated yet: ${open.join(', ')}. Run --step migrate first.`)
  const others = await otherBuildsIn(ground.main, name, build)
  if (others.length && !force) throw stillServing(others)
  const { comparison, rolling } = await compared(ground)
  const gone = keep ? [] : dropExistingLeftovers(comparison.leftovers, comparison.columns)
  const uses = keep ? [] : await inUnit(ground, (env) => customUsesOf(env, comparison.schema))
  if (uses.length)
    throw new UserError(
      `Custom fields refer to models that would be removed: ${uses.join(', ')}. Remove these fields first.`,
    )
  if (rolling.contract.length + gone.length) await shutOut(ground, others)
  await redoAfterOldBuilds(ground)
  await applyChanges(ground, rolling.contract, comparison.schema)
  await applyChanges(ground, gone, comparison.schema)
  await inUnit(ground, async ({ unit }) => {
    await lockSchema(unit)
    const env = installing(unit)
    if (!keep) await forgetModels(env)
    await reflect(env, unit.registry, !keep)
    await markInstalled(unit, ground.available, modules)
    await markRelease(unit)
    await ground.record?.(unit, modules)
    await raiseVersion(unit)
  })
}

function stillServing(others: readonly OtherNode[]): UserError {
  const [who, them] = others.length === 1 ? ['A node', 'it'] : ['Nodes', 'them']
  return new UserError(
    `${who} of another build still ${others.length === 1 ? 'serves' : 'serve'}: ${others.map(({ name }) => name).join(', ')}. Stop ${them} first; expand and migrate have been done and stay.`,
  )
}

/** From now on builds before this one may not serve the database; what they had begun has ended. */
async function shutOut(ground: Ground, others: readonly OtherNode[]): Promise<void> {
  const { build } = ground
  await inUnit(ground, async ({ unit }) => {
    const rows = await unit.query<
      [string, string, unknown]
    >(sql`SELECT name, latest_version, (SELECT value FROM ir_config_parameter WHERE key = ${RELEASE})
      FROM ir_module_module WHERE state = 'installed' AND latest_version IS NOT NULL`)
    const before = buildOf(
      rows.map(([name, version]) => ({ name, version })),
      (rows[0]?.[2] ?? '') as string,
    )
    await markPast(unit, [before, ...others.flatMap((node) => node.build ?? [])], build)
    await raiseVersion(unit)
  })
  await waitForOlderTransactions(ground)
}

/** Waits for transactions that are under way: they may still write by the models of before. */
export async function waitForOlderTransactions({ session, ofModules }: Ground): Promise<void> {
  const [now] = await session.query('SELECT clock_timestamp()::text')
  for (let round = 0; round < ROUNDS; round++) {
    const [before] = await session.query(BEGUN_BEFORE, [now?.[0]])
    if (before?.[0] === 0) return
    await sleep(ROUND_MS)
  }
  throw new UserError(
    `A transaction that began before this step is still running: look for it in pg_stat_activity. ${
      ofModules
        ? 'When it has ended, run comptoir module upgrade --step contract to remove the rest of the modules.'
        : 'When it has ended, run the step again.'
    }`,
  )
}

/** Two minutes. */
const [ROUNDS, ROUND_MS] = [2400, 50]
const BEGUN_BEFORE = `SELECT count(*)::int FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND xact_start < $1::timestamptz`

/** Does once more what older builds may have undone by what they wrote meanwhile. */
export async function redoAfterOldBuilds(ground: Ground): Promise<void> {
  await inUnit(ground, (env) =>
    env.query(
      sql`UPDATE comptoir_upgrade SET pass = 2, after = 0, finished = NULL WHERE build = ${ground.build} AND pass = 1`,
    ),
  )
  await finish(ground)
}

/** External ids and attachments of models that go. */
async function forgetModels(env: Environment): Promise<void> {
  const rows = await env.query<[string]>(sql`SELECT model FROM ir_model WHERE state = 'base'`)
  const gone = rows.flatMap(([model]) => (env.unit.registry.get(model) ? [] : model))
  if (gone.length === 0) return
  await env.query(sql`DELETE FROM ir_attachment WHERE res_model = ANY(${gone}::text[])`)
  await env.query(sql`DELETE FROM ir_model_data WHERE model = ANY(${gone}::text[])`)
}
