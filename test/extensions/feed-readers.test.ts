// Visibility of the change feed: callers see what their rights allow, now and at the time of the
// change, and each change once, whatever wrote it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { brief, type Change, type Feed, feedOf } from '../support/feed.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
let feed: Feed
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
  feed = feedOf(nodes)
})
after(() => nodes?.close())

const ask: Feed['ask'] = (...parameters) => feed.ask(...parameters)
const drain: Feed['drain'] = (...parameters) => feed.drain(...parameters)
const now: Feed['now'] = (...parameters) => feed.now(...parameters)
const create = async (vals: object) =>
  ((await nodes.call('res.partner/create', { vals_list: [vals] })).body as [number])[0]

test('change feed: removals are reported only to users who could see the record', async () => {
  const { keys, companies } = await nodes.run(async (env) => {
    const createdCompanies = (await env.model('res.company').create([{ name: 'One' }, { name: 'Two' }])).ids
    const groups = [await env.ref('base.group_user'), await env.ref('base.group_partner_manager')]
    for (const [n, company] of createdCompanies.entries())
      await env.model('res.users').create([
        {
          name: `u${n}`,
          login: `u${n}`,
          company_id: company,
          company_ids: [[6, 0, [company]]],
          group_ids: [[6, 0, groups]],
        } as never,
      ])
    const [model] = await env.query(sql`SELECT id FROM ir_model WHERE model = 'res.partner'`)
    await env.model('ir.rule').create([
      {
        name: 'companies',
        model_id: model?.[0] as number,
        domain_force: "['|', ('company_id', '=', False), ('company_id', 'in', company_ids)]",
      },
    ])
    return { companies: createdCompanies, keys: [] as string[] }
  })
  for (const n of [0, 1])
    keys.push(await createKey(nodes.databases, 'test', `u${n}`, { scope: null, name: 'k', days: 1 }))
  const by = (n: number) => ({ authorization: `bearer ${keys[n]}` })
  const admin = (await nodes.call('res.users/read', { ids: [2], fields: ['company_ids'] })).body as {
    company_ids: number[]
  }[]
  await nodes.call('res.users/write', {
    ids: [2],
    vals: { company_ids: [[6, 0, [...(admin[0]?.company_ids ?? []), ...companies]]] },
  })
  const all = { context: { allowed_company_ids: [...companies] } }
  const make = async (company: number | undefined) =>
    (
      (
        await nodes.call('res.partner/create', {
          vals_list: [{ name: 'Owned', company_id: company }],
          ...all,
        })
      ).body as [number]
    )[0]
  const [firstContact, two] = [await make(companies[0]), await make(companies[1])]
  const question = { models: { 'res.partner': { fields: ['name'] } } }
  const [first, second] = [await now(question, by(0)), await now(question, by(1))]
  await nodes.call('res.partner/write', { ids: [firstContact], vals: { company_id: companies[1] }, ...all })
  await nodes.call('res.partner/unlink', { ids: [two], ...all })
  assert.deepEqual(brief((await drain(question, first, by(0))).changes), [`remove ${firstContact}`])
  assert.deepEqual(brief((await drain(question, second, by(1))).changes), [
    `upsert ${firstContact}`,
    `remove ${two}`,
  ])
  const raw = { ...question, compact: false }
  const third = await now(raw, by(0))
  await nodes.call('res.partner/unlink', { ids: [firstContact], ...all })
  assert.deepEqual((await drain(raw, third, by(0))).changes, [])
  // Other companies are other rights: the client begins anew.
  await nodes.call('res.users/write', { ids: [2], vals: { name: 'Admin' } })
  await nodes.run(({ unit }) =>
    unit.query(sql`UPDATE ir_rule SET domain_force = '[]' WHERE name = 'companies'`),
  )
  await nodes.run(({ unit }) => unit.query(sql`UPDATE rights_version SET version = version + 1`))
  const refused = await nodes.post('/x/1/changes', { ...question, cursor: second }, by(1))
  assert.deepEqual(
    [refused.status, refused.headers.get('error-code'), (refused.body as { context: object }).context],
    [410, 'resync_required', { reason: 'rights' }],
  )
})

