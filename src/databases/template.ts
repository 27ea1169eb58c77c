// Templates: databases with certain modules, made on first use and copied afterwards.
import { createHash } from 'node:crypto'
import { UserError } from '../errors.ts'
import type { Module } from '../models/index.ts'
import { install } from '../models/install/install.ts'
import { analyzeLarge, Pool } from '../postgres/index.ts'
import { buildId } from './build-id.ts'
import { clockScript } from './clock.ts'
import { withDraft } from './drafts.ts'
import type { Maker, Progress } from './maker.ts'
import { markDemo, markInstalled, markRelease } from './modules.ts'
import { systemUnit } from './system-unit.ts'

/** The name of an up-to-date template; the first caller makes it. */
export async function template(
  maker: Maker,
  modules: readonly Module[],
  demo: boolean,
  progress: Progress,
): Promise<string> {
  const name = nameOf(maker, modules, demo)
  if (await maker.admin.databaseExists(name)) return name
  // Made under a temporary name and renamed when it is complete, so that the template's name can be used as
  // soon as it exists. Other processes that need it meanwhile wait for it.
  await maker.admin.holding([name], async () => {
    if (await maker.admin.databaseExists(name)) return
    await withDraft(maker, 'template', async (draft) => {
      await maker.admin.createDatabase(draft)
      await fillTemplate(maker, draft, modules, demo, progress)
      await maker.admin.renameDatabase(draft, name)
      await dropOutdated(maker)
    })
  })
  return name
}

/** The same where it was made already; else undefined. */
export async function existingTemplate(
  maker: Maker,
  modules: readonly Module[],
  demo: boolean,
): Promise<string | undefined> {
  const name = nameOf(maker, modules, demo)
  return (await maker.admin.databaseExists(name)) ? name : undefined
}

function nameOf(maker: Maker, modules: readonly Module[], demo: boolean): string {
  const key = JSON.stringify([modules.map((m) => [m.name, m.version]), demo, maker.pool.clock?.now()])
  return `${ofBuild()}${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
}

/** Prefix of the names of this build's templates. */
const ofBuild = () => `_comptoir_${buildId().slice(0, 12)}_`

/**
 * Drops templates of earlier builds, which only take room; a server that still runs such a build makes its
 * own again.
 */
async function dropOutdated(maker: Maker): Promise<void> {
  const old = await maker.admin.listDatabases(
    (name) =>
      name.startsWith('_comptoir_') && !name.startsWith('_comptoir_draft_') && !name.startsWith(ofBuild()),
  )
  for (const name of old) await maker.admin.dropDatabase(name).catch(ignoreMissing)
}

function ignoreMissing(error: unknown): void {
  // Another process dropped it first.
  if (!(error instanceof UserError)) throw error
}

/** Installs modules into a new database. */
export async function fillTemplate(
  maker: Maker,
  name: string,
  modules: readonly Module[],
  demo: boolean,
  progress: Progress,
): Promise<void> {
  const pool = new Pool({ ...maker.pool, database: name, max: 1, statementTimeout: 0 })
  try {
    const { clock } = maker.pool
    if (clock) await pool.use((connection) => connection.simple(clockScript(clock.now())))
    await systemUnit(pool, modules, async ({ unit }) => {
      await install(unit, { modules, demo, fresh: true, progress })
      await markInstalled(unit, maker.modules, modules)
      if (demo) await markDemo(unit, modules)
      await markRelease(unit)
    })
    await pool.use((connection) => analyzeLarge((text) => connection.query(text)))
  } finally {
    await pool.end()
  }
}
