// Weights and volumes of transfers, of goods and of the packages that they are in (stock.picking).
import { computedFields } from '#models'
import { roundToScale } from '../../../kit/rounding.ts'
import { picking } from './shown.contract.ts'

export const weights = computedFields(
  picking,
  ['weight_bulk', 'shipping_weight', 'shipping_volume', 'packages_count'],
  [
    'typed_weight',
    'move_line_ids.quantity_product_uom',
    'move_line_ids.product_id.weight',
    'move_line_ids.product_id.volume',
    'move_line_ids.result_package_id.shipping_weight',
    'move_line_ids.result_package_id.package_type_id.base_weight',
    'state',
  ],
  (pickings) =>
    new Map(
      pickings.map(({ id, typed_weight: typed, move_line_ids: lines, state }) => {
        const sum = (of: (line: (typeof lines)[number]) => number) =>
          roundToScale(
            lines.reduce((total, line) => total + of(line), 0),
            6,
          )
        const loose = sum((line) =>
          line.result_package_id ? 0 : line.quantity_product_uom * line.product_id.weight,
        )
        const packages = new Map(
          lines.flatMap(({ result_package_id: packageRow }) =>
            packageRow ? [[packageRow.id, packageRow] as const] : [],
          ),
        )
        const packed = [...packages.values()].reduce(
          (total, record) => total + (record.shipping_weight || (record.package_type_id?.base_weight ?? 0)),
          0,
        )
        return [
          id,
          {
            weight_bulk: loose,
            shipping_weight: typed || roundToScale(loose + packed, 6),
            shipping_volume:
              state === 'done' ? sum((line) => line.quantity_product_uom * line.product_id.volume) : 0,
            packages_count: packages.size,
          },
        ]
      }),
    ),
  {
    inverse: async (env, values) => {
      await env
        .model('stock.picking')
        .writeEach(new Map([...values].map(([id, weight]) => [id, { typed_weight: Number(weight) || 0 }])))
    },
  },
)
