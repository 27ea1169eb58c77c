// Audited fields of goods: counts, scrap, changes of moves after they are done, and whether quantities follow
// moves at all. The ledger itself is the record of all moves.
import { audited } from '#models'

export const auditedModels = [
  audited('product.template', { fields: ['is_storable', 'tracking'] }),
  audited('stock.quant', { fields: ['inventory_quantity'] }),
  audited('stock.move.line', {
    later: {
      state: 'state',
      in: ['done'],
      fields: [
        'quantity',
        'lot_id',
        'location_id',
        'location_dest_id',
        'package_id',
        'result_package_id',
        'owner_id',
      ],
    },
  }),
  audited('stock.scrap', {
    fields: ['state', 'product_id', 'scrap_qty', 'lot_id', 'location_id', 'scrap_location_id'],
    create: true,
    unlink: true,
  }),
  audited('stock.picking', {
    later: { state: 'state', in: ['done'], fields: ['partner_id', 'location_id', 'location_dest_id'] },
    unlink: ['state'],
  }),
]
