// The plans of the commonest searches over small tables: already with 20,000 contacts or products (10,000
// where every change waits) none of these may read all of them.
// Begins first: it takes 11 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { keyFacts } from '../../src/access/credential.ts'
import { hashKey } from '../../src/kit/secrets.ts'
import { modules } from '../../src/main.ts'
import { parseDomain } from '../../src/models/domain/index.ts'
import { keysetPageOf, searchPageIds } from '../../src/models/read/keyset.ts'
import { searchPlan } from '../../src/models/read/search.ts'
import { raiseRightsVersion } from '../../src/models/rights/tables.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { raw, sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { recordStatements, statementsOf } from '../support/statements.ts'
import { explainCases, orderCases, productCases } from './cases.ts'
import { type Filled, fillContacts } from './fill.ts'
import { CUSTOMERS, fillOrders } from './fill-orders.ts'
import { fillProducts } from './fill-products.ts'
import { explainedOften, planOf, planOfStatement, walk } from './plan.ts'

/** Below this PostgreSQL may be right to read a whole table. */
const COUNT = process.env.CI ? 10_000 : 20_000
/** Rows of a page that are soon found, if averages are believed. */
const FEWER = 4
/** An eighth of the table. */
const MOST_PASSED = COUNT / 8

let db: TestDatabase
let filled: Filled
before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  filled = await db.run((env) => fillContacts(env, COUNT))
  // The fill numbers its contacts itself.
  await db.run((env) =>
    env.query(sql`SELECT setval('res_partner_id_seq', (SELECT max(id) FROM res_partner))`),
  )
})
after(() => db?.close())

test('query plans: no search over contacts reads all of them', async () => {
  for (const explainCase of explainCases(filled)) {
    const plan = await db.run((env) => planOf(env, explainCase))
    assert.ok(!plan.whole.includes('res_partner'), `${explainCase.name} reads ${plan.whole.join()}`)
    assert.ok(plan.indexes.length > 0, `${explainCase.name} uses no index`)
    assert.ok(plan.passed < MOST_PASSED, `${explainCase.name} reads ${plan.passed} contacts for nothing`)
  }
})

test('query plans: calls about some records are planned once, for any number', async () => {
  const partners = (await askerOf(db)).bind(null, 'res.partner')
  const { company, person, ids } = filled
  const domain = [['id', 'in', ids.slice(0, 3)]]
  // One after the other, so that all take the same connection.
  for (let n = 0; n < 10; n++) {
    await partners('read', { fields: ['name', 'country_id'] }, [person])
    await partners('read', { fields: ['name', 'country_id'] }, ids.slice(n, n + 3))
    await partners('search_read', { domain, fields: ['name', 'category_id'] })
    await partners('web_read', { specification: { name: {}, child_ids: { fields: { name: {} } } } }, [
      company,
    ])
    await partners('write', { vals: { city: `City ${n}` } }, [person])
    await partners('write', { vals: { name: `Name ${n}` } }, [company])
    await partners('create', { vals_list: [{ name: `Made ${n}`, parent_id: company }] })
  }
  assert.ok((await plannedOnce(db)).length >= 10)
})

