// Modules from outside of this package: loads the files, folders and packages of a configuration, and
// orders them with our own.

import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Module } from '#models'
import { StartupError } from '../errors.ts'
import { messageOf } from '../kit/caught.ts'
import { modules } from './index.ts'

/**
 * Our modules and those of the files at `paths`, each after its dependencies. The default export of a
 * file is a module, or a list of modules. Throws StartupError for a file that does not load or exports
 * no module, a name used twice, and a missing dependency.
 */
export async function allModules(paths: readonly string[]): Promise<readonly Module[]> {
  if (paths.length > 0) resolveToThisEngine()
  const loadedModules: Module[] = []
  for (const path of paths) loadedModules.push(...(await modulesIn(path)))
  return inOrder([...modules, ...loadedModules])
}

let isResolved = false

/**
 * Resolves `comptoir/models` and the other entries of this package to the files that run, wherever a
 * module is and whatever is installed next to it: two engines in one process would not know each other's
 * declarations.
 */
function resolveToThisEngine(): void {
  if (isResolved) return
  isResolved = true
  const urlOf = (path: string) => new URL(`${path}${import.meta.url.slice(-3)}`, import.meta.url).href
  const entries = new Map([
    ['comptoir', urlOf('../main')],
    ['comptoir/models', urlOf('../models/index')],
    ['comptoir/client', urlOf('../client/index')],
    ['comptoir/errors', urlOf('../errors')],
    ...modules.map(({ name }): [string, string] => [`comptoir/modules/${name}`, urlOf(`./${name}/index`)]),
  ])
  registerHooks({
    resolve(specifier, context, next) {
      const url = entries.get(specifier)
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
    },
  })
}

async function modulesIn(path: string): Promise<readonly Module[]> {
  let exported: unknown
  try {
    exported = ((await import(pathToFileURL(path).href)) as { default?: unknown }).default
  } catch (error) {
    throw new StartupError(`The module file ${path} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    })
  }
  const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported]
  if (list.length === 0 || !list.every(isModule))
    throw new StartupError(`${path} has no module as its default export: make one by defineModule`)
  return list
}

const isModule = (value: unknown): value is Module =>
  typeof value === 'object' &&
  value !== null &&
  'depends' in value &&
  'models' in value &&
  'name' in value &&
  typeof value.name === 'string'

/** Modules in an order in which each comes after its dependencies; otherwise the order is kept. */
export function inOrder(modules: readonly Module[]): readonly Module[] {
  const byName = new Map<string, Module>()
  for (const module of modules) {
    if (byName.has(module.name)) throw new StartupError(`Two modules are called ${module.name}`)
    byName.set(module.name, module)
  }
  const placed = new Set<Module>()
  const place = (module: Module, trail: readonly string[]): void => {
    if (placed.has(module)) return
    if (trail.includes(module.name))
      throw new StartupError(`Modules need each other in a circle: ${[...trail, module.name].join(' → ')}`)
    for (const name of module.depends) {
      const needed = byName.get(name)
      if (!needed) throw new StartupError(`The module ${module.name} requires ${name}, which was not found`)
      place(needed, [...trail, module.name])
    }
    placed.add(module)
  }
  for (const module of modules) place(module, [])
  return [...placed]
}
