// Names of the base module that clients of forms and of the back office call: preferences, actions, menus,
// views, saved searches.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'

type Person = 'clerk' | 'admin'
type Row = Readonly<Record<string, unknown>>

let shop: Office<'clerk'>
before(async () => {
  shop = await openOffice(['base'], { clerk: [] })
})
after(() => shop?.close())

async function ask<T = Row[]>(person: Person, path: string, body: object = {}): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const statusOf = async (person: Person, path: string, body: object) =>
  (await shop.call(person, path, body)).status
const make = async (model: string, vals: object) => {
  const [id = 0] = await ask<number[]>('admin', `${model}/create`, { vals_list: [vals] })
  return id
}

test('res.users: preferences, the currency of the company, and sessions that users end', async () => {
  const preferences = await ask<Row>('clerk', 'res.users/action_get')
  const uid = preferences.res_id as number
  assert.deepEqual([preferences.res_model, preferences.target], ['res.users', 'new'])
  const [company] = await ask('clerk', 'res.company/search_read', {
    domain: [],
    fields: ['currency_id'],
    limit: 1,
  })
  assert.equal(await ask('clerk', 'res.users/get_company_currency_id'), [company?.currency_id].flat()[0])
  const ended = await ask<Row>('clerk', 'res.users/action_revoke_all_devices', { ids: [uid] })
  assert.equal(ended.tag, 'reload')
  assert.equal(await statusOf('clerk', 'res.users/action_revoke_all_devices', { ids: [2] }), 403)
  assert.equal(await statusOf('admin', 'res.users/action_revoke_all_devices', { ids: [999_999] }), 404)
})

test('res.users/authenticate: a wrong password and another login are refused', async () => {
  const status = (credential: unknown) =>
    statusOf('clerk', 'res.users/authenticate', { ids: [], credential, user_agent_env: null })
  assert.equal(await status({ login: 'clerk', password: 'wrong' }), 403)
  assert.equal(await status({ login: 'admin', password: 'admin' }), 403)
  assert.equal(await status({ login: 'clerk' }), 422)
})

test('actions: those that are bound to a model are offered to their groups until they are unbound', async () => {
  const model = await ask<number[]>('admin', 'ir.model/search', { domain: [['model', '=', 'res.partner']] })
  const system = await ask<number[]>('admin', 'res.groups/get_application_groups', {
    domain: [['implied_ids', '!=', false]],
  })
  assert.ok(system.length > 0)
  const id = await make('ir.actions.server', { name: 'Check', model_id: model[0], state: 'code', code: '' })
  const offered = async (person: Person) =>
    (
      ((await ask<Row>(person, 'ir.actions.actions/get_bindings', { model_name: 'res.partner' })).action ??
        []) as Row[]
    ).filter((row) => row.id === id && row.type === 'ir.actions.server').length
  assert.equal(await offered('clerk'), 0)
  await ask('admin', 'ir.actions.server/create_action', { ids: [id] })
  assert.equal(await offered('clerk'), 1)
  await ask('admin', 'ir.actions.server/write', {
    ids: [id],
    vals: { group_ids: [[6, 0, []]] },
  })
  await ask('admin', 'ir.actions.server/unlink_action', { ids: [id] })
  assert.equal(await offered('clerk'), 0)
  assert.equal(await statusOf('clerk', 'ir.actions.server/create_action', { ids: [id] }), 403)
  assert.equal(await statusOf('clerk', 'ir.actions.actions/get_bindings', { model_name: 'no.model' }), 422)
})

test('ir.actions.todo: a wizard that is launched is done, and one stays open', async () => {
  const action_id = await make('ir.actions.actions', { name: 'Set up' })
  const [first, second, third] = [
    await make('ir.actions.todo', { action_id, sequence: 1 }),
    await make('ir.actions.todo', { action_id, sequence: 2 }),
    await make('ir.actions.todo', { action_id, sequence: 3 }),
  ]
  const launched = await ask<Row>('admin', 'ir.actions.todo/action_launch', { ids: [first] })
  assert.deepEqual(launched, { type: 'ir.actions.actions', id: action_id })
  await ask('admin', 'ir.actions.todo/ensure_one_open_todo')
  const rows = await ask('admin', 'ir.actions.todo/read', { ids: [first, second, third], fields: ['state'] })
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['done', 'open', 'done'],
  )
})