/** Calls as a client makes them, with a key of the administrator's. */
async function askerOf({ databases }: TestDatabase) {
  const key = await createKey(databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  return async (model: string, method: string, named: Record<string, unknown>, ids?: readonly number[]) => {
    const request = { database: 'test', credential: { kind: 'key', key }, model, method } as const
    await call(databases, {
      ...request,
      body: () => ({ ids, named }),
      remote: '127.0.0.1',
      requestId: 'test',
    })
  }
}

/** The statements that were sent often: none of them is planned anew each time. */
async function plannedOnce({ database }: TestDatabase): Promise<readonly string[]> {
  const planned = (await database.pool.use((connection) =>
    connection.query(
      'SELECT statement, custom_plans::int FROM pg_prepared_statements WHERE generic_plans + custom_plans >= 8',
    ),
  )) as [string, number][]
  for (const [text, anew] of planned) assert.ok(anew <= 5, `planned ${anew} times: ${text}`)
  return planned.map(([text]) => text)
}

test('query plans: a late page by cursor uses an index, and neither reads nor sorts earlier rows', async () => {
  await db.run(async (env) => {
    const inside = env.withContext({ active_test: true })
    const question = { model: inside.def('res.partner'), domain: [], tree: parseDomain([]) }
    const orders = [
      'id',
      'id desc',
      '',
      'complete_name desc, id',
      'name',
      'create_date desc',
      'write_date, id',
    ]
    for (const order of orders) {
      let cursor: string | null = null
      const tell = (name: string, value: string) => {
        if (name === 'next-cursor') cursor = value
      }
      const window = { order, limit: 2000 }
      for (let passed = 0; passed < COUNT / 2; passed += 2000) {
        const page = { cursor, database: 'test' }
        await searchPageIds(inside, { ...question, options: window }, { page, tell })
      }
      assert.ok(cursor, order)
      const { tree, ...rest } = question
      const page = keysetPageOf(
        inside,
        { ...rest, tree, options: { order, limit: 80 } },
        { cursor, database: 'test' },
      )
      const plan = await searchPlan(inside, question.model, tree)
      const statementPlan = await planOfStatement(inside, page.rows(plan.compile(), false))
      assert.deepEqual(
        [statementPlan.whole, statementPlan.sorts, statementPlan.found],
        [[], false, 81],
        order,
      )
      assert.ok(
        statementPlan.indexes.length > 0 && statementPlan.passed < 200,
        `${order} reads ${statementPlan.passed} for nothing`,
      )
    }
  })
})

test('query plans: of very many rows, the meant countries and tags are resolved before a page of them is read', async () => {
  const { country, tag, topTag } = filled
  const cases = [
    [['country_id', '=', country]],
    [['country_id.code', '=', 'ZW']],
    [['country_id', 'any', [['code', '=', 'ZW']]]],
    [['country_id', 'ilike', 'Zimbab']],
    [['category_id', 'in', [tag]]],
    [['category_id', 'child_of', topTag]],
    [['category_id', 'ilike', 'rarely']],
    [['category_id.name', '=', 'Rarely given']],
  ]
  const passed = async () => {
    const plans: number[] = []
    for (const domain of cases)
      plans.push((await db.run((env) => planOf(env, { name: 'few', domain, limit: FEWER }))).passed)
    return plans
  }
  const search = () =>
    Promise.all(
      cases.map((domain) => db.run((env) => env.model('res.partner').search(domain as never, { limit: 80 }))),
    )
  const before = [await passed(), (await search()).map(({ ids }) => ids)] as const
  // As if it had a hundred times as many.
  const large = db.database.registry.large as Set<string>
  large.add('res_partner')
  try {
    const after = await passed()
    assert.deepEqual(
      after.filter((count) => count >= MOST_PASSED),
      [],
      `${after} rows are read for nothing`,
    )
    assert.ok(
      before[0].some((count) => count >= MOST_PASSED),
      'averages lead astray',
    )
    assert.deepEqual(
      (await search()).map(({ ids }) => ids),
      before[1],
    )
  } finally {
    large.delete('res_partner')
  }
})

test('query plans: if all rows are sorted, no cursor is computed for each of them', async () => {
  await db.run(async (env) => {
    const model = env.def('res.partner')
    const tree = parseDomain([])
    const options = { order: 'city desc, create_date desc', limit: 80 }
    const question = { model, domain: [], tree, options }
    let cursor: string | null = null
    const tell = (name: string, value: string) => {
      if (name === 'next-cursor') cursor = value
    }
    const plan = await searchPlan(env, model, tree)
    const explained = async () => {
      const { rows } = keysetPageOf(env, question, { cursor, database: 'test' })
      const lines = await env.query<[string]>(
        sql`EXPLAIN (VERBOSE, COSTS OFF) ${rows(plan.compile(), false)}`,
      )
      return lines.map(([line]) => line)
    }
    const first = await explained()
    const sort = first.findIndex((line) => line.trim().endsWith('Sort'))
    assert.ok(sort > 0 && first.slice(0, sort).some((line) => line.includes('to_json')), first.join('\n'))
    assert.ok(!first.slice(sort).some((line) => line.includes('to_json')), first.join('\n'))
    await searchPageIds(env, question, { page: { cursor, database: 'test' }, tell })
    assert.ok(cursor)
    // A value of the column's own type, and no text that is one.
    assert.match((await explained()).join('\n'), /create_date [<=]+ '[^']*'::timestamp/)
  })
})

test('query plans: an estimate of very many records is one EXPLAIN, of few it is exact', async () => {
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'count', days: 1 })
  const count = async (domain: unknown[]) => {
    const statements = new Map<string, string>()
    const named = { domain, limit: 1 }
    const sent = await statementsOf(() =>
      call(db.databases, {
        database: 'test',
        credential: { kind: 'key', key },
        model: 'res.partner',
        method: 'search',
        body: () => ({ named, context: { active_test: false } }),
        remote: '127.0.0.1',
        requestId: 'test',
        asks: { count: 'estimated', tell: (name, value) => statements.set(name, value) },
      }),
    )
    const explains = sent.filter((text) => text.startsWith('EXPLAIN')).length
    return { explains, total: Number(statements.get('total-count')) }
  }
  const { explains, total } = await count([])
  assert.equal(explains, 1)
  assert.ok(total > 10_000 && total < COUNT * 1.2, `${total}`)
  const few = filled.ids.slice(0, 12)
  assert.deepEqual(await count([['id', 'in', few]]), { explains: 0, total: 12 })
})

