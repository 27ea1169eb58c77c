// The form that takes goods back (stock.return.picking): moves the other way round, for what of a done
// transfer is to come back.

import {
  boolean,
  char,
  type Environment,
  float,
  implement,
  many2one,
  type Of,
  one2many,
  type Records,
  returns,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { givenVals } from '../../base/index.ts'
import { confirmMoves } from '../moves/confirm.ts'

const form = transient('stock.return.picking', {
  label: 'Return Picking',
  formsBySaving: true,
  fields: {
    picking_id: many2one('stock.picking', {
      label: 'Transfer',
      required: true,
      mustSend: false,
      ondelete: 'cascade',
    }),
    product_return_moves: one2many('stock.return.picking.line', 'wizard_id', { label: 'Moves' }),
    company_id: many2one('res.company', { label: 'Company', related: 'picking_id.company_id' }),
  },
  methods: {
    action_create_returns: {
      doc: 'Makes the transfer that takes the goods back, and confirms it.',
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    action_create_returns_all: {
      doc: 'The same for all that was moved.',
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    action_create_exchanges: {
      doc: 'Takes the goods back, and wants the same again.',
      params: {},
      returns: returns<object>('object', 'dict'),
    },
  },
})

const line = transient('stock.return.picking.line', {
  label: 'Return Picking Line',
  fields: {
    wizard_id: many2one('stock.return.picking', { label: 'Wizard', ondelete: 'cascade', index: true }),
    product_id: many2one('product.product', { label: 'Product', required: true }),
    quantity: float({
      label: 'Quantity',
      precision: 'Product Unit',
      default: 0,
      help: 'What comes back, in the unit of the move.',
    }),
    uom_id: many2one('uom.uom', { label: 'Unit', related: 'move_id.product_uom' }),
    move_id: many2one('stock.move', { label: 'Move', ondelete: 'cascade' }),
    move_quantity: float({ label: 'Move Quantity', related: 'move_id.quantity' }),
    to_refund: boolean({ label: 'Update quantities on SO/PO', default: true }),
    reason: char({ label: 'Reason' }),
  },
})

declare module '#models' {
  interface Models {
    'stock.return.picking': ReturnPicking
    'stock.return.picking.line': ReturnPickingLine
  }
  interface ReturnPicking extends Of<typeof form> {}
  interface ReturnPickingLine extends Of<typeof line> {}
}

type Forms = Records<'stock.return.picking'>

const pickingInContext = ({ context: { active_model: model, active_id: id } }: Environment) =>
  model === 'stock.picking' && isInteger(id) ? id : null

/** A line for every move that is done; nothing comes back unless somebody says how much. */
async function fillForms(
  env: Environment,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<Record<string, unknown>[]> {
  const active = pickingInContext(env)
  const own = list.map(
    (vals) => ({ ...(active === null ? {} : { picking_id: active }), ...vals }) as Record<string, unknown>,
  )
  const ids = own.flatMap((vals) => (isInteger(vals.picking_id) ? [vals.picking_id] : []))
  const pickings = await env
    .model('stock.picking')
    .browse([...new Set(ids)])
    .load(['state', 'move_ids.state', 'move_ids.product_id', 'move_ids.scrap_id'])
  const known = new Map(pickings.map((one) => [one.id, one]))
  for (const vals of own) {
    const picking = known.get(vals.picking_id as number)
    if (!picking) continue
    if (picking.state !== 'done')
      throw new UserError('Only what was moved can come back: the transfer is not done.')
    if (vals.product_return_moves !== undefined) continue
    const moves = picking.move_ids.filter((move) => move.state === 'done' && !move.scrap_id)
    if (moves.length === 0) throw new UserError('Nothing can come back: the transfer moved nothing.')
    vals.product_return_moves = moves.map((move) => [
      0,
      0,
      { move_id: move.id, product_id: move.product_id.id, quantity: 0 },
    ])
  }
  return own
}

const linked = (moves: readonly { readonly id: number }[]) =>
  [...new Set(moves.map(({ id }) => id))].map((id): [4, number, 0] => [4, id, 0])

async function takeBack(forms: Forms, all: boolean): Promise<number> {
  const { env } = forms
  const one = await forms.one([
    'picking_id',
    'product_return_moves.quantity',
    'product_return_moves.move_id',
    'product_return_moves.to_refund',
  ])
  await env.model('stock.picking').invoke('check_access_rights', { operation: 'create' })
  // Hidden transfers are refused here, whatever comes after.
  await env.model('stock.picking').browse([one.picking_id.id]).one(['name'])
  const su = env.sudo()
  const picking = await su
    .model('stock.picking')
    .browse([one.picking_id.id])
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
  const moves = await su
    .model('stock.move')
    .browse(one.product_return_moves.flatMap((line) => (line.move_id ? [line.move_id.id] : [])))
    .load([
      'product_id',
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
  const known = new Map(moves.map((move) => [move.id, move]))
  const wanted = one.product_return_moves.flatMap((line) => {
    const move = known.get(line.move_id?.id ?? 0)
    const quantity = all ? (move?.quantity ?? 0) : line.quantity
    return move && quantity > 0 ? [{ move, quantity, refund: line.to_refund }] : []
  })
  if (wanted.length === 0) throw new UserError('Say how much comes back: the quantity of a line at least.')
  const type = picking.picking_type_id.return_picking_type_id?.id ?? picking.picking_type_id.id
  const made = await su.model('stock.picking').create([
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
  const copies = (await su
    .model('stock.move')
    .browse(wanted.map(({ move }) => move.id))
    .invoke('copy_data', { default: null })) as Record<string, unknown>[]
  const created = await su.model('stock.move').create(
    wanted.map(({ move, quantity, refund }, i) => ({
      ...copies[i],
      picking_id: made.ensureOne(),
      picking_type_id: type,
      product_uom_qty: quantity,
      location_id: move.location_dest_id.id,
      location_dest_id: move.location_id.id,
      location_final_id: null,
      date: nowUtc(env.now()),
      rule_id: null,
      route_ids: [[5, 0, 0]],
      procure_method: 'make_to_stock' as const,
      origin_returned_move_id: move.id,
      // What comes back is what went, lot by lot: after what a later step took back, before an earlier one's.
      move_orig_ids: linked([move, ...move.move_dest_ids.flatMap((one) => one.returned_move_ids)]),
      move_dest_ids: linked(move.move_orig_ids.flatMap((one) => one.returned_move_ids)),
      to_refund: refund,
      price_unit: move.price_unit,
    })),
  )
  await confirmMoves(su, created.ids)
  return made.ensureOne()
}

const opened = (id: number): object => ({
  type: 'ir.actions.act_window',
  name: 'Returned Picking',
  res_model: 'stock.picking',
  res_id: id,
  view_mode: 'form',
  views: [[false, 'form']],
})

export const returnForm = implement(form, {
  defaults: { picking_id: pickingInContext },
  wrapCreate: (next) => async (forms, list) =>
    next(forms, await fillForms(forms.env, givenVals(list as readonly unknown[]))),
  methods: {
    action_create_returns: async (forms) => opened(await takeBack(forms, false)),
    action_create_returns_all: async (forms) => opened(await takeBack(forms, true)),
    action_create_exchanges: async (forms) => {
      const back = await takeBack(forms, false)
      await wantAgain(forms.env, back)
      return opened(back)
    },
  },
})

/** A transfer that brings the same goods the first way again. */
async function wantAgain(env: Environment, back: number): Promise<void> {
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
  const made = await su.model('stock.picking').create([
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
      picking_id: made.ensureOne(),
      product_uom_qty: moves[i]?.quantity ?? 0,
      date: nowUtc(env.now()),
    })),
  )
  await confirmMoves(su, created.ids)
}

export const returnFormLine = implement(line)
