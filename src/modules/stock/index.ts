// The module `stock`: places, moves of goods, what is where, lots and packages, routes and replenishment. Its
// story is in README.md.
import { defineModule, termsIn } from '#models'
import { auditedModels } from './audited.ts'
import { barcodeNomenclatures } from './barcodes/nomenclature.ts'
import { data } from './data.ts'
import { demo } from './demo.ts'
import { countForms } from './forms/counts.ts'
import replenishForm from './forms/replenish.ts'
import { replenishmentOptions } from './forms/replenishment-options.ts'
import stockQuantity from './forms/stock-quantity.ts'
import traceability from './forms/traceability.ts'
import { transferForms } from './forms/transfers.ts'
import moveLine from './moves/line.ts'
import moveLinesShown from './moves/line-shown.ts'
import move from './moves/move.ts'
import movesShown from './moves/shown.ts'
import { backorderForm, backorderFormLine } from './pickings/backorder-form.ts'
import picking from './pickings/picking.ts'
import { returnForm, returnFormLine } from './pickings/return.ts'
import scrap from './pickings/scrap.ts'
import { scrapForm } from './pickings/scrap-form.ts'
import pickingsShown from './pickings/shown.ts'
import company, { equipCompany } from './places/company.ts'
import location from './places/location.ts'
import partner from './places/partner.ts'
import pickingType from './places/picking-type.ts'
import removal from './places/removal.ts'
import { placesShown } from './places/shown.ts'
import { storage } from './places/storage.ts'
import warehouse from './places/warehouse.ts'
import category from './products/category.ts'
import product from './products/product.ts'
import { goodsShown } from './products/shown.ts'
import template from './products/template.ts'
import unit from './products/unit.ts'
import lot from './quants/lot.ts'
import { packageBehaviour, packageTypeBehaviour } from './quants/package.ts'
import packagesShown from './quants/package-shown.ts'
import { packageTypesShown } from './quants/package-type-shown.ts'
import quant from './quants/quant.ts'
import { quantsShown } from './quants/quant-shown.ts'
import { references } from './quants/references.ts'
import orderpoint from './rules/orderpoint.ts'
import orderpointsShown from './rules/orderpoint-shown.ts'
import route from './rules/route.ts'
import rule from './rules/rule.ts'
import { warehouseMethods } from './rules/warehouse-methods.ts'
import { security } from './security.ts'
import settings from './settings.ts'
import { stockThreads } from './threads.ts'

export const stock = defineModule({
  name: 'stock',
  version: '19.0.1.5',
  summary: 'Warehouses, transfers, quantities, lots and replenishment',
  title: 'Inventory',
  author: 'Comptoir',
  category: 'base.module_category_inventory',
  application: true,
  depends: ['base', 'mail', 'uom', 'product'],
  models: [
    removal,
    location,
    warehouse,
    warehouseMethods,
    pickingType,
    ...storage,
    route,
    rule,
    lot,
    packageTypeBehaviour,
    packageBehaviour,
    quant,
    picking,
    move,
    moveLine,
    scrap,
    ...references,
    packagesShown,
    ...packageTypesShown,
    ...quantsShown,
    pickingsShown,
    movesShown,
    moveLinesShown,
    ...placesShown,
    scrapForm,
    orderpoint,
    orderpointsShown,
    ...countForms,
    ...transferForms,
    ...replenishmentOptions,
    replenishForm,
    traceability,
    stockQuantity,
    ...barcodeNomenclatures,
    backorderForm,
    backorderFormLine,
    returnForm,
    returnFormLine,
    // Additions to models of other modules.
    company,
    partner,
    category,
    template,
    unit,
    product,
    ...goodsShown,
    settings,
    ...stockThreads,
    ...auditedModels,
  ],
  data: [...security, ...data],
  demo,
  terms: termsIn(new URL('./i18n/', import.meta.url)),
  ready: async (env) => {
    const companies = await env.sudo().model('res.company').search([], { order: 'id' })
    for (const id of companies.ids) await equipCompany(env.sudo().withCompany(id), id)
  },
})

// Functions for modules that depend on this one.
export {
  assignMoves,
  cancelMoves,
  confirmMoves,
  doneMoves,
  type Handover,
  type LineSpec,
  type MoveSpec,
  makeMoves,
  moveNow,
  type PromisedLots,
  setQuantities,
  transferDirectly,
  unreserve,
} from './engine.ts'
export { type Addition, joinLines } from './moves/additions.ts'
export { usages } from './places/usages.ts'
export { type Quantities, quantitiesOf } from './products/quantities.ts'
export { type Matched, meetNeeds, type Need } from './rules/procurement.ts'
export { kindPaths } from './rules/pull.ts'

// As the modules of others are imported: `import stock from 'comptoir/modules/stock'`.
export default stock
