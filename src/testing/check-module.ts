// A module looked through without a database: its declarations and its data contradict neither themselves nor
// the modules it needs.
import { DeclarationError } from '../errors.ts'
import { modules as own } from '../main.ts'
import { composeRegistry, dataFlaws } from '../models/engine.ts'
import type { Module } from '../models/index.ts'
import { inOrder } from '../modules/load.ts'

/**
 * Throws DeclarationError with all that is wrong, a line each, which names module, model, field and what to
 * do. A module of Comptoir by name, one of your own as what `defineModule` gave, with `others` that it needs.
 * It takes no database and no more than a moment: the first test of a module.
 */
export function checkModule(module: string | Module, others: readonly Module[] = []): void {
  const foreign = [...others, ...(typeof module === 'string' ? [] : [module])].filter(
    (module) => !own.includes(module),
  )
  const registry = composeRegistry(inOrder([...own, ...foreign]))
  const flaws = dataFlaws(registry, typeof module === 'string' ? module : module.name)
  if (flaws.length) throw new DeclarationError(flaws.join('\n'))
}
