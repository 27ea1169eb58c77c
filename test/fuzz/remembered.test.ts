// Plans, rights, labels and all else that is remembered between calls: never another answer than that of a
// process that has just started, whatever was asked before, and whatever was changed in between, here or by
// another process.
// Begins first: it takes 20 s.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Database } from '../../src/databases/database.ts'
import { modules } from '../../src/main.ts'
import { type Asked, coldly, tell } from './cold.ts'
import { dictionaryRounds } from './dictionary-rounds.ts'
import { fuzzCallsIn } from './remembered.ts'
import { MADE, openShop, type Shop } from './shop.ts'

let shop: Shop
/** The same database as another process sees it. */
let otherDatabase: Database
const key = (login: string): string => shop.keys[login] as string

before(async () => {
  shop = await openShop()
  otherDatabase = await Database.open('shop', { ...shop.databases.address, max: 2 }, modules, {
    files: shop.database.files,
  })
})
after(async () => {
  await otherDatabase?.close()
  await shop?.close()
})

test('fuzz: generated calls return the same with and without cached plans', async () => {
  const { finding, difference, asked: count, answered } = await fuzzCallsIn(shop, { calls: 100, seed: 7 })
  assert.equal(finding, null, `${JSON.stringify(finding)}\n${difference}`)
  assert.ok(answered > count / 2, `only ${answered} of ${count} calls were answered`)
})

test('two nodes change small tables: what lists show of them is never stale', () =>
  dictionaryRounds([shop.database, otherDatabase], key('admin'), 20))

