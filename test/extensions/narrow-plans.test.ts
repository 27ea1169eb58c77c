// Cached plans and keys of one user with different scopes: whichever key called before, a narrow key
// and the plain key get the answers that they would get without a cache.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
let second: number
before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  await db.run(async (env) => {
    const [belgium] = (await env.model('res.country').search([['code', '=', 'BE']])).ids
    // Their codes sort the other way round than their names and ids do.
    const states = (
      await env
        .model('res.country.state')
        .create(
          ['C', 'B', 'A'].map((code, n) => ({ name: `s${n}`, code, country_id: belgium as number })) as never,
        )
    ).ids
    second = (await env.model('res.company').create([{ name: 'Second' }])).ensureOne()
    await env
      .model('res.users')
      .browse([2])
      .write({ company_ids: [[4, second]] } as never)
    const model = await env.ref('base.model_res_partner')
    const domain_force = "['|', ('company_id', '=', False), ('company_id', 'in', company_ids)]"
    await env.model('ir.rule').create([{ name: 'companies', model_id: model, domain_force }] as never)
    const vals = Array.from({ length: 12 }, (_, n) => ({
      name: `N${n}`,
      state_id: states[n % 3],
      country_id: n % 2 ? belgium : false,
      company_id: n % 4 ? false : second,
      bank_ids: n === 5 ? [[0, 0, { acc_number: 'BE71' }]] : [],
    }))
    await env.model('res.partner').create(vals as never)
  })
})
after(() => db?.close())

const keyOf = (scope: string) =>
  createKey(db.databases, 'test', 'admin', { scope, name: crypto.randomUUID(), days: 1 })

/** Too long for any key: the call goes without what is kept, and nothing is kept of it. */
const unplanned = { nothing: 'x'.repeat(7000) }

type Named = Readonly<Record<string, unknown>>
interface Question {
  readonly method: string
  readonly named: Named
}

/** The answer, or the name and words of the refusal. */
async function ask(by: string, { method, named }: Question, context: object = {}): Promise<unknown> {
  try {
    const { json } = await call(db.databases, {
      ...{ database: 'test', credential: { kind: 'key', key: by }, model: 'res.partner', method },
      body: () => ({ ids: undefined, context, named }),
      ...{ remote: '::1', requestId: 'test' },
    })
    return JSON.parse(json)
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error
  }
}

const fields = ['name']
/** Each returns something else for one of the narrow keys than for the plain key. */
const questions: Readonly<Record<string, (limit: number) => Question>> = {
  'a condition on what is behind a link': (limit) => ({
    method: 'search_read',
    named: { domain: [['country_id.code', '=', 'BE']], fields, limit },
  }),
  'a condition on lines': (limit) => ({
    method: 'search',
    named: { domain: [['bank_ids.acc_number', '=', 'BE71']], limit },
  }),
  'how many there are': (limit) => ({
    method: 'search_count',
    named: { domain: [['state_id.code', '!=', 'B']], limit },
  }),
  'an order by what is behind a link': (limit) => ({
    method: 'search_read',
    named: {
      domain: [['name', '=like', 'N%']],
      fields,
      order: 'state_id desc, name desc',
      limit,
    },
  }),
  'rows behind a link': (limit) => ({
    method: 'web_search_read',
    named: {
      domain: [['name', '=', 'N5']],
      specification: { name: {}, bank_ids: { fields: { acc_number: {} } } },
      limit,
    },
  }),
  'groups of what is behind a link': (limit) => ({
    method: 'formatted_read_group',
    named: {
      domain: [['state_id.code', '!=', 'B']],
      groupby: ['country_id'],
      aggregates: ['__count'],
      limit,
    },
  }),
  'rows of another company': (limit) => ({
    method: 'search_read',
    named: { domain: [['name', '=like', 'N%']], fields: ['name', 'company_id'], order: 'id', limit },
  }),
}

/** More often than it takes until all of a question is kept. */
const OFTEN = 4

for (const [about, question] of Object.entries(questions))
  test(`${about}: what one key made known opens nothing to the other`, async () => {
    const plain = await keyOf('rpc')
    let differing = 0
    // Another number of rows is another question, of which nothing is kept yet.
    let limit = 100
    for (const scope of ['rpc model:res.partner:r', `rpc company:${second}`, 'rpc company:1']) {
      const narrow = await keyOf(scope)
      for (const order of [
        [plain, narrow, plain],
        [narrow, plain, narrow],
      ]) {
        const questionAsked = question(++limit)
        for (const by of order) {
          const alone = await ask(by, questionAsked, unplanned)
          for (let n = 0; n < OFTEN; n++)
            assert.deepEqual(await ask(by, questionAsked), alone, `${by === plain ? 'plain' : scope}`)
        }
        const [ofPlain, other] = [await ask(plain, questionAsked), await ask(narrow, questionAsked)]
        if (JSON.stringify(ofPlain) !== JSON.stringify(other)) differing++
      }
    }
    assert.ok(differing > 0, 'a question to which all keys hear the same proves nothing')
  })
