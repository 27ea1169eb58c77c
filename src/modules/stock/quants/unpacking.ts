// Taking goods and packages out of packages, and packages out of transfers that are open.
import type { Records } from '#models'
import { assertAllowed } from '../../base/index.ts'
import { moveNow } from '../engine.ts'

type Packages = Records<'stock.package'>

export async function unpack(packages: Packages): Promise<null> {
  await assertAllowed(packages, 'write')
  const { env } = packages
  await assertAllowed(env.model('stock.quant').browse([]), 'write')
  const rows = await packages.load(['child_package_ids', 'quant_ids'])
  const children = rows.flatMap((row) => row.child_package_ids.map(({ id }) => id))
  if (children.length) await env.model('stock.package').browse(children).write({ parent_package_id: false })
  const quants = await env
    .model('stock.quant')
    .browse(rows.flatMap((row) => row.quant_ids.map(({ id }) => id)))
    .load([
      'product_id',
      'product_uom_id',
      'location_id',
      'lot_id',
      'package_id',
      'owner_id',
      'quantity',
      'company_id',
    ])
  const held = quants.filter((quant) => quant.quantity > 0)
  if (held.length)
    await moveNow(
      env,
      held.map((row) => ({
        product_id: row.product_id.id,
        product_uom: row.product_uom_id?.id ?? 0,
        product_uom_qty: row.quantity,
        location_id: row.location_id.id,
        location_dest_id: row.location_id.id,
        company_id: row.company_id?.id ?? env.companyId,
        is_inventory: true,
        inventory_name: 'Unpacked',
        lines: [
          {
            quantity: row.quantity,
            lot: row.lot_id?.id ?? null,
            package: row.package_id?.id ?? null,
            owner: row.owner_id?.id ?? null,
          },
        ],
      })),
    )
  return null
}

export async function removeFromTransfers(packages: Packages): Promise<null> {
  await assertAllowed(packages, 'write')
  const lines = await packages.env.model('stock.move.line').search([
    ['result_package_id', 'in', packages.ids],
    ['state', 'not in', ['done', 'cancel']],
  ])
  if (lines.length) await lines.write({ result_package_id: false, is_entire_pack: false })
  return null
}