const ask = async (
  database: Database,
  model: string,
  method: string,
  named: Asked['named'],
  more: Partial<Asked> = {},
): Promise<unknown> => {
  const { answer } = await tell(database, { key: key('admin'), model, method, named, ...more })
  assert.match(answer, /^[[{"\dtf]/, `${model}.${method}: ${answer}`)
  return JSON.parse(answer)
}
const search = async (model: string, domain: unknown[]): Promise<number[]> =>
  (await ask(shop.database, model, 'search', { domain }, { context: { active_test: false } })) as number[]
const firstId = async (model: string, ...domain: unknown[]): Promise<number> => {
  const [id] = await search(model, domain)
  assert.ok(id, `${model} ${JSON.stringify(domain)}`)
  return id
}

test('cached plans: for all fields of all models, a page is the same part of all rows, with an offset too', async () => {
  const refused = new Set<string>()
  for (const { name, hasRows, kind } of shop.database.registry.models.values()) {
    if (!hasRows || kind === 'abstract') continue
    for (const login of ['admin', 'seller']) {
      const rows = async (window: object): Promise<unknown[] | null> => {
        const call = {
          key: key(login),
          model: name,
          method: 'search_read',
          named: { domain: [], fields: null, ...window },
        }
        const { answer } = await tell(shop.database, call)
        if (answer.startsWith('AccessError')) return null
        assert.match(answer, /^\[/, `${name} ${JSON.stringify(window)}: ${answer}`)
        // Unconfirmed orders have the current time as their expected date.
        return (JSON.parse(answer) as object[]).map((row) => ({ ...row, expected_date: null }))
      }
      const first = await rows({ limit: 4 })
      if (!first) refused.add(`${login} ${name}`)
      else {
        assert.deepEqual(await rows({ limit: 2, offset: 2 }), first.slice(2), name)
        assert.deepEqual(await rows({ limit: 3, offset: 1 }), first.slice(1), name)
      }
    }
  }
  assert.ok(
    ![...refused].some((who) => who.startsWith('admin res.partner') || who.startsWith('seller sale.order')),
  )
})

/** Reads before and after each change. */
const ofThings = { x_name: {}, x_whole: {}, x_partner_id: { fields: { display_name: {} } } }

/** Calls that are known by the form in which they are asked: pages, records, names, counts, groups, exports. */
function knownAgain(base: Pick<Asked, 'key' | 'context'>): Asked[] {
  const calls: readonly (readonly [method: string, named: Asked['named'], ids?: readonly number[]])[] = [
    ['web_search_read', { domain: [['id', '>', 0]], specification: ofThings, limit: 20 }],
    ['web_read', { specification: ofThings }, [1, 2]],
    ['read', { fields: Object.keys(ofThings) }, [1, 2]],
    ['read', { fields: Object.keys(ofThings), load: null }, [2, 1]],
    ['name_search', { name: 'a', limit: 8 }],
    ['search_count', { domain: [['x_name', 'ilike', 'a']] }],
    ['formatted_read_group', { domain: [], groupby: ['x_partner_id'], aggregates: ['x_whole:sum'] }],
    ['export_data', { fields_to_export: ['x_name', 'x_partner_id', 'x_whole'] }, [1, 2]],
  ]
  const columns = { fields_to_export: ['type', 'country_id', 'color'] }
  return [
    ...calls.map(([method, named, ids]) => ({ ...base, model: MADE, method, named, ids })),
    { ...base, model: 'res.partner', method: 'export_data', ids: [1, 2, 3], named: columns },
  ]
}

function probes(): Asked[] {
  const calls: Asked[] = []
  for (const login of ['admin', 'seller', 'lead', 'guest']) {
    for (const context of login === 'seller' ? [{}, { lang: 'fr_FR', allowed_company_ids: [1] }] : [{}]) {
      const base = { key: key(login), context }
      for (const [model, fields] of [
        [MADE, null],
        ['res.partner', ['name', 'active_lang_count', 'property_account_receivable_id', 'user_ids']],
        ['product.product', ['name', 'lst_price', 'standard_price', 'weight']],
        ['res.company', ['name', 'currency_id']],
        ['sale.order', ['name', 'amount_total', 'order_line']],
      ] as const)
        calls.push({
          ...base,
          model,
          method: 'search_read',
          named: { domain: [['id', '>', 0]], fields, limit: 20 },
        })
      calls.push({ ...base, model: MADE, method: 'fields_get', named: {} })
      calls.push({
        ...base,
        model: MADE,
        method: 'web_search_read',
        named: { domain: [], specification: { x_name: {}, x_child_ids: { fields: { x_name: {} } } } },
      })
      calls.push({
        ...base,
        model: 'sale.order',
        method: 'formatted_read_group',
        named: { domain: [], groupby: ['date_order:week'], aggregates: ['__count'] },
      })
      if (login === 'admin' || login === 'seller') calls.push(...knownAgain(base))
      calls.push({
        ...base,
        model: MADE,
        method: 'write',
        ids: [1, 2],
        named: { vals: { x_day: '2024-01-01' } },
        undone: true,
      })
    }
  }
  return calls
}

type Change = (database: Database) => Promise<unknown>

/** Changes of all that answers follow from, in their order. */
async function changes(): Promise<Readonly<Record<string, Change>>> {
  const model = await firstId('ir.model', ['model', '=', MADE])
  const field = (name: string) => firstId('ir.model.fields', ['model', '=', MADE], ['name', '=', name])
  const [small, wide] = (await search('ir.rule', [['model_id', '=', model]])) as [number, number]
  const access = await firstId('ir.model.access', ['model_id', '=', model])
  const user = (login: string) => firstId('res.users', ['login', '=', login])
  const [seller, lead] = [await user('seller'), await user('lead')]
  const partner = await firstId('res.partner', ['user_ids', 'in', [seller]])
  const [system] = (await ask(shop.database, 'ir.model.data', 'search_read', {
    domain: [
      ['module', '=', 'base'],
      ['name', '=', 'group_system'],
    ],
    fields: ['res_id'],
  })) as [{ res_id: number }]
  const write =
    (of: string, id: number, vals: object, context: Asked['context'] = {}): Change =>
    (database) =>
      ask(database, of, 'write', { vals }, { ids: [id], context })
  const create =
    (of: string, vals: object): Change =>
    (database) =>
      ask(database, of, 'create', { vals_list: [vals] })
  return {
    'a rule says something else': write('ir.rule', wide, { domain_force: "[('x_name', '!=', user.name)]" }),
    'what a rule reads of the user': write('res.users', seller, { name: 'Chose' }),
    'a rule that reads the partner': write('ir.rule', wide, {
      domain_force: "['|', ('x_city', '=', user.partner_id.city), ('x_partner_id', '=', False)]",
    }),
    'what a rule reads of the partner': write('res.partner', partner, { city: 'Brussels' }),
    'a rule is for another group': write('res.groups', system.res_id, { rule_groups: [[4, small]] }),
    'a rule is switched off': write('ir.rule', wide, { active: false }),
    'access is taken away': write('ir.model.access', access, { perm_write: false }),
    'somebody joins a group': write('res.groups', system.res_id, { user_ids: [[4, lead]] }),
    'somebody leaves a group': write('res.users', lead, { group_ids: [[3, system.res_id]] }),
    'a company leaves somebody': write('res.company', 2, { user_ids: [[3, seller]] }),
    'somebody has a company more, and another at first': write('res.users', seller, {
      company_ids: [[6, 0, [1, 2]]],
      company_id: 2,
    }),
    'somebody has another language': write('res.users', seller, { lang: 'fr_FR', tz: 'Asia/Kathmandu' }),
    'a language is installed': write('res.lang', await firstId('res.lang', ['code', '=', 'de_DE']), {
      active: true,
    }),
    'weeks begin on another day': write('res.lang', await firstId('res.lang', ['code', '=', 'fr_FR']), {
      week_start: '7',
    }),
    'a label': write(
      'ir.model.fields',
      await field('x_whole'),
      { field_description: 'Entier' },
      { lang: 'fr_FR' },
    ),
    'a label of an option': write(
      'ir.model.fields.selection',
      await firstId(
        'ir.model.fields.selection',
        ['field_id.model', '=', 'res.partner'],
        ['field_id.name', '=', 'type'],
        ['value', '=', 'contact'],
      ),
      { name: 'Personne' },
      { lang: 'fr_FR' },
    ),
    'a field is made': create('ir.model.fields', {
      model_id: model,
      name: 'x_more',
      ttype: 'char',
      field_description: 'More',
    }),
    'a default of a company': create('ir.default', {
      field_id: await field('x_own'),
      json_value: '"fallback"',
      company_id: 2,
    }),
    'what a relation holds': write('ir.model.fields', await field('x_child_ids'), {
      domain: "[('x_whole', '<', 1)]",
    }),
    'whose a field is': write('ir.model.fields', await field('x_whole'), {
      groups: [[6, 0, [system.res_id]]],
    }),
    'where a field comes from': write('ir.model.fields', await field('x_city'), {
      related: 'x_partner_id.street',
    }),
    'the order of a model': write('ir.model', model, { order: 'x_whole desc, id' }),
    'more decimals': write('decimal.precision', (await search('decimal.precision', [])).at(-1) as number, {
      digits: 4,
    }),
    'a company is made': create('res.company', { name: 'Third' }),
    'a field is dropped': async (database) =>
      ask(database, 'ir.model.fields', 'unlink', {}, { ids: [await field('x_amount')] }),
    'and made anew as something else': create('ir.model.fields', {
      model_id: model,
      name: 'x_amount',
      ttype: 'char',
      field_description: 'Amount',
    }),
  }
}

test('fuzz: cached plans after changes on this node or another', async (t) => {
  const calls = probes()
  const places = { here: shop.database, elsewhere: otherDatabase }
  const warm = async () => {
    for (const database of Object.values(places)) for (const call of calls) await tell(database, call)
  }
  await warm()
  await warm()
  let n = 0
  const felt: string[] = []
  for (const [name, change] of Object.entries(await changes())) {
    const by = n++ % 2 ? 'here' : 'elsewhere'
    await t.test(`${name}, ${by}`, async () => {
      const before: string[] = []
      for (const call of calls) before.push((await tell(shop.database, call)).answer)
      await change(places[by])
      // `call` reads models and rights anew where they are behind; work that is undone is given what it
      // finds.
      for (const database of Object.values(places))
        for (const login of Object.keys(shop.keys))
          await tell(database, {
            key: key(login),
            model: 'res.partner',
            method: 'search',
            named: { domain: [], limit: 1 },
          })
      const anew = await coldly(shop.database, async (cold) => {
        const answers: string[] = []
        for (const call of calls) answers.push((await tell(cold, call)).answer)
        return answers
      })
      for (const [place, database] of Object.entries(places))
        for (const [i, call] of calls.entries())
          assert.equal((await tell(database, call)).answer, anew[i], `${place} ${JSON.stringify(call)}`)
      if (anew.some((answer, i) => answer !== before[i])) felt.push(name)
      await warm()
    })
  }
  assert.ok(felt.length > n / 2, `of ${n} changes only these changed an answer: ${felt.join(', ')}`)
})
