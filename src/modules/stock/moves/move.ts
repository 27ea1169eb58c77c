// Implementation of moves (stock.move). The move engine: confirm.ts, assign.ts, quantity.ts, done.ts,
// cancel.ts; its entry point: engine.ts.

import { computed, computedTogether, implement, type Records, type WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { givenVals } from '../../base/index.ts'
import { convertQuantity } from '../../uom/index.ts'
import { forgetQuantities } from '../products/quantities.ts'
import { moveWritable } from '../writable.ts'
import { assignMoves } from './assign.ts'
import { completeMoves } from './creation.ts'
import { followDemand } from './demand.ts'
import { asEngineWrite, isComplete, isEngineWrite } from './engine-writes.ts'
import { forecastOf } from './forecast.ts'
import { assertStates, dropGivenStates } from './ignored-states.ts'
import { move } from './move.contract.ts'
import { setQuantities } from './quantity.ts'
import { refreshStates } from './states.ts'

type Moves = Records<'stock.move'>

/** Quantities that are typed, by move. Throws InvalidValue for what is no number. */
function typed({ env }: Moves, changes: readonly WriteChange[]): Map<number, number> {
  const field = present(env.def('stock.move').fields.get('quantity'))
  const quantities = new Map<number, number>()
  for (const { ids, vals } of changes) {
    if (!('quantity' in vals)) continue
    const quantity = Number(field.type.toColumn(field, vals.quantity))
    for (const id of ids) quantities.set(id, quantity)
  }
  return quantities
}

/** The same changes without quantities: those are what the lines say. */
const withoutQuantities = (changes: readonly WriteChange[]): WriteChange[] =>
  changes.map(({ ids, vals }) => {
    if (!('quantity' in vals)) return { ids, vals }
    const { quantity: _, ...rest } = vals
    return { ids, vals: rest }
  })

/** Lines of moves are picked with them. */
async function pickLines(moves: Moves, changes: readonly WriteChange[]): Promise<void> {
  for (const picked of [true, false]) {
    const ids = changes
      .filter(({ vals }) => 'picked' in vals && Boolean(vals.picked) === picked)
      .flatMap((change) => change.ids)
    if (ids.length === 0) continue
    const lines = await moves.env
      .sudo()
      .model('stock.move.line')
      .search([
        ['move_id', 'in', ids],
        ['picked', '=', !picked],
      ])
    if (lines.length) await asEngineWrite(moves.env, () => lines.write({ picked }))
  }
}

export default implement(move, {
  writable: moveWritable,
  displayName: computed(
    move,
    ['product_id.default_code', 'location_id.name', 'location_dest_id.name', 'picking_id.origin'],
    // Where it comes from, what, and its way: `S00001/BOX: Stock>Customers`.
    (move) => {
      const origin = move.picking_id?.origin ? `${move.picking_id.origin}/` : ''
      const code = move.product_id.default_code ? `${move.product_id.default_code}: ` : ''
      return `${origin}${code}${move.location_id.name}>${move.location_dest_id.name}`
    },
  ),
  defaults: { date: (env) => nowUtc(env.now()) },
  computed: {
    product_qty: computed(
      move,
      ['product_uom_qty', 'product_uom.factor', 'product_id.product_tmpl_id.uom_id.factor'],
      (move) =>
        convertQuantity(
          move.product_uom_qty,
          move.product_uom,
          move.product_id.product_tmpl_id.uom_id,
          'half-up',
        ),
    ),
    quantity: computed(
      move,
      ['product_uom.factor', 'move_line_ids.quantity', 'move_line_ids.product_uom_id.factor'],
      (move) =>
        Number(
          move.move_line_ids
            .reduce(
              (sum, line) =>
                sum + convertQuantity(line.quantity, line.product_uom_id, move.product_uom, 'none'),
              0,
            )
            .toFixed(2),
        ),
    ),
    picked: computed(
      move,
      ['move_line_ids.picked'],
      (move) => move.move_line_ids.some((line) => line.picked),
      {
        editable: true,
      },
    ),
    lot_ids: computed(move, ['move_line_ids.lot_id'], (move) => [
      ...new Set(move.move_line_ids.flatMap((line) => (line.lot_id ? [line.lot_id.id] : []))),
    ]),
    reference: computed(
      move,
      ['picking_id.name', 'scrap_id.name', 'is_inventory', 'inventory_name'],
      (move) =>
        move.picking_id?.name ??
        move.scrap_id?.name ??
        (move.is_inventory ? (move.inventory_name ?? 'Product Quantity Updated') : null),
    ),
    ...forecastOf,
    availability: computedTogether(
      move,
      ['state', 'product_qty', 'quantity', 'forecast_availability'],
      (moves) =>
        new Map(
          moves.map((move) => [
            move.id,
            move.state === 'done' ? move.product_qty : move.forecast_availability,
          ]),
        ),
    ),
  },
  methods: {
    document_values: async () => new Map(),
    before_done: async () => null,
    sharing_documents: async (moves) => moves.ids,
    quantities_corrected: async () => null,
    documents_changed: async () => null,
  },
  wrapCreate: (next) => async (moves, list) => {
    const { env } = moves
    forgetQuantities(env)
    if (isComplete(env)) return next(moves, list)
    const valsList = dropGivenStates(env, givenVals(list as readonly unknown[]))
    const createdMoves = await next(moves, await completeMoves(env, valsList))
    const changes = createdMoves.ids.map((id, i) => ({ ids: [id], vals: present(valsList[i]) }))
    const wanted = typed(moves, changes)
    if (wanted.size) await setQuantities(env, new Map([...wanted].filter(([, quantity]) => quantity > 0)))
    await pickLines(createdMoves, changes)
    return createdMoves
  },
  wrapWrite: (next) => async (moves, changes) => {
    const { env } = moves
    forgetQuantities(env)
    if (isEngineWrite(env)) return next(moves, changes)
    await assertStates(moves, changes)
    const demand = await followDemand(moves, changes)
    await next(moves, withoutQuantities(changes))
    const wanted = typed(moves, changes)
    if (wanted.size) await setQuantities(env, wanted)
    await pickLines(moves, changes)
    if (demand.changed.length) await refreshStates(env, demand.changed)
    if (demand.reassign.length) await assignMoves(env, demand.reassign)
  },
  wrapGeneric: {
    unlink: (next) => async (moves, params) => {
      const rows = await moves.sudo().load(['state', 'move_line_ids'])
      if (rows.some((row) => row.state !== 'draft' && row.state !== 'cancel'))
        throw new UserError('Only draft and cancelled moves can be deleted.')
      const lines = rows.flatMap((row) => row.move_line_ids.map(({ id }) => id))
      if (lines.length)
        await asEngineWrite(moves.env, () => moves.env.sudo().model('stock.move.line').browse(lines).unlink())
      return next(moves, params)
    },
  },
})
