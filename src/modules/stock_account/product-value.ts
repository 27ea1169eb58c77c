// Changes of what goods are worth that no move brings (product.value): a cost that somebody sets,
// corrections.
import { char, datetime, float, implement, many2one, model, monetary, type Of } from '#models'
import { nowUtc } from '../../kit/dates.ts'

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
    value: float({ label: 'Value', required: true, default: 0, help: 'Unit cost from that date on.' }),
    delta: monetary({
      label: 'Change of Value',
      help: 'Change of the value of all goods on hand.',
    }),
    date: datetime({ label: 'Date', required: true }),
    user_id: many2one('res.users', { label: 'User' }),
    description: char({ label: 'Description' }),
    account_move_id: many2one('account.move', { label: 'Journal Entry', ondelete: 'set null', index: 'set' }),
  },
})

declare module '#models' {
  interface Models {
    'product.value': ProductValue
  }
  interface ProductValue extends Of<typeof value> {}
}

export default implement(value, {
  defaults: {
    company_id: (env) => env.companyId,
    user_id: (env) => env.uid,
    date: (env) => nowUtc(env.now()),
  },
})
