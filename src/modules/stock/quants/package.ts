// Packages (stock.package): boxes and pallets that goods are put into, and kinds of them.
import {
  char,
  computedTogether,
  date,
  float,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { givenVals, keptOnceListed, nextNumbers } from '../../base/index.ts'

export const packageType = model('stock.package.type', {
  label: 'Stock package type',
  order: 'sequence, id',
  rules: {
    sizes: {
      check:
        'COALESCE(height, 0) >= 0 AND COALESCE(width, 0) >= 0 AND COALESCE(packaging_length, 0) >= 0 AND COALESCE(max_weight, 0) >= 0',
      message: 'Sizes and weights of packages must not be negative.',
    },
  },
  fields: {
    name: char({ label: 'Package Type', required: true }),
    sequence: integer({ label: 'Sequence', default: 1 }),
    height: float({ label: 'Height' }),
    width: float({ label: 'Width' }),
    packaging_length: float({ label: 'Length' }),
    base_weight: float({ label: 'Weight', help: 'Of the empty package.' }),
    max_weight: float({ label: 'Max Weight' }),
    barcode: char({ label: 'Barcode', copy: false }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
  },
})

export const stockPackage = model('stock.package', {
  label: 'Packages',
  order: 'name, id',
  rules: { name_of_company: { index: ['name'] } },
  fields: {
    name: char({
      label: 'Package Reference',
      required: true,
      mustSend: false,
      copy: false,
      index: 'trigram',
    }),
    package_type_id: many2one('stock.package.type', {
      label: 'Package Type',
      index: true,
      checkCompany: true,
    }),
    quant_ids: one2many('stock.quant', 'package_id', { label: 'Bulk Content' }),
    location_id: many2one('stock.location', { label: 'Location', asStored: true, computed: true }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    shipping_weight: float({ label: 'Shipping Weight' }),
    pack_date: date({ label: 'Pack Date' }),
  },
})

declare module '#models' {
  interface Models {
    'stock.package.type': StockPackageType
    'stock.package': StockPackage
  }
  interface StockPackageType extends Of<typeof packageType> {}
  interface StockPackage extends Of<typeof stockPackage> {}
}

export const packageTypeBehaviour = implement(packageType)

export const packageBehaviour = implement(stockPackage, {
  wrapGeneric: { unlink: keptOnceListed as never },
  computed: {
    location_id: computedTogether(stockPackage, [], async (packages, env) => {
      const rows = await env.rows(
        sql`SELECT package_id, min(location_id) FROM stock_quant
        WHERE package_id = ANY(${idList(packages.map(({ id }) => id))}) AND quantity > 0 GROUP BY 1`,
        { reads: ['stock.quant'], row: ['int', 'int'] },
      )
      const placeOf = new Map(rows.map((row) => [row[0], { id: row[1] }]))
      return new Map(packages.map(({ id }) => [id, placeOf.get(id) ?? null]))
    }),
  },
  wrapCreate: (next) => async (packages, list) => {
    const valsList = givenVals(list as readonly unknown[])
    const nameless = valsList.filter((vals) => !vals.name)
    const names = nameless.length
      ? await nextNumbers(packages.env.sudo(), 'stock.package', nameless.length)
      : []
    return next(
      packages,
      valsList.map((vals) =>
        vals.name ? vals : { ...vals, name: names?.[nameless.indexOf(vals)] ?? 'Pack' },
      ) as typeof list,
    )
  },
})
