// Records of the modules' models that get different values in one write: each gets its own, and statements do
// not grow with their number.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment, ModelName } from '../../src/models/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase(
    modules.filter(({ name }) => ['base', 'mail', 'uom', 'product', 'account'].includes(name)),
  )
})
after(() => database.close())

type Vals = Readonly<Record<string, unknown>>
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))
const make = async (env: Environment, model: ModelName, vals: readonly Vals[]): Promise<readonly number[]> =>
  (await env.model(model).create(vals as never)).ids

/**
 * Each makes `count` records and gives their model, their ids, and the values that each of them is to get.
 */
const calls: Record<
  string,
  (env: Environment, count: number) => Promise<readonly [ModelName, readonly number[], (n: number) => Vals]>
> = {
  products: async (env, count) => {
    const ids = await make(
      env,
      'product.template',
      times(count, (n) => ({ name: `t${n}` })),
    )
    return [
      'product.template',
      ids,
      (n) => ({
        name: `u${n}`,
        list_price: n + 1,
        default_code: `c${n}`,
        standard_price: n,
        active: n % 2 === 0,
      }),
    ]
  },
  variants: async (env, count) => {
    const ids = await make(
      env,
      'product.product',
      times(count, (n) => ({ name: `t${n}` })),
    )
    return [
      'product.product',
      ids,
      (n) => ({ name: `u${n}`, lst_price: n + 1, default_code: `c${n}`, standard_price: n }),
    ]
  },
  offers: async (env, count) => {
    const products = await make(
      env,
      'product.product',
      times(count, (n) => ({ name: `t${n}` })),
    )
    const [partner_id] = await make(env, 'res.partner', [{ name: 'v' }])
    const ids = await make(
      env,
      'product.supplierinfo',
      products.map((product_id, n) => ({ partner_id, product_id, price: n })),
    )
    return ['product.supplierinfo', ids, (n) => ({ price: n + 0.5, product_id: products[count - 1 - n] })]
  },
  'rules of prices': async (env, count) => {
    const products = await make(
      env,
      'product.product',
      times(count, (n) => ({ name: `t${n}` })),
    )
    const [pricelist_id] = await make(env, 'product.pricelist', [{ name: 'l' }])
    const rule = { pricelist_id, applied_on: '0_product_variant', compute_price: 'formula' }
    const ids = await make(
      env,
      'product.pricelist.item',
      products.map((product_id) => ({ ...rule, product_id })),
    )
    return [
      'product.pricelist.item',
      ids,
      (n) => ({ price_markup: n + 0.5, product_id: products[count - 1 - n] }),
    ]
  },
  units: async (env, count) => {
    const [relative_uom_id] = await make(env, 'uom.uom', [{ name: 'root' }])
    const ids = await make(
      env,
      'uom.uom',
      times(count, (n) => ({ name: `u${n}`, relative_uom_id, relative_factor: n + 1 })),
    )
    return ['uom.uom', ids, (n) => ({ relative_factor: n + 3, name: `v${n}` })]
  },
  'values of attributes': async (env, count) => {
    const [attribute_id] = await make(env, 'product.attribute', [{ name: 'a' }])
    const ids = await make(
      env,
      'product.attribute.value',
      times(count, (n) => ({ name: `v${count} ${n}`, attribute_id })),
    )
    return ['product.attribute.value', ids, (n) => ({ name: `w${count} ${n}`, attribute_id })]
  },
  companies: async (env, count) => {
    const ids = await make(
      env,
      'res.company',
      times(count, (n) => ({ name: `c${count} ${n}` })),
    )
    const currencies = (
      await env.model('res.currency').withContext({ active_test: false }).search([], { limit: 2 })
    ).ids
    const countries = (await env.model('res.country').search([], { limit: 2 })).ids
    return [
      'res.company',
      ids,
      (n) => ({ name: `d${count} ${n}`, currency_id: currencies[n % 2], country_id: countries[n % 2] }),
    ]
  },
  taxes: async (env, count) => {
    const [country_id] = (await env.model('res.country').search([], { limit: 1 })).ids
    const [tax_group_id] = await make(env, 'account.tax.group', [{ name: `g${count}`, country_id }])
    const ids = await make(
      env,
      'account.tax',
      times(count, (n) => ({ name: `t${count} ${n}`, amount: n, country_id, tax_group_id })),
    )
    return [
      'account.tax',
      ids,
      (n) => ({ name: `u${count} ${n}`, amount: n / 2, amount_type: n % 2 ? 'fixed' : 'percent' }),
    ]
  },
  'fiscal positions': async (env, count) => {
    const ids = await make(
      env,
      'account.fiscal.position',
      times(count, (n) => ({ name: `p${n}`, zip_from: '1', zip_to: '99' })),
    )
    return ['account.fiscal.position', ids, (n) => ({ zip_to: `${1000 + n}` })]
  },
  users: async (env, count) => {
    const ids = await make(
      env,
      'res.users',
      times(count, (n) => ({ name: `u${n}`, login: `u${count}.${n}` })),
    )
    return ['res.users', ids, (n) => ({ name: `v${n}`, login: `v${count}.${n}`, email: `v${n}@example.com` })]
  },
  attachments: async (env, count) => {
    const ids = await make(
      env,
      'ir.attachment',
      times(count, (n) => ({ name: `a${n}`, raw: `text ${n}` })),
    )
    return [
      'ir.attachment',
      ids,
      (n) => ({
        name: `b${n}`,
        datas: Buffer.from(`other ${count} ${n}`).toString('base64'),
        mimetype: 'text/plain',
      }),
    ]
  },
}

for (const [name, prepare] of Object.entries(calls)) {
  test(`${name}: as many statements for 60 as for 4`, () =>
    database.run(async (env) => {
      const sent: number[] = []
      // The first runs fill the caches that later ones use.
      for (const count of [3, 4, 60]) {
        const [model, ids, vals] = await prepare(env, count)
        await env.unit.registry.engine.flush(env)
        const start = env.unit.usage.statements
        await env.model(model).writeEach(new Map(ids.map((id, n) => [id, vals(n) as never])))
        await env.unit.registry.engine.flush(env)
        sent.push(env.unit.usage.statements - start)
        const written = (await env
          .model(model)
          .withContext({ active_test: false })
          .browse(ids)
          .read(Object.keys(vals(0)))) as Vals[]
        const plain = (value: unknown) => (Array.isArray(value) ? value[0] : value)
        assert.deepEqual(
          written.map((row) => Object.keys(vals(0)).map((field) => plain(row[field]))),
          ids.map((_, n) => Object.values(vals(n))),
        )
      }
      assert.equal(sent[2], sent[1])
      assert.ok((sent[2] as number) < 60, `${sent[2]} statements`)
    }))
}
