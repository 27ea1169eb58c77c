// With `shop_delivery` in view the same program compiles, and everything is inferred
// (test/house/types.test.ts).
import { computed, type Environment, extend } from '#models'

const order = extend('shop.order', { fields: {} })

export const label = computed(order, ['carrier', 'line_ids.article_id.code'], (o) => {
  const carrier: string | null = o.carrier
  const codes: (string | null)[] = o.line_ids.map((line) => line.article_id.code)
  return `${carrier}: ${codes.join()}`
})

export async function ship(env: Environment): Promise<string[]> {
  const orders = await env
    .model('shop.order')
    .search(['|', ['carrier', '=', 'Post'], ['partner_id.name', 'ilike', 'a']], { limit: 5 })
  await orders.write({
    carrier: 'Post',
    freight: 4.5,
    state: 'draft',
    partner_id: 3,
    line_ids: [[0, 0, { article_id: 1 }]],
  })
  for (const order of orders) order.ids satisfies readonly number[]
  const [first] = await orders.load(['amount_payable', 'partner_id.display_name', 'line_ids.subtotal'])
  first?.amount_payable satisfies number | undefined
  first?.partner_id.display_name satisfies string | undefined
  first?.line_ids satisfies readonly { readonly subtotal: number }[] | undefined
  const said: string[] = await orders.confirm({ urgent: false })
  // Parameters with a default may be left out.
  said.push(...(await orders.confirm({})), ...(await orders.confirm()))
  return said
}
