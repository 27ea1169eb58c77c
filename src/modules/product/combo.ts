// Choices of combo products (product.combo): one of several products, some at an extra price; the
// cheapest one sets the value of the choice.
import {
  char,
  computed,
  computedTogether,
  float,
  implement,
  integer,
  lineCount,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { markCopies } from '../base/index.ts'
import { ownCurrency } from './currencies.ts'

const combo = model('product.combo', {
  label: 'Product Combo',
  formsBySaving: true,
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', required: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    combo_item_ids: one2many('product.combo.item', 'combo_id', { label: 'Combo Items', copy: true }),
    combo_item_count: integer({ label: 'Product Count', computed: true }),
    currency_id: many2one('res.currency', { label: 'Currency', computed: true }),
    base_price: float({
      label: 'Combo Price',
      computed: true,
      help: 'The price of the cheapest product; the combo price is shared out by it.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'product.combo': ProductCombo
  }
  interface ProductCombo extends Of<typeof combo> {}
}

export default implement(combo, {
  computed: {
    combo_item_count: computed(combo, ['combo_item_ids'], (combo) => combo.combo_item_ids.length, {
      sql: (scope) => lineCount(scope, 'combo_item_ids'),
    }),
    base_price: computed(combo, ['combo_item_ids.product_id.lst_price'], (combo) =>
      combo.combo_item_ids.length
        ? Math.min(...combo.combo_item_ids.map((item) => item.product_id.lst_price))
        : 0,
    ),
    currency_id: computedTogether(
      combo,
      ['company_id'],
      async (combos, env) => {
        const ids = combos.map(({ id }) => id)
        const rows = await env.rows(
          sql`SELECT m.id, ${ownCurrency(env, sql`m.company_id`)} FROM product_combo m WHERE m.id = ANY(${idList(ids)})`,
          { reads: ['product.combo', 'res.company'], row: ['int', 'int'] },
        )
        return new Map(rows.map((row) => [row[0], { id: row[1] }]))
      },
      { sql: (scope) => ownCurrency(scope.env, scope.column('company_id')) },
    ),
  },
  checks: {
    'A product can be in a combo choice only once.': computed(
      combo,
      ['combo_item_ids.product_id'],
      (combo) =>
        new Set(combo.combo_item_ids.map((item) => item.product_id.id)).size === combo.combo_item_ids.length,
    ),
  },
  wrapGeneric: { copy_data: markCopies },
})
