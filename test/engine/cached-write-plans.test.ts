// Creates and writes by a cached plan: the row, the answer, the error and the feed are those of a
// process without cached plans, after any change in between, by this process or another.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Database } from '../../src/databases/database.ts'
import { modules } from '../../src/main.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import { createKey } from '../../src/services/admin.ts'
import { tell } from '../fuzz/cold.ts'
import { Random } from '../fuzz/random.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let held: TestDatabase
/** The same database as another process sees it. */
let otherDatabase: Database
const keys: Record<string, string> = {}

/** Values by field, odd ones among them: what is not plain, or refused, is so in both ways. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  name: ['Ann', 'Bob', '', false, 5, 'a\u0000b', 'x'.repeat(70_000)],
  email: ['ann@example.com', 'bob@example.com', null],
  city: ['Namur', 'Liège', '', 'Hidden'],
  street: ['Rue 1', false],
  phone: ['+32 81 00 00 00'],
  color: [0, 1, 2, 3, '4', 'red'],
  is_company: [true, false, 'yes'],
  type: ['contact', 'invoice', 'none'],
  lang: ['en_US', 'xx_XX', false],
  website: ['example.com', 'http://example.com/a'],
  vat: ['BE1', false],
  ref: ['R1', '', 7],
  active: [true, false],
  comment: ['<p>Hello</p><script>no</script>', false],
  barcode: ['123', false],
  company_name: ['Works', false],
  country_id: [1, false, '2', 999_999, 1.5],
  parent_id: [false, 1],
  category_id: [[], [[5]]],
  partner_share: [true],
  no_field: [1],
}
/** Those that most calls give. */
const common = ['name', 'email', 'city', 'street', 'phone', 'color', 'vat', 'ref']

before(async () => {
  held = await openTestDatabase(modules, { installed: ['base'] })
  otherDatabase = await Database.open('test', { ...held.databases.address, max: 2 }, modules, {
    files: held.database.files,
  })
  await held.run(async (env) => {
    const groups = await Promise.all(
      ['group_user', 'group_partner_manager'].map((name) => env.ref(`base.${name}`)),
    )
    await env
      .model('res.users')
      .create([{ name: 'Clerk', login: 'clerk', group_ids: [[6, 0, groups]] }] as never)
    const [model_id] = (await env.model('ir.model').search([['model', '=', 'res.partner']])).ids
    const domain_force = "['|', ('color', '!=', 3), ('city', '=', user.name)]"
    await env
      .model('ir.rule')
      .create([{ name: 'Colors', model_id, domain_force, groups: [[6, 0, groups.slice(0, 1)]] }] as never)
  })
  for (const login of ['admin', 'clerk'])
    keys[login] = await createKey(held.databases, 'test', login, { scope: null, name: 'test', days: 1 })
})
after(async () => {
  await otherDatabase?.close()
  await held?.close()
})

interface Outcome {
  readonly answer: string
  readonly rows: unknown
  readonly changes: unknown
}

const query = async (text: string, ...params: unknown[]): Promise<readonly (readonly unknown[])[]> =>
  held.database.pool.use((connection) => connection.query(text, params as never))

const position = async () => (await query('SELECT last_value::text FROM comptoir_feed_seq'))[0]?.[0]

/**
 * The answer of a call and the rows it leaves: rows of `ids` or of new records, and their child
 * records.
 */
async function outcome(
  database: Database,
  login: string,
  method: 'create' | 'write',
  vals: object,
  ids: readonly number[],
): Promise<Outcome> {
  const since = await position()
  const named = method === 'create' ? { vals_list: [vals] } : { vals }
  const { answer } = await tell(database, {
    key: keys[login] as string,
    model: 'res.partner',
    method,
    named,
    ids: method === 'write' ? ids : undefined,
  })
  const recordIds = method === 'create' && answer.startsWith('[') ? (JSON.parse(answer) as number[]) : ids
  const rows = await query(
    `SELECT (to_jsonb(p) - '{id,create_date,write_date,parent_id,commercial_partner_id}'::text[])::text, p.commercial_partner_id = p.id, p.parent_id IS NULL
      FROM res_partner p WHERE p.id = ANY($1::int[]) OR p.parent_id = ANY($1::int[]) ORDER BY p.id`,
    recordIds,
  )
  const changes = await query(
    'SELECT model, op, cardinality(ids), fields::text FROM comptoir_change WHERE seq > $1::bigint ORDER BY seq, n',
    since,
  )
  // Each of two alike writes has a record of its own, whose id a refusal names.
  const words = answer.replace(/(?<=\(res\.partner: )\d+(?=\))/, 'ID')
  return { answer: answer.startsWith('[') ? 'made' : words, rows, changes }
}

function someVals(random: Random): Record<string, unknown> {
  const names = random.some(common, 4)
  if (random.chance(0.3)) names.push(random.pick(Object.keys(values)))
  return Object.fromEntries(
    names.map((name) => {
      const all = values[name] ?? []
      return [name, random.chance(0.7) ? all[0] : random.pick(all)]
    }),
  )
}

/** Contacts alike: by itself, with people below, below somebody, hidden from the clerk, gone. */
async function family(): Promise<readonly number[]> {
  return held.run(async (env) => {
    const partners = env.model('res.partner')
    const [alone, above, hidden, gone] = (
      await partners.create(
        ['Alone', 'Above', 'Away', 'Gone'].map((name) => ({
          name,
          city: 'Huy',
          color: name === 'Away' ? 3 : 0,
        })) as never,
      )
    ).ids as [number, number, number, number]
    const [below] = (await partners.create([{ name: 'Below', parent_id: above }] as never)).ids as [number]
    await partners.browse([gone]).unlink()
    return [alone, above, below, hidden, gone]
  })
}

