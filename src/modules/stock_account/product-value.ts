// Changes of what goods are worth that no move brings (product.value): a cost that somebody sets, which the
// server writes down, and corrections of what receipts are worth, which stock managers create. No user
// changes them.
import {
  char,
  computed,
  datetime,
  type Environment,
  float,
  implement,
  many2one,
  model,
  monetary,
  type Of,
  type Vals,
  writable,
} from '#models'
import { UserError } from '../../errors.ts'
import { nowUtc } from '../../kit/dates.ts'
import { isInteger, present } from '../../kit/present.ts'
import { assertNoneMissing } from '../base/index.ts'
import { followDocuments } from './documents.ts'

const value = model('product.value', {
  label: 'Product Value',
  order: 'date desc, id desc',
  recName: 'product_id',
  rules: { of_product: { index: ['product_id', 'company_id', 'date'] } },
  fields: {
    product_id: many2one('product.product', { label: 'Product', required: true, ondelete: 'cascade' }),
    move_id: many2one('stock.move', { label: 'Move', ondelete: 'set null', index: true }),
    lot_id: many2one('stock.lot', { label: 'Lot', ondelete: 'set null', index: 'set' }),
    company_id: many2one('res.company', { label: 'Company', required: true }),
    currency_id: many2one('res.currency', { label: 'Currency', related: 'company_id.currency_id' }),
    value: float({
      label: 'Value',
      required: true,
      default: 0,
      help: 'Unit cost from that date on. With a move: value of all goods of the move.',
    }),
    // Copies are corrections of their own: what the server set on the original is not theirs.
    delta: monetary({
      label: 'Change of Value',
      help: 'Change of the value of all goods on hand.',
      copy: false,
    }),
    date: datetime({ label: 'Date', required: true, copy: false }),
    user_id: many2one('res.users', { label: 'User', copy: false }),
    description: char({ label: 'Description', copy: false }),
    account_move_id: many2one('account.move', {
      label: 'Journal Entry',
      ondelete: 'set null',
      index: 'set',
      copy: false,
    }),
  },
})

declare module '#models' {
  interface Models {
    'product.value': ProductValue
  }
  interface ProductValue extends Of<typeof value> {}
}

/**
 * Completes corrections by facts of their moves. Throws UserError for moves that brought no valued goods, and
 * for values without a move: users set the cost of a product on the product.
 */
async function corrections(
  env: Environment,
  list: readonly Vals<'product.value'>[],
): Promise<Vals<'product.value'>[]> {
  const ids = list.flatMap(({ move_id: move }) => (isInteger(move) ? [move] : []))
  if (ids.length < list.length)
    throw new UserError(
      'Choose the receipt whose value is corrected. To change the cost of a product, change it on the product.',
    )
  const corrected = env.model('stock.move').browse([...new Set(ids)])
  const moves = await corrected.load(['is_in', 'valued_qty', 'product_id', 'company_id', 'value'])
  assertNoneMissing(
    corrected,
    moves.map(({ id }) => id),
  )
  const byId = new Map(moves.map((move) => [move.id, move]))
  return list.map((vals, place) => {
    const move = present(byId.get(present(ids[place])))
    if (!move.is_in || move.valued_qty <= 0)
      throw new UserError('Only the value of goods that were received can be corrected.')
    return {
      description: `The value was ${move.value} before.`,
      ...vals,
      product_id: move.product_id.id,
      company_id: move.company_id.id,
    }
  })
}

export default implement(value, {
  writable: writable<'product.value'>({
    once: ['product_id', 'move_id', 'lot_id', 'company_id', 'value', 'description'],
    server: ['delta', 'date', 'user_id', 'account_move_id'],
  }),
  checks: {
    'The value of goods is 0 or more, and less than 1,000,000,000,000.': computed(
      value,
      ['move_id', 'value'],
      ({ move_id: move, value: amount }) => !move || (amount >= 0 && amount < 1e12),
    ),
  },
  wrapCreate: (next) => async (values, list) => {
    const { env } = values
    if (env.su) return next(values, list)
    const completed = await corrections(env, list)
    const created = await next(values, completed)
    await followDocuments(
      env,
      completed.map(({ move_id: move }) => move as number),
    )
    return created
  },
  defaults: {
    company_id: (env) => env.companyId,
    user_id: (env) => env.uid,
    date: (env) => nowUtc(env.now()),
  },
})