test('query plans: the check detects a search that reads all rows without an index', async () => {
  const plan = await db.run((env) =>
    planOf(env, { name: 'by job position', domain: [['function', '=', 'x']] }),
  )
  assert.deepEqual(plan.whole, ['res_partner'])
})

test('query plans: the check of a key reads a few pages, also for a user created after statistics were gathered', async () => {
  await db.run((env) => env.model('res.users').create([{ name: 'Late', login: 'late' }] as never))
  const key = await createKey(db.databases, 'test', 'late', { scope: 'rpc', name: 'test', days: 1 })
  const { text, values } = keyFacts(hashKey(key)).compile()
  const [row] = await db.database.pool.use((connection) =>
    connection.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values),
  )
  const [{ Plan: plan }] = JSON.parse(row?.[0] as string) as [
    { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number; 'Actual Rows': number } },
  ]
  assert.equal(plan['Actual Rows'], 1)
  const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  assert.ok(pages < 40, `${pages} pages`)
})

test('query plans: no search over products reads all of them', async () => {
  const wanted = new Set(['base', 'mail', 'uom', 'product'])
  const shop = await openTestDatabase(modules.filter((module) => wanted.has(module.name)))
  try {
    const products = await shop.run((env) => fillProducts(env, COUNT))
    for (const productCase of productCases(products)) {
      const plan = await shop.run((env) => planOf(env, productCase))
      const whole = plan.whole.filter((table) =>
        ['product_template', 'product_product', 'product_pricelist_item'].includes(table),
      )
      assert.deepEqual(whole, [], `${productCase.name} reads ${whole.join()}`)
      assert.ok(plan.indexes.length > 0, `${productCase.name} uses no index`)
      assert.ok(plan.passed < MOST_PASSED, `${productCase.name} reads ${plan.passed} rows for nothing`)
    }
    const plan = await shop.run((env) =>
      planOf(env, { name: 'by volume', model: 'product.template', domain: [['volume', '=', 3]] }),
    )
    assert.deepEqual(plan.whole, ['product_template'])
  } finally {
    await shop.close()
  }
})

test('query plans: no search over orders reads all of them', async () => {
  const shop = await openTestDatabase(modules.filter((module) => module.name !== 'sale_management'))
  try {
    const orders = await fillOrders(shop.run, COUNT)
    for (const orderCase of orderCases(orders)) {
      const plan = await shop.run((env) => planOf(env, orderCase))
      const whole = plan.whole.filter((table) => ['sale_order', 'sale_order_line'].includes(table))
      assert.deepEqual(whole, [], `${orderCase.name} reads ${whole.join()}`)
      // The customers, of whom there are few, may all be read.
      assert.ok(
        plan.passed <= Math.max(MOST_PASSED, CUSTOMERS),
        `${orderCase.name} reads ${plan.passed} rows for nothing`,
      )
    }
    await withAllFields(shop)
    await withFewRows(shop)
    await withManyPlans(shop)
    await withGaps(shop)
  } finally {
    await shop.close()
  }
})

