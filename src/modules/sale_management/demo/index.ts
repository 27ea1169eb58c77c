// The shop to look at (`--demo`): products, customers, pricelists, orders and invoices, the same on every
// machine.
import type { DataSet, Environment } from '#models'
import { customerSets } from './customers.ts'
import { invoices } from './invoices.ts'
import { quotations, setQuotationStates } from './orders.ts'
import { productSets } from './products.ts'

/** Pricelists are in use, and discounts show on lines. */
async function features(env: Environment): Promise<null> {
  const form = await env
    .model('res.config.settings')
    .create([{ group_product_pricelist: true, group_discount_per_so_line: true }])
  await form.execute()
  return null
}

export const demo: readonly (DataSet | ((env: Environment) => DataSet | null | Promise<DataSet | null>))[] = [
  features,
  ...productSets,
  ...customerSets,
  quotations,
  setQuotationStates,
  invoices,
]
