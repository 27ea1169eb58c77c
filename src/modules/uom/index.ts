// The module `uom`: units of measure and how quantities and prices move between them.
import { defineModule, termsIn } from '#models'
import { data } from './data.ts'
import uom from './uom.ts'

export const uomModule = defineModule({
  name: 'uom',
  version: '19.0.1.1',
  summary: 'Units of measure and how quantities and prices move between them',
  title: 'Units of measure',
  author: 'Comptoir',
  category: 'base.module_category_hidden',
  depends: ['base'],
  models: [uom],
  data,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
})

// Functions for modules that depend on this one.
export { convertPrice, convertQuantity, type Rounding, type UnitFactor } from './conversion.ts'
export { factorsOf, otherRatios } from './uom.ts'

// As the modules of others are imported: `import uomModule from 'comptoir/modules/uom'`.
export default uomModule
