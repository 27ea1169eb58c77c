// Module declarations: name, dependencies, models, data.

import type { ModelName } from '../contract/names.ts'
import { type DataSetOf, type DataVals, type Module, Ref } from '../language/module.ts'

/** The id of the record with an external id such as `base.us`, looked up when the data is loaded. */
export const ref = (xmlid: string): Ref => new Ref(xmlid)

/**
 * Records of a model that a module brings, by external id without the module's name. Those that are
 * `noupdate` are written at installation only, never again by an upgrade.
 */
export function dataSet<const N extends ModelName>(
  model: N,
  records: Readonly<Record<string, DataVals<N>>>,
  { noupdate = false }: { readonly noupdate?: boolean } = {},
): DataSetOf<N> {
  return Object.freeze({ model, noupdate, records })
}

/** Declares a module. */
export function defineModule(module: Module): Module {
  return Object.freeze({ ...module })
}
