// Making databases: a copy of a template with the modules in it, then made a database of its own.
import { UserError } from '../errors.ts'
import type { Module } from '../models/index.ts'
import type { Admin, Login, PoolOptions } from '../postgres/index.ts'
import { Pool } from '../postgres/index.ts'
import { systemUnit } from './database.ts'
import { publish, withDraft } from './drafts.ts'
import { personalise } from './personalise.ts'
import { template } from './template.ts'

export type Progress = (step: string, done: number) => void

export interface CreateOptions {
  readonly modules?: readonly string[]
  readonly demo?: boolean
  readonly login?: string
  readonly password?: string
  readonly lang?: string
  /** Lower- or upper-case ISO code of the company's country. */
  readonly country?: string
  readonly phone?: string
  readonly progress?: Progress
}

/** What is needed to make databases of a server. */
export interface Maker {
  readonly admin: Admin
  readonly dataDir: string
  readonly pool: PoolOptions
  readonly modules: readonly Module[]
  /** Who runs the statements of backups; null: the role of the pool, on a server that is not ours. */
  readonly restorer: Login | null
  /** Where clients reach the server. */
  readonly baseUrl?: string
}

const BASE = 'base'

/** Modules named and all they need, in order. Throws UserError for an unknown name. */
export function withDependencies(known: readonly Module[], names: readonly string[]): Module[] {
  const wanted = new Set<string>()
  const add = (name: string) => {
    const module = known.find((m) => m.name === name)
    if (!module) throw new UserError(`There is no module ${JSON.stringify(name)}. Known: ${known.map((m) => m.name).join(', ')}.`)
    if (wanted.has(name)) return
    wanted.add(name)
    for (const need of module.depends) add(need)
  }
  for (const name of names) add(name)
  return known.filter((module) => wanted.has(module.name))
}

/** Makes a database with `base` and the named modules, and its administrator. Nothing stays of one that fails. */
export async function makeDatabase(maker: Maker, name: string, options: CreateOptions): Promise<void> {
  const modules = withDependencies(maker.modules, [BASE, ...(options.modules ?? [])])
  const progress: Progress = options.progress ?? (() => undefined)
  const source = await template(maker, modules, options.demo ?? false, progress)
  await withDraft(maker, 'create', async (draft) => {
    await maker.admin.createDatabase(draft, source)
    const pool = new Pool({ ...maker.pool, database: draft, max: 1 })
    try {
      await systemUnit(pool, modules, (env) => personalise(env, options, maker.baseUrl))
    } finally {
      await pool.end()
    }
    await publish(maker, draft, name)
  })
  progress('ready', 1)
}
