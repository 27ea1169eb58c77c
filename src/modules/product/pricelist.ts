// Pricelists (product.pricelist): rules that say what products cost, in a currency, for some countries. Which
// rule and which price: pricing/.
import {
  boolean,
  char,
  computed,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
} from '#models'
import { UserError } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'
import { keptOnceListed, markCopies } from '../base/index.ts'

/** Which countries' customers get a list, seen from both sides. */
export const listCountries = {
  table: 'res_country_group_pricelist_rel',
  column: 'pricelist_id',
  other: 'res_country_group_id',
} as const

const pricelist = model('product.pricelist', {
  label: 'Pricelist',
  formsBySaving: true,
  dictionary: true,
  order: 'sequence, id, name',
  recNamesSearch: ['name', 'currency_id.name'],
  fields: {
    name: char({ label: 'Pricelist Name', required: true, translate: true }),
    active: boolean({
      label: 'Active',
      default: true,
      help: 'An archived list stays where it is used and is offered nowhere.',
    }),
    sequence: integer({ label: 'Sequence', default: 16 }),
    currency_id: many2one('res.currency', { label: 'Currency', required: true, ondelete: 'restrict' }),
    company_id: many2one('res.company', { label: 'Company' }),
    country_group_ids: many2many('res.country.group', { label: 'Country Groups', relation: listCountries }),
    item_ids: one2many('product.pricelist.item', 'pricelist_id', { label: 'Pricelist Rules', copy: true }),
  },
})

declare module '#models' {
  interface Models {
    'product.pricelist': ProductPricelist
  }
  interface ProductPricelist extends Of<typeof pricelist> {}
}

/** Throws UserError when rules of lists that stay build on one of these. */
async function assertNoBase(lists: Records<'product.pricelist'>): Promise<void> {
  const rows = await lists.env.rows(
    sql`SELECT b.name->>'en_US', l.name->>'en_US' FROM product_pricelist_item i
    JOIN product_pricelist b ON b.id = i.base_pricelist_id JOIN product_pricelist l ON l.id = i.pricelist_id
    WHERE i.base = 'pricelist' AND i.base_pricelist_id = ANY(${idList(lists.ids)}) AND NOT (i.pricelist_id = ANY(${idList(lists.ids)})) LIMIT 1`,
    { reads: ['product.pricelist.item', 'product.pricelist'], row: ['text?', 'text?'] },
  )
  if (rows[0])
    throw new UserError(
      `Rules of the pricelist ${rows[0][1]} build on ${rows[0][0]}: change them before you delete it.`,
    )
}

export default implement(pricelist, {
  displayName: computed(
    pricelist,
    ['name', 'currency_id.name'],
    (pricelist) => `${pricelist.name} (${pricelist.currency_id.name})`,
    {
      sql: (scope) => sql`(${scope.path('name')} || ' (' || ${scope.path('currency_id.name')} || ')')`,
    },
  ),
  defaults: {
    company_id: (env) => env.companyId,
    currency_id: async (env) => {
      const [company] = await env.sudo().model('res.company').browse([env.companyId]).load(['currency_id'])
      return company?.currency_id.id
    },
  },
  wrapGeneric: {
    unlink: (next) => async (lists, params) => {
      await assertNoBase(lists)
      return keptOnceListed(next as never)(lists as never, params)
    },
    copy_data: markCopies,
  },
})