const untouched = Object.getOwnPropertyDescriptor(UnitOfWork.prototype, 'isUntouched') as PropertyDescriptor
const cache = Object.getOwnPropertyDescriptor(UnitOfWork.prototype, 'cache') as PropertyDescriptor

/** Does work without what is known: a unit that has looked at something takes the whole way. */
async function inWholeWay<T>(work: () => Promise<T>): Promise<T> {
  Object.defineProperty(UnitOfWork.prototype, 'isUntouched', { get: () => false, configurable: true })
  try {
    return await work()
  } finally {
    Object.defineProperty(UnitOfWork.prototype, 'isUntouched', untouched)
  }
}

/**
 * Number of times work reads the cache: the general path does so many times, the fast path at most
 * once.
 */
async function looks(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  Object.defineProperty(UnitOfWork.prototype, 'cache', {
    get(this: UnitOfWork) {
      count++
      return cache.get?.call(this)
    },
    configurable: true,
  })
  try {
    await work()
  } finally {
    Object.defineProperty(UnitOfWork.prototype, 'cache', cache)
  }
  return count
}

/** Asks both processes and one that knows nothing, with the same values each, and compares. */
async function compare(random: Random, rounds: number): Promise<number> {
  const twins = [await family(), await family(), await family()] as const
  let done = 0
  for (let n = 0; n < rounds; n++) {
    const [vals, login] = [someVals(random), random.pick(['admin', 'clerk'])]
    const method = random.pick(['create', 'write'] as const)
    const places = random.some([0, 1, 2, 3, 4], random.chance(0.7) ? 1 : 3)
    const of = (twin: readonly number[]) => places.map((place) => twin[place] as number)
    const whole = await inWholeWay(() => outcome(held.database, login, method, vals, of(twins[0])))
    for (const [i, database] of [held.database, otherDatabase].entries()) {
      const result = await outcome(database, login, method, vals, of(twins[i + 1] as readonly number[]))
      assert.deepEqual(result, whole, `${login} ${method} ${JSON.stringify(vals).slice(0, 300)} of ${places}`)
    }
    if (!whole.answer.includes(':')) done++
  }
  return done
}

const changes: Readonly<
  Record<string, (env: Parameters<Parameters<TestDatabase['run']>[0]>[0]) => Promise<unknown>>
> = {
  'a rule says something else': async (env) =>
    (await env.model('ir.rule').search([['name', '=', 'Colors']])).write({
      domain_force: "[('color', '!=', 1)]",
    } as never),
  'a default is kept for all': async (env) => {
    const [field_id] = (
      await env.model('ir.model.fields').search([
        ['model', '=', 'res.partner'],
        ['name', '=', 'city'],
      ])
    ).ids
    return env.model('ir.default').create([{ field_id, json_value: '"Ghent"' }] as never)
  },
  'somebody may no longer make contacts': async (env) =>
    (await env.model('res.users').search([['login', '=', 'clerk']])).write({
      group_ids: [[3, await env.ref('base.group_partner_manager')]],
    } as never),
  'somebody has another time zone': async (env) =>
    (await env.model('res.users').search([['login', '=', 'admin']])).write({ tz: 'Asia/Kathmandu' } as never),
  'properties are defined': async (env) =>
    (await env.model('properties.base.definition').search([])).write({
      properties_definition: [{ name: 'nick', type: 'char', string: 'Nick', default: 'Nn' }],
    } as never),
  'a field is made': async (env) => {
    const [model_id] = (await env.model('ir.model').search([['model', '=', 'res.partner']])).ids
    return env
      .model('ir.model.fields')
      .create([{ model_id, name: 'x_more', ttype: 'char', field_description: 'More' }] as never)
  },
}

test('cached writes: plain values of contacts use a cached plan, changes of parents and names do not', async () => {
  const [alone, , below] = await family()
  const write =
    (vals: object, id = alone) =>
    () =>
      outcome(held.database, 'admin', 'write', vals, [id as number])
  const create = (vals: object) => () => outcome(held.database, 'admin', 'create', vals, [])
  const last = async (work: () => Promise<unknown>) => {
    for (let n = 0; n < 4; n++) await work()
    return looks(work)
  }
  assert.ok((await last(create({ name: 'New', city: 'Namur' }))) <= 1)
  assert.equal(await last(write({ city: 'Spa', phone: '1' })), 0)
  assert.ok(
    (await last(write({ city: 'Spa', phone: '1' }, below))) > 3,
    'who stands below somebody gives and takes',
  )
  assert.ok((await last(write({ name: 'Other' }))) > 3)
  assert.ok((await last(create({ name: 'Child', parent_id: alone }))) > 3)
})

test('cached writes: a cached plan changes no result', async (t) => {
  const random = new Random(11)
  const rounds = Number(process.env.COMPTOIR_TEST_ROUNDS ?? 30)
  let done = await compare(random, rounds)
  assert.ok(done > rounds / 3, `only ${done} of ${rounds} calls did something`)
  for (const [name, change] of Object.entries(changes))
    await t.test(name, async () => {
      await held.run(change)
      await Promise.all(
        [held.database, otherDatabase].map((database) =>
          tell(database, {
            key: keys.admin as string,
            model: 'res.partner',
            method: 'search',
            named: { domain: [], limit: 1 },
          }),
        ),
      )
      done = await compare(random, Math.ceil(rounds / 4))
    })
})
