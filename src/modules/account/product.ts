// Products (product.template): the taxes and accounts they are sold and bought with. Variants see them
// through delegation.
import { type Command, type Environment, extend, implement, many2many, many2one, type Of, set } from '#models'

const template = extend('product.template', {
  fields: {
    taxes_id: many2many('account.tax', {
      label: 'Sales Taxes',
      relation: { table: 'product_taxes_rel', column: 'prod_id', other: 'tax_id' },
      domain: [['type_tax_use', '=', 'sale']],
      // New goods have the taxes of the company that they are created in. Documents choose among them.
      checkCompany: false,
      help: 'Sales begin with these.',
    }),
    supplier_taxes_id: many2many('account.tax', {
      label: 'Purchase Taxes',
      relation: { table: 'product_supplier_taxes_rel', column: 'prod_id', other: 'tax_id' },
      domain: [['type_tax_use', '=', 'purchase']],
      checkCompany: false,
      help: 'Purchases begin with these.',
    }),
    account_tag_ids: many2many('account.account.tag', {
      label: 'Account Tags',
      domain: [['applicability', '=', 'products']],
      help: 'Groups products in reports.',
    }),
    property_account_income_id: many2one('account.account', {
      label: 'Income Account',
      companyDependent: true,
      copy: true,
      help: "Sales are booked here; empty: on the category's account.",
    }),
    property_account_expense_id: many2one('account.account', {
      label: 'Expense Account',
      companyDependent: true,
      copy: true,
      help: "Purchases are booked here; empty: on the category's account.",
    }),
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
}

type Default = 'account_sale_tax_id' | 'account_purchase_tax_id'

/** The default taxes of all companies at hand. */
async function defaultTaxes(env: Environment, field: Default): Promise<Command[]> {
  const companies = await env
    .sudo()
    .model('res.company')
    .browse(env.companyIds.length ? env.companyIds : [env.companyId])
    .load([field, `root_id.${field}`])
  // A branch without a tax of its own has that of the company it belongs to.
  const taxes = companies.flatMap((company) => company[field]?.id ?? company.root_id?.[field]?.id ?? [])
  return set([...new Set(taxes)])
}

export default implement(template, {
  defaults: {
    taxes_id: (env) => defaultTaxes(env, 'account_sale_tax_id'),
    supplier_taxes_id: (env) => defaultTaxes(env, 'account_purchase_tax_id'),
  },
})
