// The databases that tests are copies of: modules, demo data and the administrator in them, made once for all
// processes, a few kept.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildId, type Databases, withDependencies } from '../databases/index.ts'
import { modules as own } from '../main.ts'
import type { Module } from '../models/index.ts'
import { Admin } from '../postgres/index.ts'
import { installModules } from '../services/admin.ts'
import { markUsed, timeOf } from './cache-folder.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Templates that stay, the ones used last; each takes some 20 MB. */
const MOST = 8

/** Contents of a test's database. */
export interface Contents {
  /** Names of modules; what they need comes along. */
  readonly modules: readonly string[]
  readonly demo: boolean
  /** The time of the contents, if a test has set one. */
  readonly at: Date | null
}

/**
 * The name of a template with these contents, made under the name `draft` by the first caller while others
 * wait. Throws UserError for unknown modules.
 */
export async function templateFor(databases: Databases, contents: Contents, draft: string): Promise<string> {
  const modules = withDependencies(databases.options.modules, ['base', ...contents.modules])
  const foreign = modules.filter((module) => !own.includes(module))
  const name = nameOf(modules, foreign, contents)
  const admin = new Admin(databases.address)
  const used = join(databases.options.dataDir, 'templates', name)
  if (!(await admin.databaseExists(name))) {
    await admin.holding([name], async () => {
      if (await admin.databaseExists(name)) return
      await make(databases, draft, contents.demo, {
        ours: namesOf(modules.filter((module) => own.includes(module))),
        foreign: namesOf(foreign),
      })
      await admin.renameDatabase(draft, name)
    })
    markUsed(used)
    await prune(databases, admin)
  } else markUsed(used)
  return name
}

function nameOf(modules: readonly Module[], foreign: readonly Module[], { demo, at }: Contents): string {
  const names = modules.map((module) => [module.name, module.version])
  const key = JSON.stringify([names, demo, at, foreign.length > 0 ? fingerprintOf(foreign) : null])
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16)
  return `_comptoir_${buildId().slice(0, 12)}_test_${digest}`
}

const namesOf = (modules: readonly Module[]): string[] => modules.map(({ name }) => name)

/**
 * Our own modules come from a template of theirs, so that a change of others costs no more than their
 * installation.
 */
async function make(
  databases: Databases,
  draft: string,
  demo: boolean,
  { ours, foreign }: { readonly ours: readonly string[]; readonly foreign: readonly string[] },
): Promise<void> {
  try {
    await databases.create(draft, { modules: ours, demo, login: 'admin', password: 'admin' })
    if (foreign.length > 0) await installModules(databases, draft, foreign, { demo })
  } catch (error) {
    await databases.drop(draft)
    throw error
  } finally {
    await databases.forget(draft)
  }
}

/** Drops the templates that were not used for longest. */
async function prune(databases: Databases, admin: Admin): Promise<void> {
  const folder = join(databases.options.dataDir, 'templates')
  mkdirSync(folder, { recursive: true })
  const byUse = readdirSync(folder).sort(
    (first, other) => timeOf(join(folder, other)) - timeOf(join(folder, first)),
  )
  for (const name of byUse.slice(MOST)) {
    await admin.clearDatabase(name)
    rmSync(join(folder, name), { force: true })
  }
}
