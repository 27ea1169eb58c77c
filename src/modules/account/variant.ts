// Variants (product.product): the accounts on which documents book them.
import { type Environment, extend, implement, type Of, returns } from '#models'

const variant = extend('product.product', {
  fields: {},
  methods: {
    bill_accounts: {
      doc: 'Returns the accounts of bill lines by product, where they are not expense accounts. Modules that value goods wrap it.',
      private: true,
      params: {},
      returns: returns<ReadonlyMap<number, number>>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface ProductProduct extends Of<typeof variant> {}
}

export default implement(variant, { methods: { bill_accounts: async () => new Map() } })

/** Accounts for bills of products whose account is not the expense account. */
export const billAccountsOf = async (companyEnv: Environment, products: readonly number[]) =>
  (products.length === 0
    ? new Map()
    : await companyEnv.model('product.product').browse(products).invoke('bill_accounts', {})) as ReadonlyMap<
    number,
    number
  >

type Side = 'income' | 'expense'

/** Accounts of products in the current company: their own, their category's, or the company's. */
export async function accountsOf(
  companyEnv: Environment,
  products: readonly number[],
  side: Side,
): Promise<Map<number, number>> {
  if (products.length === 0) return new Map()
  const field = `property_account_${side}_id` as const
  const categories = `property_account_${side}_categ_id` as const
  const rows = await companyEnv
    .model('product.product')
    .browse(products)
    .load([`product_tmpl_id.${field}`, `product_tmpl_id.categ_id.${categories}`])
  const accounts = new Map<number, number>()
  for (const { id, product_tmpl_id: template } of rows) {
    const account = template[field] ?? template.categ_id?.[categories]
    if (account) accounts.set(id, account.id)
  }
  if (accounts.size < rows.length) {
    const shared = await companyAccount(companyEnv, side)
    if (shared !== null) for (const { id } of rows) if (!accounts.has(id)) accounts.set(id, shared)
  }
  return accounts
}

/** The company's default account, for products without one in their category. */
async function companyAccount(companyEnv: Environment, side: Side): Promise<number | null> {
  const field = `${side}_account_id` as const
  const company = await companyEnv.sudo().model('res.company').browse([companyEnv.companyId]).one([field])
  return company[field]?.id ?? null
}