test('ir.ui.menu: a menu whose parent is for another group is not loaded', async () => {
  const [group] = await ask<number[]>('admin', 'ir.model.data/search_read', {
    domain: [
      ['module', '=', 'base'],
      ['name', '=', 'group_system'],
    ],
    fields: ['res_id'],
  }).then((rows) => (rows as unknown as Row[]).map((row) => row.res_id as number))
  const top = await make('ir.ui.menu', { name: 'Open' })
  const below = await make('ir.ui.menu', { name: 'Below', parent_id: top })
  const closed = await make('ir.ui.menu', { name: 'Closed', group_ids: [[6, 0, [group]]] })
  const inside = await make('ir.ui.menu', { name: 'Inside', parent_id: closed })
  const roots = await ask<number[]>('admin', 'ir.ui.menu/get_user_roots')
  assert.ok(roots.includes(top) && roots.includes(closed) && !roots.includes(below))
  const loaded = await ask<Record<string, Row>>('clerk', 'ir.ui.menu/load_menus', { debug: false })
  assert.deepEqual(loaded[top]?.children, [below])
  assert.ok(!loaded[closed] && !loaded[inside])
  const access = await ask('admin', 'res.groups/read', { ids: [group], fields: ['menu_access'] })
  assert.deepEqual(access[0]?.menu_access, [closed])
})

test('ir.ui.view: the view that is shown first, and the text before the last change', async () => {
  const view = { model: 'res.partner', type: 'list' }
  await make('ir.ui.view', { ...view, name: 'Later', priority: 20 })
  const id = await make('ir.ui.view', { ...view, name: 'First', priority: 1, arch_db: '<list/>' })
  assert.equal(await ask('admin', 'ir.ui.view/default_view', { model: 'res.partner', view_type: 'list' }), id)
  assert.equal(
    await ask('admin', 'ir.ui.view/default_view', { model: 'res.partner', view_type: 'pivot' }),
    false,
  )
  assert.equal(await statusOf('admin', 'ir.ui.view/reset_arch', { ids: [id] }), 422)
  await ask('admin', 'ir.ui.view/write', { ids: [id], vals: { arch_db: '<list limit="5"/>' } })
  await ask('admin', 'ir.ui.view/reset_arch', { ids: [id] })
  const [row] = await ask('admin', 'ir.ui.view/read', {
    ids: [id],
    fields: ['arch_db', 'arch_prev', 'arch_updated'],
  })
  assert.deepEqual([row?.arch_db, row?.arch_prev, row?.arch_updated], ['<list/>', '<list limit="5"/>', true])
})

test('ir.filters: users find their own searches and those that are shared', async () => {
  const filter = { model_id: 'res.partner', domain: '[]', context: '{}', sort: '[]' }
  await ask('admin', 'ir.filters/create_filter', { vals: { ...filter, name: 'Shared' } })
  await ask('admin', 'ir.filters/create_filter', {
    vals: { ...filter, name: 'Of admin', user_ids: [[6, 0, [2]]] },
  })
  const names = (await ask('clerk', 'ir.filters/get_filters', { model: 'res.partner' })).map(
    ({ name }) => name,
  )
  assert.deepEqual(names, ['Shared'])
})

test('ir.sequence/get_next_char: a number is written, and none is drawn', async () => {
  const id = await make('ir.sequence', { name: 'S', prefix: 'A-', padding: 4 })
  assert.equal(await ask('admin', 'ir.sequence/get_next_char', { ids: [id], number_next: 12 }), 'A-0012')
  assert.equal(await ask('admin', 'ir.sequence/next_by_id', { ids: [id] }), 'A-0001')
})

test('base.language.install/switch_lang: a language that is not in use is refused', async () => {
  const wizardFor = async (code: string) => {
    const domain = [
      ['code', '=', code],
      ['active', 'in', [true, false]],
    ]
    const lang_ids = [[6, 0, await ask<number[]>('admin', 'res.lang/search', { domain })]]
    return make('base.language.install', { lang_ids })
  }
  const method = 'base.language.install/switch_lang'
  assert.equal(await statusOf('admin', method, { ids: [await wizardFor('fr_FR')] }), 422)
  const answer = await ask<Row>('admin', method, { ids: [await wizardFor('en_US')] })
  assert.equal(answer.tag, 'reload_context')
})

test('ir.default/discard_values: defaults that are one of the values are removed, others stay', async () => {
  const field = { model_name: 'res.partner', field_name: 'city' }
  await ask('admin', 'ir.default/set', { ...field, value: 'Ulm' })
  const value = () => ask('admin', 'ir.default/get', field)
  await ask('admin', 'ir.default/discard_values', { ...field, values: ['Bonn'] })
  assert.equal(await value(), 'Ulm')
  await ask('admin', 'ir.default/discard_values', { ...field, values: ['Bonn', 'Ulm'] })
  assert.equal(await value(), null)
})

test('ir.model.access: groups that may do an operation are named', async () => {
  const body = { model_name: 'ir.cron', access_mode: 'write' }
  const names = await ask<string[]>('admin', 'ir.model.access/group_names_with_access', body)
  assert.ok(names.length > 0 && names.every((name) => typeof name === 'string'))
  assert.equal(
    await statusOf('admin', 'ir.model.access/group_names_with_access', { ...body, access_mode: 'x' }),
    422,
  )
})
