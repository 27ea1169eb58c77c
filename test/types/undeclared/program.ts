// A module that depends on `shop` alone and uses fields of `shop_delivery`: must not compile
// (test/house/types.test.ts).
import { computed, type Environment, extend } from '#models'

const order = extend('shop.order', { fields: {} })

export const label = computed(order, ['carrier'], () => '') // ⟵ TS2345: 'no such field': "carrier"

export async function ship(env: Environment): Promise<void> {
  await env.model('shop.order').write({ carrier: 'Post' }) // ⟵ TS2353: 'carrier' does not exist
  await env.model('shop.order').search([['carrier', '=', 'Post']]) // ⟵ TS2322: "carrier"
}
