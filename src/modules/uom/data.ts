// Initial data: the units of `data/units.json`, the precision of quantities, the feature group, and
// rights.
import { readFileSync } from 'node:fs'
import { type DataSet, ref } from '#models'
import { accessLines } from '../base/index.ts'

interface UnitRow {
  readonly id: string
  readonly name: string
  readonly factor?: number
  readonly of?: string
}

const rows = JSON.parse(
  readFileSync(new URL('./data/units.json', import.meta.url), 'utf8'),
) as readonly UnitRow[]

const setOf = (units: readonly UnitRow[]): DataSet => ({
  model: 'uom.uom',
  noupdate: true,
  records: Object.fromEntries(
    units.map(({ id, name, factor = 1, of }) => [
      id,
      { name, relative_factor: factor, ...(of ? { relative_uom_id: ref(of) } : {}) },
    ]),
  ),
})

/** Clients know the plain unit as 1 and the pack of six as 2: they are made before the others. */
const units = [rows.slice(0, 1), rows.slice(1, 2), rows.slice(2)].map(setOf)

const precision: DataSet = {
  model: 'decimal.precision',
  noupdate: true,
  records: { decimal_product_uom: { name: 'Product Unit', digits: 2 } },
}

/**
 * While it is implied by "internal user", sales and purchases may be made in other units than the product's
 * own.
 */
const feature: DataSet = {
  model: 'res.groups',
  records: { group_uom: { name: 'Manage Multiple Units of Measure' } },
}

const access = accessLines({ 'uom.uom': { 'base.group_user': 'r', 'base.group_system': 'rwcd' } })

export const data: readonly DataSet[] = [precision, ...units, feature, access]
