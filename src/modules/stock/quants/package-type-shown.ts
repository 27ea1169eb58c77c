// Further fields of package types (stock.package.type): use, numbers, routes, storage categories.
import {
  boolean,
  char,
  computedTogether,
  extend,
  implement,
  many2many,
  many2one,
  type Of,
  one2many,
  selection,
} from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { unitNameField } from '../../product/index.ts'

const live = { computed: true } as const

const packageType = extend('stock.package.type', {
  fields: {
    package_use: selection(
      { disposable: 'Used once', reusable: 'Used again' },
      { label: 'Use', required: true, default: 'disposable' },
    ),
    sequence_id: many2one('ir.sequence', {
      label: 'Numbers',
      ondelete: 'set null',
      copy: false,
      help: 'Of packages of the type.',
    }),
    sequence_code: char({ label: 'Code of the Numbers', related: 'sequence_id.code' }),
    route_ids: many2many('stock.route', {
      label: 'Routes',
      relation: { table: 'stock_route_package_type', column: 'package_type_id', other: 'route_id' },
      domain: [['package_type_selectable', '=', true]],
    }),
    storage_category_capacity_ids: one2many('stock.storage.category.capacity', 'package_type_id', {
      label: 'Capacities of Storage Categories',
    }),
    has_quants: boolean({ label: 'Holds Goods', ...live }),
    weight_uom_name: char({ label: 'Unit of Weights', ...live }),
    length_uom_name: char({ label: 'Unit of Lengths', ...live }),
  },
})

const unit = extend('uom.uom', {
  fields: {
    package_type_id: many2one('stock.package.type', { label: 'Type of Package', ondelete: 'set null' }),
  },
})

declare module '#models' {
  interface StockPackageType extends Of<typeof packageType> {}
  interface Uom extends Of<typeof unit> {}
}

export const packageTypesShown = [
  implement(unit),
  implement(packageType, {
    computed: {
      has_quants: computedTogether(packageType, [], async (types, env) => {
        const rows = await env.rows(
          sql`SELECT DISTINCT p.package_type_id FROM stock_package p JOIN stock_quant q ON q.package_id = p.id AND q.quantity <> 0
          WHERE p.package_type_id = ANY(${idList(types.map(({ id }) => id))})`,
          { reads: ['stock.package', 'stock.quant'], row: ['int'] },
        )
        const full = new Set(rows.map((row) => row[0]))
        return new Map(types.map(({ id }) => [id, full.has(id)]))
      }),
      weight_uom_name: unitNameField(packageType, 'weight'),
      length_uom_name: unitNameField(packageType, 'length'),
    },
  }),
] as const
