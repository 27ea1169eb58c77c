// Orders of the shop to look at: fifty of the last two months, in all states.

import { type DataSet, type Environment, ref } from '#models'
import { addDays, nowUtc } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { between, chance, pick } from './random.ts'

const COUNT = 50

/** Records of this module's data by their external ids' beginning, in the order of their numbers. */
async function idsOf(env: Environment, prefix: string): Promise<number[]> {
  const rows = await env.rows(
    sql`SELECT res_id FROM ir_model_data WHERE module = 'sale_management' AND name LIKE ${`${prefix}%`}
    ORDER BY length(name), name`,
    { reads: ['ir.model.data'], row: ['int'] },
  )
  return rows.map((row) => row[0])
}

/** Quotations and what becomes of them: most are bought, some are locked, some are called off. */
const fates = ['draft', 'draft', 'sent', 'sale', 'sale', 'sale', 'sale', 'draft', 'locked', 'cancel'] as const
const fateOf = (n: number) => present(fates[n % fates.length])

/** Two months back for the first order, today for the last. */
const dayOf = (n: number, now: string) => addDays(now, -Math.floor(((COUNT - 1 - n) * 60) / COUNT))

/** The quotations, as they were first written. */
export async function quotations(env: Environment): Promise<DataSet> {
  const next = chance(4711)
  const customers = await idsOf(env, 'demo_customer_')
  const templates = await env
    .model('product.template')
    .browse(await idsOf(env, 'demo_product_'))
    .load(['product_variant_ids'])
  const now = nowUtc(env.now())
  const seller = ref('base.user_admin')
  const records = Array.from({ length: COUNT }, (_, n): [string, Record<string, unknown>] => {
    const lines = Array.from({ length: between(1, 6, next) }, () => {
      const { product_variant_ids: variants } = pick(templates, next)
      return [
        0,
        0,
        { product_id: pick(variants, next).id, product_uom_qty: pick([1, 1, 2, 3, 6, 12, 24], next) },
      ]
    })
    const note =
      next() < 0.15
        ? [[0, 0, { display_type: 'line_note', name: 'Please pack as a gift.', sequence: 99 }]]
        : []
    return [
      `demo_order_${n + 1}`,
      {
        partner_id: pick(customers, next),
        user_id: seller,
        date_order: dayOf(n, now),
        ...(next() < 0.4 ? { client_order_ref: `PO-${between(1000, 9999, next)}` } : {}),
        order_line: [...lines, ...note],
      },
    ]
  })
  return { model: 'sale.order', noupdate: true, records: Object.fromEntries(records) }
}

/** Brings the demo quotations into their states. */
export async function setQuotationStates(env: Environment): Promise<null> {
  const ids = await idsOf(env, 'demo_order_')
  const orders = (...wanted: readonly string[]) =>
    env.model('sale.order').browse(ids.filter((_, n) => wanted.includes(fateOf(n))))
  await orders('sent').action_quotation_sent()
  const bought = orders('sale', 'locked')
  const when = new Map(
    (await bought.load(['date_order'])).map((order) => [order.id, { date_order: order.date_order }]),
  )
  await bought.action_confirm()
  // They were confirmed on the day of the quotation.
  await bought.writeEach(when)
  await orders('locked').action_lock()
  await orders('cancel').action_cancel()
  return null
}
