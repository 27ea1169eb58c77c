// Taking goods back: the transfer that reverses one that is done, for what its form says, and the one that
// brings the same goods again.
import type { Environment, Records } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { assertAllowed } from '../../base/index.ts'
import { confirmMoves } from '../moves/confirm.ts'

type Forms = Records<'stock.return.picking'>

const linked = (moves: readonly { readonly id: number }[]) =>
  [...new Set(moves.map(({ id }) => id))].map((id): [4, number, 0] => [4, id, 0])

/**
 * Makes the transfer that takes back what the lines of a form say, or `all` that was moved, and confirms it.
 * Its id. Throws UserError where nothing comes back, AccessError.
 */
export async function takeBack(forms: Forms, all: boolean): Promise<number> {
  const { env } = forms
  const form = await forms.one([
    'picking_id',
    'product_return_moves.quantity',
    'product_return_moves.move_id',
    'product_return_moves.to_refund',
  ])
  await assertAllowed(env.model('stock.picking').browse([]), 'create')
  // Hidden transfers are refused here, whatever comes after.
  await env.model('stock.picking').browse([form.picking_id.id]).one(['name'])
  const su = env.sudo()
  const picking = await loadTransfer(su, form.picking_id.id)
  const moves = await loadMoves(
    su,
    form.product_return_moves.flatMap((line) => (line.move_id ? [line.move_id.id] : [])),
  )
  const foreign = moves.find((move) => move.picking_id?.id !== picking.id || move.state !== 'done')
  if (foreign)
    throw new UserError(
      `${foreign.product_id.display_name} was not moved by ${picking.name}: choose done moves of that transfer.`,
    )
  const moveById = new Map(moves.map((move) => [move.id, move]))
  const wanted = form.product_return_moves.flatMap((line) => {
    const move = moveById.get(line.move_id?.id ?? 0)
    const quantity = all ? (move?.quantity ?? 0) : line.quantity
    return move && quantity > 0 ? [{ move, quantity, refund: line.to_refund }] : []
  })
  if (wanted.length === 0) throw new UserError('Nothing to return: set the quantity of at least one line.')
  const type = picking.picking_type_id.return_picking_type_id?.id ?? picking.picking_type_id.id
  const createdPickings = await su.model('stock.picking').create([
    {
      picking_type_id: type,
      origin: `Return of ${picking.name}`,
      return_id: picking.id,
      partner_id: picking.partner_id?.id ?? null,
      company_id: picking.company_id.id,
      owner_id: picking.owner_id?.id ?? null,
      location_id: picking.location_dest_id.id,
      location_dest_id: picking.location_id.id,
    },
  ])
  const back = { id: createdPickings.ensureOne(), type }
  await confirmMoves(su, await reverse(su, wanted, back))
  return back.id
}

const loadTransfer = (su: Environment, id: number) =>
  su
    .model('stock.picking')
    .browse([id])
    .one([
      'name',
      'partner_id',
      'company_id',
      'location_id',
      'location_dest_id',
      'owner_id',
      'picking_type_id',
      'picking_type_id.return_picking_type_id',
    ])

const loadMoves = (su: Environment, ids: readonly number[]) =>
  su
    .model('stock.move')
    .browse(ids)
    .load([
      'product_id.display_name',
      'picking_id',
      'state',
      'product_uom',
      'quantity',
      'location_id',
      'location_dest_id',
      'price_unit',
      'company_id',
      'partner_id',
      'warehouse_id',
      'move_orig_ids.returned_move_ids',
      'move_dest_ids.returned_move_ids',
    ])

/** A move that is done, and how much of it comes back, in its unit. */
interface Wanted {
  readonly move: Awaited<ReturnType<typeof loadMoves>>[number]
  readonly quantity: number
  readonly refund: boolean
}

/** Makes the moves of a transfer that takes goods back, the other way round. Their ids. */
async function reverse(
  su: Environment,
  wanted: readonly Wanted[],
  back: { readonly id: number; readonly type: number },
): Promise<readonly number[]> {
  const copies = (await su
    .model('stock.move')
    .browse(wanted.map(({ move }) => move.id))
    .invoke('copy_data', { default: null })) as Record<string, unknown>[]
  const created = await su.model('stock.move').create(
    wanted.map(({ move, quantity, refund }, i) => ({
      ...copies[i],
      picking_id: back.id,
      picking_type_id: back.type,
      product_uom_qty: quantity,
      location_id: move.location_dest_id.id,
      location_dest_id: move.location_id.id,
      location_final_id: null,
      date: nowUtc(su.now()),
      rule_id: null,
      route_ids: [[5, 0, 0]],
      procure_method: 'make_to_stock' as const,
      origin_returned_move_id: move.id,
      // Returned goods are those that left, lot by lot: they follow the returns of later steps, and
      // precede those of earlier steps.
      move_orig_ids: linked([move, ...move.move_dest_ids.flatMap((moveDest) => moveDest.returned_move_ids)]),
      move_dest_ids: linked(move.move_orig_ids.flatMap((moveOrig) => moveOrig.returned_move_ids)),
      to_refund: refund,
      price_unit: move.price_unit,
    })),
  )
  return created.ids
}

/** A transfer that brings the same goods the first way again. */
export async function createExchange(env: Environment, back: number): Promise<void> {
  const su = env.sudo()
  const picking = await su
    .model('stock.picking')
    .browse([back])
    .one([
      'return_id.picking_type_id',
      'return_id.location_id',
      'return_id.location_dest_id',
      'return_id.name',
      'partner_id',
      'move_ids.product_uom_qty',
      'move_ids.origin_returned_move_id',
    ])
  const first = picking.return_id
  if (!first) return
  const createdPickings = await su.model('stock.picking').create([
    {
      picking_type_id: first.picking_type_id.id,
      origin: `Exchange of ${first.name}`,
      partner_id: picking.partner_id?.id ?? null,
      location_id: first.location_id.id,
      location_dest_id: first.location_dest_id.id,
    },
  ])
  const moves = picking.move_ids.flatMap((move) =>
    move.origin_returned_move_id
      ? [{ id: move.origin_returned_move_id.id, quantity: move.product_uom_qty }]
      : [],
  )
  const copies = (await su
    .model('stock.move')
    .browse(moves.map(({ id }) => id))
    .invoke('copy_data', { default: null })) as Record<string, unknown>[]
  const created = await su.model('stock.move').create(
    copies.map((vals, i) => ({
      ...vals,
      picking_id: createdPickings.ensureOne(),
      product_uom_qty: moves[i]?.quantity ?? 0,
      date: nowUtc(env.now()),
    })),
  )
  await confirmMoves(su, created.ids)
}
