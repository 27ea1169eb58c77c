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
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'
import { actionMethod, givenVals, shownWindow } from '../../base/index.ts'
import { createExchange, takeBack } from './return-transfer.ts'

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
    action_create_returns: actionMethod('Creates and confirms the return transfer.'),
    action_create_returns_all: actionMethod('Creates and confirms the return of all moved goods.'),
    action_create_exchanges: actionMethod(
      'Creates the return transfer and a new transfer of the same goods.',
    ),
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
      help: 'Quantity to return, in the unit of the move.',
    }),
    uom_id: many2one('uom.uom', { label: 'Unit', related: 'move_id.product_uom' }),
    move_id: many2one('stock.move', { label: 'Move', ondelete: 'cascade' }),
    move_quantity: float({
      label: 'Move Quantity',
      precision: 'Product Unit',
      related: 'move_id.quantity',
    }),
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

const pickingInContext = ({ context: { active_model: model, active_id: id } }: Environment) =>
  model === 'stock.picking' && isInteger(id) ? id : null

/** A line for every move that is done; nothing comes back unless somebody says how much. */
async function fillForms(
  env: Environment,
  list: readonly Readonly<Record<string, unknown>>[],
): Promise<Record<string, unknown>[]> {
  const active = pickingInContext(env)
  const valsList = list.map(
    (vals) => ({ ...(active === null ? {} : { picking_id: active }), ...vals }) as Record<string, unknown>,
  )
  const ids = valsList.flatMap((vals) => (isInteger(vals.picking_id) ? [vals.picking_id] : []))
  const pickings = await env
    .model('stock.picking')
    .browse([...new Set(ids)])
    .load(['state', 'move_ids.state', 'move_ids.product_id', 'move_ids.scrap_id'])
  const pickingById = new Map(pickings.map((picking) => [picking.id, picking]))
  for (const vals of valsList) {
    const picking = pickingById.get(vals.picking_id as number)
    if (!picking) continue
    if (picking.state !== 'done') throw new UserError('Only done transfers can be returned.')
    if (vals.product_return_moves !== undefined) continue
    const moves = picking.move_ids.filter((move) => move.state === 'done' && !move.scrap_id)
    if (moves.length === 0) throw new UserError('Nothing to return: the transfer moved no goods.')
    vals.product_return_moves = moves.map((move) => [
      0,
      0,
      { move_id: move.id, product_id: move.product_id.id, quantity: 0 },
    ])
  }
  return valsList
}

const opened = (id: number): object =>
  shownWindow({
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
      await createExchange(forms.env, back)
      return opened(back)
    },
  },
})

export const returnFormLine = implement(line)
