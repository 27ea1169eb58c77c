// A module looked through without a database: its declarations and its data contradict neither themselves nor
// the modules it needs.
import { DeclarationError } from '../errors.ts'
import { modules as own } from '../main.ts'
import { composeRegistry, dataFlaws } from '../models/engine.ts'
import type { Module } from '../models/index.ts'
import { inOrder } from '../modules/load.ts'

/**
 * Checks a module's declarations and data without a database, in a moment. Throws DeclarationError with
 * all errors, one per line, which name module, model, field and a fix. The module is one of Comptoir by
 * name, or the result of `defineModule`, with `others` that it depends on.
 *
 * @example
 * ```ts
 * import { checkModule } from 'comptoir/testing'
 *
 * checkModule('sale')
 * ```
 */
export function checkModule(module: string | Module, others: readonly Module[] = []): void {
  const foreign = [...others, ...(typeof module === 'string' ? [] : [module])].filter(
    (module) => !own.includes(module),
  )
  const registry = composeRegistry(inOrder([...own, ...foreign]))
  const flaws = dataFlaws(registry, typeof module === 'string' ? module : module.name)
  if (flaws.length) throw new DeclarationError(flaws.join('\n'))
}
