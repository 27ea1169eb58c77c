// Product categories (product.category): accounts for products that have none of their own.
import { extend, implement, many2one, type Of } from '#models'

const category = extend('product.category', {
  fields: {
    property_account_income_categ_id: many2one('account.account', {
      label: 'Income Account',
      companyDependent: true,
      help: "Sales of products without an account are booked here; empty: on the company's.",
    }),
    property_account_expense_categ_id: many2one('account.account', {
      label: 'Expense Account',
      companyDependent: true,
      help: "Purchases of products without an account are booked here; empty: on the company's.",
    }),
  },
})

declare module '#models' {
  interface ProductCategory extends Of<typeof category> {}
}

export default implement(category)