/** Reads that name no fields, as many clients send them, are planned once too. */
async function withAllFields(shop: TestDatabase): Promise<void> {
  const ask = await askerOf(shop)
  for (let n = 0; n < 10; n++)
    for (const model of ['sale.order', 'account.move', 'product.product'])
      await ask(model, 'search_read', { domain: [], limit: 1 })
  const long = (await plannedOnce(shop)).filter((text) => text.length > 8_000)
  for (const table of ['sale_order', 'account_move', 'product_product'])
    assert.ok(
      long.some((text) => text.includes(`FROM "${table}"`)),
      `all fields of ${table}`,
    )
}

/** The models with the longest reads of all fields. */
const wide = [
  ...['res.partner', 'res.users', 'res.company', 'sale.order', 'sale.order.line', 'account.move'],
  ...['account.move.line', 'account.payment', 'product.product', 'product.template', 'stock.picking'],
  ...['stock.move', 'purchase.order', 'pos.order', 'mail.message', 'ir.attachment'],
]

/** Plans that a connection keeps leave room for the next one, within what a process may have. */
async function withManyPlans(shop: TestDatabase): Promise<void> {
  const ask = await askerOf(shop)
  for (let n = 0; n < 2; n++)
    for (const model of wide)
      for (let again = 0; again < 3; again++) await ask(model, 'search_read', { domain: [], limit: 80 })
}

/** Rows are chosen before the tables of many names are joined to them. */
async function withFewRows(shop: TestDatabase): Promise<void> {
  const domain = [['partner_id.name', '=', 'Nobody at all']]
  await shop.run(async (env) => {
    const orders = env.model('sale.order')
    const some = await orders.search([], { limit: 3 })
    for (const ask of [
      () => some.invoke('read', {}),
      () => orders.invoke('search_read', { domain, limit: 80 }),
      () => orders.invoke('search_read', { domain, limit: 80, offset: 1 }),
    ]) {
      const recorder = recordStatements()
      await ask()
      recorder.stop()
      const statement = recorder.statements.find(({ text }) => text.length > 8_000)
      assert.ok(statement)
      for (const node of walk(await explainedOften(env, statement)))
        if (node['Relation Name'] === 'sale_order')
          assert.ok(node['Actual Rows'] * node['Actual Loops'] < 100, JSON.stringify(node).slice(0, 300))
    }
  })
}

/** A column that may be NULL is no longer used to order lists, and lists still have all rows. */
async function withGaps(shop: TestDatabase): Promise<void> {
  const column = 'sale_order_line.order_id'
  const pageOfLines = () =>
    shop.run(async (env) => (await env.model('sale.order.line').search([], { limit: 100 })).ids)
  assert.ok(shop.database.registry.filled.has(column))
  const before = await pageOfLines()
  await shop.run(async (env) => {
    await env.query(raw('ALTER TABLE sale_order_line ALTER COLUMN order_id DROP NOT NULL'))
    raiseRightsVersion(env)
  })
  await shop.database.refresh()
  assert.ok(!shop.database.registry.filled.has(column))
  assert.deepEqual(await pageOfLines(), before)
}

test('query plans: a page at a large offset is found by ids alone, which skips rows in the index of the order', async () => {
  await db.run(async (env) => {
    const partners = env.withContext({ active_test: true }).model('res.partner')
    const { ids } = await partners.search([])
    const offset = COUNT / 2
    const recorder = recordStatements()
    const answer = (await partners.invoke('search_read', {
      ...{ domain: [], fields: ['name', 'country_id'], load: null },
      ...{ offset, limit: 80 },
    })) as { readonly json: string }
    recorder.stop()
    const rows = JSON.parse(answer.json) as { readonly id: number }[]
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids.slice(offset, offset + 80),
    )
    const statement = recorder.statements.find(({ text }) => text.includes('res_partner'))
    assert.ok(statement)
    const nodes = [...walk(await explainedOften(env, statement))]
    const order = nodes.find((node) => node['Index Name'] === 'res_partner_own_order')
    assert.equal(order?.['Node Type'], 'Index Only Scan')
    const others = nodes.filter((node) => node !== order && node['Relation Name'] === 'res_partner')
    assert.ok(others.every((node) => node['Actual Rows'] * node['Actual Loops'] <= 80))
  })
})