test('change feed: a changed group, rule, company or field makes its readers start over, for the models concerned only', async () => {
  const ruleOfClerk = await nodes.run(async (env) => {
    const [model] = await env.query(sql`SELECT id FROM ir_model WHERE model = 'res.partner.category'`)
    const groups = (await env.model('res.groups').create([{ name: 'Taggers' }, { name: 'Others' }])).ids
    const companies = (await env.model('res.company').create([{ name: 'Three' }])).ids
    const [user] = (await env.model('res.users').create([{ name: 'Anew', login: 'anew' } as never])).ids
    return { user, company: companies[0], group: groups[0], other: groups[1], model: model?.[0] as number }
  })
  const key = await createKey(nodes.databases, 'test', 'anew', { scope: null, name: 'k', days: 1 })
  const anew = { authorization: `bearer ${key}` }
  const question = { models: { 'res.partner.category': { fields: ['name'] } } }
  const beside = { models: { 'res.country': { fields: ['name'] } } }
  const done = async (path: string, body: object) => {
    const { status, text, body: answer } = await nodes.call(path, body)
    assert.equal(status, 200, text)
    return answer
  }
  const write = (vals: object) => done('res.users/write', { ids: [ruleOfClerk.user], vals })
  const rule = { name: 'tags', model_id: ruleOfClerk.model, domain_force: "[('color', '<', 9)]" }
  let rules: unknown
  const steps: readonly (readonly [what: string, isTheirs: boolean, act: () => Promise<unknown>])[] = [
    ['a group more', true, () => write({ group_ids: [[4, ruleOfClerk.group]] })],
    [
      'a rule of that group',
      true,
      async () => {
        rules = await done('ir.rule/create', {
          vals_list: [{ ...rule, groups: [[6, 0, [ruleOfClerk.group]]] }],
        })
      },
    ],
    [
      'the rule says something else',
      true,
      () => done('ir.rule/write', { ids: rules, vals: { domain_force: "[('color', '<', 5)]" } }),
    ],
    [
      'a rule of another group',
      false,
      () => done('ir.rule/create', { vals_list: [{ ...rule, groups: [[6, 0, [ruleOfClerk.other]]] }] }),
    ],
    ['the rule is gone', true, () => done('ir.rule/unlink', { ids: rules })],
    ['the group is gone', true, () => write({ group_ids: [[3, ruleOfClerk.group]] })],
    [
      'another company',
      true,
      () => write({ company_ids: [[6, 0, [ruleOfClerk.company]]], company_id: ruleOfClerk.company }),
    ],
    ['another name', false, () => write({ name: 'As before' })],
    [
      'a field',
      true,
      () =>
        done('ir.model.fields/create', {
          vals_list: [
            { name: 'x_tagged', model_id: ruleOfClerk.model, ttype: 'char', field_description: 'Tagged' },
          ],
        }),
    ],
  ]
  for (const [what, isTheirs, act] of steps) {
    const [cursor, other] = [await now(question, anew), await now(beside, anew)]
    await act()
    const { status, body } = await nodes.post('/x/1/changes', { ...question, cursor }, anew, 1)
    const reason = (body as { context?: { reason: string } }).context?.reason
    assert.deepEqual([status, reason], isTheirs ? [410, 'rights'] : [200, undefined], what)
    // A cursor of another model stays valid unless the caller's own user changed.
    const isOwn = /^(?:a rule|the rule|another name|a field)/.test(what)
    const { status: still } = await nodes.post('/x/1/changes', { ...beside, cursor: other }, anew, 1)
    assert.equal(still, isOwn ? 200 : 410, what)
  }
})

test('change feed: with sixteen writers on two nodes, readers get each change once, in ascending order', async () => {
  const ids = (
    await nodes.call('res.partner/create', {
      vals_list: Array.from({ length: 6 }, (_, n) => ({ name: `Written ${n}` })),
    })
  ).body as number[]
  const question = { models: { 'res.partner': { fields: [], domain: [] } }, compact: false }
  const cursor = await now(question)
  const written = new Map<number, number>()
  let isOver = false
  const writer = async (n: number) => {
    for (let k = 0; k < 8; k++) {
      const id = ids[(n + k) % ids.length] as number
      const vals = k % 4 === 3 ? { parent_id: 999_999 } : { comment: `${n} ${k}` }
      const { status } = await nodes.call('res.partner/write', { ids: [id], vals }, {}, n % 2)
      if (status === 200) written.set(id, (written.get(id) ?? 0) + 1)
    }
  }
  const reader = async (node: number) => {
    const seen: Change[] = []
    let at = cursor
    for (let quiet = 0; quiet < 2; ) {
      const over = isOver
      const limit = 1 + Math.floor(Math.random() * 30)
      const page = await ask({ ...question, limit, cursor: at }, {}, node)
      seen.push(...page.changes)
      at = page.cursor
      quiet = over && page.changes.length === 0 ? quiet + 1 : 0
    }
    return seen
  }
  const readers = [0, 1, 0].map(reader)
  await Promise.all(Array.from({ length: 16 }, (_, n) => writer(n)))
  isOver = true
  for (const seen of await Promise.all(readers)) {
    const changes = seen.filter(({ id }) => ids.includes(id))
    const counts = new Map([...Map.groupBy(changes, ({ id }) => id)].map(([id, of]) => [id, of.length]))
    assert.deepEqual([...counts].sort(), [...written].sort())
    const places = seen.map(({ seq, id }) => `${String(seq).padStart(20, '0')} ${id}`)
    assert.equal(new Set(places).size, places.length)
    assert.deepEqual(
      seen.map(({ seq }) => Number(seq)),
      seen.map(({ seq }) => Number(seq)).toSorted((x, y) => x - y),
    )
  }
})

test('change feed: a change of a field for a group is reported to its members only', async () => {
  await nodes.run((env) => env.model('res.users').create([{ name: 'Plain', login: 'plain' } as never]))
  const key = await createKey(nodes.databases, 'test', 'plain', { scope: null, name: 'k', days: 1 })
  const plain = { authorization: `bearer ${key}` }
  const [system, model] = await nodes.run(async (env) => {
    const [row] = await env.query(sql`SELECT id FROM ir_model WHERE model = 'res.partner'`)
    return [await env.ref('base.group_system'), row?.[0] as number]
  })
  const field = await nodes.call('ir.model.fields/create', {
    vals_list: [
      {
        name: 'x_secret',
        model_id: model,
        ttype: 'char',
        field_description: 'Secret',
        groups: [[6, 0, [system]]],
      },
    ],
  })
  assert.equal(field.status, 200, field.text)
  const person = await create({ name: 'Known' })
  const question = { models: { 'res.partner': { fields: [] } }, compact: false }
  const [theirs, ours] = [await now(question, plain), await now(question)]
  assert.equal(
    (await nodes.call('res.partner/write', { ids: [person], vals: { x_secret: 'a' } })).status,
    200,
  )
  assert.deepEqual((await drain(question, theirs, plain)).changes, [])
  assert.deepEqual((await drain(question, ours)).changes[0]?.fields, ['x_secret'])
  await nodes.call('res.partner/write', { ids: [person], vals: { x_secret: 'b', comment: 'c' } })
  assert.deepEqual((await drain(question, theirs, plain)).changes[0]?.fields, ['comment'])
})
