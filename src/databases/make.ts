// Creates databases: a copy of a template with the modules, or a new one in which they are installed, which
// is then personalised.

import { UserError } from '../errors.ts'
import type { Module } from '../models/index.ts'
import { Pool } from '../postgres/index.ts'
import { publish, withDraft } from './drafts.ts'
import type { CreateOptions, Maker, Progress } from './maker.ts'
import { listOnly } from './modules.ts'
import { personalise } from './personalise.ts'
import { systemUnit } from './system-unit.ts'
import { existingTemplate, fillTemplate, template } from './template.ts'

const BASE = 'base'

/** Modules named and all they need, in order. Throws UserError for an unknown name. */
export function withDependencies(knownModules: readonly Module[], names: readonly string[]): Module[] {
  const wanted = new Set<string>()
  const add = (name: string) => {
    const module = knownModules.find((m) => m.name === name)
    if (!module)
      throw new UserError(
        `Module ${JSON.stringify(name)} not found. Available modules: ${knownModules.map((m) => m.name).join(', ')}.`,
      )
    if (wanted.has(name)) return
    wanted.add(name)
    for (const need of module.depends) add(need)
  }
  for (const name of names) add(name)
  return knownModules.filter((module) => wanted.has(module.name))
}

/**
 * Makes a database with `base` and the named modules, and its administrator. Nothing stays of one that fails.
 */
export async function makeDatabase(maker: Maker, name: string, options: CreateOptions): Promise<void> {
  const modules = withDependencies(maker.modules, [BASE, ...(options.modules ?? [])])
  const progress: Progress = options.progress ?? (() => undefined)
  const { demo = false, single = false } = options
  const source = single
    ? await existingTemplate(maker, modules, demo)
    : await template(maker, modules, demo, progress)
  await withDraft(maker, 'create', async (draft) => {
    await maker.admin.createDatabase(draft, source)
    if (!source) await fillTemplate(maker, draft, modules, demo, progress)
    const pool = new Pool({ ...maker.pool, database: draft, max: 1 })
    try {
      await systemUnit(pool, modules, async (env) => {
        await personalise(env, options, maker.baseUrl)
        await listOnly(env.unit, maker.modules)
      })
    } finally {
      await pool.end()
    }
    await publish(maker, draft, name)
  })
  progress('ready', 1)
}
