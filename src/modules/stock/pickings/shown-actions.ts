// Further methods of transfers (stock.picking): splitting, whole packages, views.
import type { Records } from '#models'
import { UserError } from '../../../errors.ts'
import { assertAllowed, givenIds, shownWindow } from '../../base/index.ts'
import { makeBackorders } from './backorder.ts'

type Pickings = Records<'stock.picking'>

export const isOpen = (state: string | null) => state !== 'done' && state !== 'cancel'

/** Transfers that take on what these bring, by transfer. */
export async function followingTransfers(pickings: Pickings): Promise<number[]> {
  const rows = await pickings.load(['move_ids.move_dest_ids.picking_id'])
  const ids = rows.flatMap(({ id, move_ids: moves }) =>
    moves.flatMap((move) =>
      move.move_dest_ids.flatMap(({ picking_id: next }) => (next && next.id !== id ? [next.id] : [])),
    ),
  )
  return [...new Set(ids)]
}

/** Throws UserError for a transfer of which all is picked, or nothing. */
export async function splitTransfers(pickings: Pickings): Promise<null> {
  await assertAllowed(pickings, 'write')
  const rows = await pickings.sudo().load(['move_ids.state', 'move_ids.picked'])
  const left = rows.flatMap(({ move_ids: moves }) => {
    const open = moves.filter((move) => isOpen(move.state))
    const unpicked = open.filter((move) => !move.picked)
    if (unpicked.length === 0 || unpicked.length === open.length)
      throw new UserError('Mark some moves of the transfer as picked: the others go into a new transfer.')
    return unpicked.map(({ id }) => id)
  })
  await makeBackorders(pickings.env.sudo(), left)
  return null
}

/** Throws UserError for packages that hold nothing. */
export async function addPackages(pickings: Pickings, packageIds: readonly unknown[]): Promise<true> {
  const id = pickings.ensureOne()
  await assertAllowed(pickings, 'write')
  const ids = givenIds([...packageIds])
  const quants = await pickings.env.model('stock.quant').search([
    ['package_id', 'in', ids],
    ['quantity', '>', 0],
  ])
  if (quants.length === 0) throw new UserError('These packages are empty.')
  const rows = await quants.load([
    'product_id',
    'location_id',
    'lot_id',
    'package_id',
    'owner_id',
    'quantity',
  ])
  await pickings.env.model('stock.move.line').create(
    rows.map((row) => ({
      picking_id: id,
      product_id: row.product_id.id,
      location_id: row.location_id.id,
      lot_id: row.lot_id?.id ?? false,
      package_id: row.package_id?.id ?? false,
      result_package_id: row.package_id?.id ?? false,
      owner_id: row.owner_id?.id ?? false,
      quantity: row.quantity,
      is_entire_pack: true,
    })),
  )
  return true
}

/** A view of the records of a model that hang on transfers. */
export const over =
  (name: string, model: 'stock.move' | 'stock.move.line' | 'stock.picking', path: string) =>
  async (pickings: Pickings): Promise<object> => {
    await assertAllowed(pickings, 'read')
    return shownWindow({
      name,
      res_model: model,
      view_mode: 'list,form',
      domain: [[path, 'in', pickings.ids]],
    })
  }
