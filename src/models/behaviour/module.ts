// Module declarations: name, dependencies, models, data.

import type { ModelName } from '../contract/names.ts'
import { type DataSetOf, type DataVals, type Module, Ref } from '../language/module.ts'

/** The id of the record with an external id such as `base.us`, looked up when the data is loaded. */
export const ref = (xmlid: string): Ref => new Ref(xmlid)

/**
 * Records of a model in a module's data, by external id without the module's name. With `noupdate` they
 * are written at installation only, never by an upgrade.
 */
export function dataSet<const N extends ModelName>(
  model: N,
  records: Readonly<Record<string, DataVals<N>>>,
  { noupdate = false }: { readonly noupdate?: boolean } = {},
): DataSetOf<N> {
  return Object.freeze({ model, noupdate, records })
}

/**
 * Declares a module.
 *
 * @example
 * ```ts
 * import { dataSet, defineModule, ref } from 'comptoir/models'
 * import 'comptoir/modules/base'
 *
 * export default defineModule({
 *   name: 'shelves',
 *   version: '1.0',
 *   summary: 'Shelves of the shop',
 *   depends: ['base'],
 *   models: [],
 *   data: [dataSet('res.partner', { carrier: { name: 'Carrier', country_id: ref('base.us') } })],
 * })
 * ```
 */
export function defineModule(module: Module): Module {
  return Object.freeze({ ...module })
}
