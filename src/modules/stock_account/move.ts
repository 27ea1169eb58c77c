// Moves (stock.move): what their goods are worth, and what of them is still there.
import { boolean, computed, extend, float, idsWhere, implement, many2one, monetary, type Of } from '#models'
import { openBooks } from './books.ts'
import { followDocuments } from './documents.ts'
import { valueMoves } from './valuing.ts'

const money = { currency: 'company_currency_id', readonly: true, copy: false } as const
const quantity = { precision: 'Product Unit', readonly: true, copy: false } as const

const move = extend('stock.move', {
  rules: { layers: { index: ['product_id', 'date', 'id'], where: 'remaining_qty > 0' } },
  fields: {
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'company_id.currency_id',
    }),
    value: monetary({ label: 'Value', ...money, help: 'What the goods were worth when they came or left.' }),
    valued_qty: float({
      label: 'Valued Quantity',
      ...quantity,
      help: "What of the goods is the company's own, in the product's unit.",
    }),
    remaining_qty: float({
      label: 'Remaining Quantity',
      ...quantity,
      help: 'What of goods that leave in the order in which they came is still there.',
    }),
    remaining_value: monetary({
      label: 'Remaining Value',
      currency: 'company_currency_id',
      computed: true,
      help: 'What the goods that remain were worth when they came.',
    }),
    value_change: monetary({
      label: 'Change of Value',
      ...money,
      help: 'What all goods that are there are worth more, or less, through the move.',
    }),
    is_in: boolean({ label: 'Is Incoming (valued)', computed: true }),
    is_out: boolean({ label: 'Is Outgoing (valued)', computed: true }),
    account_move_id: many2one('account.move', {
      label: 'Journal Entry',
      readonly: true,
      copy: false,
      index: true,
      ondelete: 'set null',
    }),
  },
})

declare module '#models' {
  interface StockMove extends Of<typeof move> {}
}

const own = (usage: string | null) => usage === 'internal' || usage === 'transit'

export default implement(move, {
  computed: {
    remaining_value: computed(move, ['remaining_qty', 'value', 'valued_qty'], (one) =>
      one.valued_qty > 0 ? (one.value * one.remaining_qty) / one.valued_qty : 0,
    ),
    is_in: computed(
      move,
      ['location_id.usage', 'location_dest_id.usage'],
      (one) => !own(one.location_id.usage) && own(one.location_dest_id.usage),
    ),
    is_out: computed(
      move,
      ['location_id.usage', 'location_dest_id.usage'],
      (one) => own(one.location_id.usage) && !own(one.location_dest_id.usage),
    ),
  },
  wrap: {
    before_done: (next) => async (moves, params) => {
      await openBooks(moves.env.sudo(), params.goods)
      return next(moves, params)
    },
    documents_changed: (next) => async (moves, params) => {
      await followDocuments(moves.env, moves.ids)
      return next(moves, params)
    },
  },
  wrapCreate: (next) => async (moves, list) => {
    const made = await next(moves, list)
    const done = made.ids.filter((_, i) => list[i]?.state === 'done')
    if (done.length) await valueMoves(moves.env, done)
    return made
  },
  wrapWrite: (next) => async (moves, changes) => {
    await next(moves, changes)
    const done = idsWhere(changes, (vals) => vals.state === 'done')
    if (done.length) await valueMoves(moves.env, done)
  },
})
