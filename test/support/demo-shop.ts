// The demo shop with further cases for lists: another company and language, archived and missing parts,
// and kinds of records that the demo lacks.

import type { Database } from '../../src/databases/database.ts'
import type { Environment } from '../../src/models/index.ts'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { SYSTEM } from '../../src/models/unit/options.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'

/** Creates the records. The demo's products, orders and pricelists exist already. */
export async function makeOddRecords(database: Database): Promise<void> {
  await database.system(async (env) => {
    await (await env.model('res.lang').search([['code', '=', 'fr_FR']])).write({ active: true })
  })
  const unit = new UnitOfWork(database.pool, database.registry, await database.callers.rights(), {
    readonly: false,
    files: database.files,
  })
  const env = environmentOf(unit, SYSTEM, { active_test: false }, true)
  try {
    await addRecords(env)
    await database.registry.engine.flush(env)
    await unit.commit()
  } catch (error) {
    throw await unit.abandon(error)
  }
}

async function addRecords(env: Environment): Promise<void> {
  const other = (
    await env
      .model('res.company')
      .create([{ name: 'Elsewhere', country_id: await env.ref('base.ch') } as never])
  ).ensureOne()
  const euro = await env.ref('base.EUR')
  await env
    .model('res.company')
    .browse([other])
    .write({ currency_id: euro } as never)
  await env.model('res.currency.rate').create([
    { currency_id: euro, name: '2020-01-01', rate: 0.7 },
    { currency_id: euro, name: '2025-06-01', rate: 0.9, company_id: 1 },
    { currency_id: euro, name: '2999-01-01', rate: 3 },
    { currency_id: await env.ref('base.CHF'), name: '2999-01-01', rate: 1.1 },
  ] as never)
  const people = [
    {
      name: 'Seller',
      login: 'seller',
      company_ids: [[6, 0, [1, other]]],
      group_ids: [[6, 0, [await env.ref('sales_team.group_sale_salesman')]]],
    },
    { name: 'Clerk', login: 'clerk', lang: 'fr_FR' },
  ]
  const users = await env.model('res.users').create(people as never)
  const team = await env.model('crm.team').create([{ name: 'Field' }])
  await env
    .model('crm.team.member')
    .create(users.ids.map((user_id) => ({ crm_team_id: team.ensureOne(), user_id })))
  await env.model('res.partner').create([
    { name: 'Odd', type: 'delivery' },
    { name: '', type: 'other', parent_id: 1 },
    { name: 'Firm', is_company: true },
  ] as never)
  await env.model('res.partner.bank').create([{ acc_number: 'BE71 0961 2345 6769', partner_id: 1 }] as never)
  const shirts = (await env.model('product.template').search([['product_variant_count', '>', 2]])).ids
  const variants = await (await env.model('product.template').browse(shirts.slice(0, 2))).load([
    'product_variant_ids',
  ])
  // All but one of a product's variants are archived, and all but two of another's.
  for (const [i, variant] of variants.entries())
    await env
      .model('product.product')
      .browse(variant.product_variant_ids.slice(i + 1).map(({ id }) => id))
      .write({ active: false })
  await env.model('product.template').browse(shirts).withContext({ lang: 'fr_FR' }).write({ name: 'Chose' })
  const [mug, pen] = (
    await env.model('product.product').create([
      {
        name: 'Mug',
        default_code: 'M-1',
        barcode: '4006381333931',
        standard_price: 2.5,
        list_price: 4,
        company_id: other,
      },
      { name: 'Pen', default_code: '', standard_price: 0.1 },
    ] as never)
  ).ids as [number, number]
  await env
    .model('product.product')
    .browse([pen])
    .withContext({ allowed_company_ids: [other] })
    .write({ standard_price: 7 } as never)
  await env
    .model('product.template')
    .withContext({ create_product_product: false })
    .create([{ name: 'None' }] as never)
  await env.model('product.combo').create([
    {
      name: 'Choice',
      combo_item_ids: [
        [0, 0, { product_id: mug }],
        [0, 0, { product_id: pen }],
      ],
    },
  ] as never)
  const [list] = (await env.model('product.pricelist').create([{ name: 'Odd', currency_id: euro }])).ids as [
    number,
  ]
  const { product_tmpl_id } = await env.model('product.product').browse([pen]).one(['product_tmpl_id'])
  await env.model('product.pricelist.item').create([
    { pricelist_id: list },
    { pricelist_id: list, applied_on: '0_product_variant', product_id: mug },
    { pricelist_id: list, applied_on: '1_product', product_tmpl_id: product_tmpl_id.id },
    {
      pricelist_id: list,
      applied_on: '2_product_category',
      categ_id: (await env.model('product.category').search([], { limit: 1 })).ensureOne(),
    },
  ] as never)
  const order = await env.model('sale.order').create([
    {
      partner_id: 1,
      order_line: [
        [0, 0, { product_id: pen }],
        [0, 0, { display_type: 'line_note', name: 'One\nTwo' }],
      ],
    },
  ] as never)
  const lines = (await order.one(['order_line'])).order_line
  const values = (await env.model('product.template.attribute.value').search([], { limit: 2 })).ids
  await env.model('product.attribute.custom.value').create(
    values.map((custom_product_template_attribute_value_id, i) => ({
      custom_product_template_attribute_value_id,
      sale_order_line_id: lines[0]?.id,
      ...(i ? { custom_value: 'Ann' } : {}),
    })) as never,
  )
  await env.model('product.product').browse([pen]).write({ active: false })
}

/** Reading as a user with their rights. */
export async function readingAs<T>(
  database: Database,
  login: string,
  context: object,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  const rights = await database.callers.rights()
  const unit = new UnitOfWork(database.pool, database.registry, rights, {
    readonly: true,
    files: database.files,
  })
  try {
    const system = environmentOf(unit, SYSTEM, {}, true)
    const uid = (await system.model('res.users').search([['login', '=', login]])).ensureOne()
    const { user } = await system.asUser(uid)
    return await work(environmentOf(unit, user, { ...context }))
  } finally {
    await unit.rollback()
  }
}
