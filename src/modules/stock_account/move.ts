// Moves (stock.move): what their goods are worth, and what of them is still there.
import {
  boolean,
  computed,
  extend,
  float,
  idsWhere,
  implement,
  many2many,
  many2one,
  monetary,
  type Of,
  one2many,
  required,
  returns,
  type Vals,
  writable,
} from '#models'
import { assertAllowed, readonlyActionMethod, shownWindow } from '../base/index.ts'
import { openBooks } from './books.ts'
import { followQuantities } from './corrections.ts'
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
    value: monetary({
      label: 'Value',
      ...money,
      readonly: false,
      help: 'Value of the goods when they came or left.',
    }),
    valued_qty: float({
      label: 'Valued Quantity',
      ...quantity,
      help: "Quantity of the goods that the company owns, in the product's unit.",
    }),
    remaining_qty: float({
      label: 'Remaining Quantity',
      ...quantity,
      asStored: false,
      help: 'Quantity that is still on hand, for first in, first out.',
    }),
    remaining_value: monetary({
      label: 'Remaining Value',
      currency: 'company_currency_id',
      computed: true,
      help: 'Value of the remaining goods when they came.',
    }),
    value_change: monetary({
      label: 'Change of Value',
      ...money,
      help: 'Change of the value of all goods on hand by the move.',
    }),
    is_dropship: boolean({ label: 'Is Sent from Vendor to Customer', computed: true, asStored: true }),
    is_valued: boolean({
      label: 'Is Valued',
      computed: true,
      help: 'The move is done and brought goods in or out.',
    }),
    standard_price: float({ label: 'Cost of the Product', related: 'product_id.standard_price' }),
    value_manual: monetary({
      label: 'Value to Correct',
      currency: 'company_currency_id',
      computed: true,
      readonly: false,
      help: 'Value of the goods; each correction is a record of product.value.',
    }),
    is_in: boolean({ label: 'Is Incoming (valued)', computed: true, asStored: true }),
    is_out: boolean({ label: 'Is Outgoing (valued)', computed: true, asStored: true }),
    analytic_account_line_ids: many2many('account.analytic.line', {
      label: 'Analytic Account Line',
      copy: false,
    }),
    account_move_id: many2one('account.move', {
      label: 'Journal Entry',
      copy: false,
      index: 'set',
      ondelete: 'set null',
    }),
  },
  methods: {
    action_adjust_valuation: readonlyActionMethod('Opens the form that corrects the value of goods.'),
    search_remaining_qty: {
      doc: 'Returns the domain of moves for a condition on their remaining quantity.',
      readonly: true,
      params: {
        operator: required<string>('string'),
        value: required<unknown>('any', { annotation: 'float' }),
      },
      returns: returns<unknown[]>('array', 'DomainType'),
    },
  },
})

const entry = extend('account.move', {
  fields: {
    stock_move_ids: one2many('stock.move', 'account_move_id', { label: 'Stock Move' }),
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof entry> {}
  interface StockMove extends Of<typeof move> {}
}

export const entryOfGoods = implement(entry, {
  writable: writable<'account.move'>({ server: ['stock_move_ids'] }),
})

/** Facts of a move that goods came or left by: planned moves do neither (recorded). */
const valuedPaths = ['state', 'location_id.usage', 'location_dest_id.usage'] as const
const isWithin = (usage: string | null) => usage === 'internal' || usage === 'transit'

export default implement(move, {
  writable: writable<'stock.move'>({
    server: ['value', 'account_move_id'],
    later: { done: ['value_manual'] },
  }),
  computed: {
    remaining_value: computed(move, ['remaining_qty', 'value', 'valued_qty'], (move) =>
      move.valued_qty > 0 ? (move.value * move.remaining_qty) / move.valued_qty : 0,
    ),
    is_dropship: computed(
      move,
      valuedPaths,
      (move) =>
        move.state === 'done' &&
        move.location_id.usage === 'supplier' &&
        move.location_dest_id.usage === 'customer',
    ),
    is_valued: computed(
      move,
      ['is_in', 'is_out', 'is_dropship'],
      (move) => move.is_in || move.is_out || move.is_dropship,
    ),
    value_manual: computed(move, ['value'], (move) => move.value, {
      // Of planned moves, which are worth nothing yet, forms send 0.
      inverse: async (env, values) => {
        const moves = await env
          .model('stock.move')
          .browse([...values.keys()])
          .load(['value'])
        const corrected = moves.filter((move) => values.get(move.id) !== move.value)
        await env.model('product.value').create(
          corrected.map(({ id }) => ({
            move_id: id,
            value: Number(values.get(id)),
          })) as Vals<'product.value'>[],
        )
      },
    }),
    is_in: computed(
      move,
      valuedPaths,
      (move) =>
        move.state === 'done' && !isWithin(move.location_id.usage) && isWithin(move.location_dest_id.usage),
    ),
    is_out: computed(
      move,
      valuedPaths,
      (move) =>
        move.state === 'done' && isWithin(move.location_id.usage) && !isWithin(move.location_dest_id.usage),
    ),
  },
  methods: {
    action_adjust_valuation: async (moves) => {
      await assertAllowed(moves, 'read')
      const { product_id: product, value } = await moves.one(['product_id', 'value'])
      return shownWindow({
        name: 'Adjust Valuation',
        res_model: 'product.value',
        view_mode: 'form',
        target: 'new',
        context: {
          default_move_id: moves.ensureOne(),
          default_product_id: product.id,
          default_value: value,
        },
      })
    },
    search_remaining_qty: (_moves, { operator, value }) => [['remaining_qty', operator, value]],
  },
  wrap: {
    before_done: (next) => async (moves, params) => {
      await openBooks(moves.env.sudo(), params.goods)
      return next(moves, params)
    },
    quantities_corrected: (next) => async (moves, params) => {
      await followQuantities(moves.env, params.changes)
      return next(moves, params)
    },
    documents_changed: (next) => async (moves, params) => {
      await followDocuments(moves.env, moves.ids)
      return next(moves, params)
    },
  },
  wrapCreate: (next) => async (moves, list) => {
    const createdMoves = await next(moves, list)
    const done = createdMoves.ids.filter((_, i) => list[i]?.state === 'done')
    if (done.length) await valueMoves(moves.env, done)
    return createdMoves
  },
  wrapWrite: (next) => async (moves, changes) => {
    await next(moves, changes)
    const done = idsWhere(changes, (vals) => vals.state === 'done')
    if (done.length) await valueMoves(moves.env, done)
  },
})
