// Attempts with scoped keys of administrators: nothing acts without the scope, later or through another
// model, and no model repeats values of other companies to them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Credential } from '../../src/services/request.ts'
import { runDueJobs } from '../../src/services/scheduled-actions.ts'
import { type Office, openOffice, status } from './office.ts'

let office: Office
let admin: Credential
before(async () => {
  office = await openOffice()
  admin = await office.keyOf('admin')
})
after(() => office?.db.close())

const usersModel = async () => {
  const body = { domain: [['model', '=', 'res.users']] }
  return ((await office.ask(admin, 'ir.model', 'search', body)) as [number])[0]
}
const create = (key: Credential, model: string, vals: object) =>
  office.ask(key, model, 'create', { vals_list: [vals] }) as Promise<[number]>

for (const scope of ['rpc company:1', 'rpc mcp mcp:write', 'rpc model:ir.*:rwcd model:res.*:rwcd'])
  test(`scoped keys: a key of "${scope}" leaves no action that runs without its scope`, async () => {
    const key = await office.keyOf('admin', scope)
    const code = "model.create(vals_list=[{'name': 'Intruder', 'login': 'intruder'}])"
    const action = { name: 'Later', model_id: await usersModel(), state: 'code', code }
    const rhythm = { interval_number: 1, interval_type: 'days', nextcall: '2020-01-01 00:00:00' }
    assert.equal(await status(create(key, 'ir.cron', { ...action, ...rhythm, user_id: 2 })), 403)
    assert.equal(await status(create(key, 'ir.actions.server', action)), 403)
    const [cron] = (await office.ask(admin, 'ir.cron', 'search', { domain: [], limit: 1 })) as [number]
    for (const vals of [{ user_id: 2 }, { code }])
      assert.equal(await status(office.ask(key, 'ir.cron', 'write', { ids: [cron], vals })), 403)
    const defaultValue = { model_name: 'res.users', field_name: 'group_ids', value: [[4, 1]] }
    assert.equal(await status(office.ask(key, 'ir.default', 'set', defaultValue)), 403)
    const named = { domain: [['name', '=', 'group_system']] }
    const ids = await office.ask(admin, 'ir.model.data', 'search', named)
    assert.equal(await status(office.ask(key, 'ir.model.data', 'write', { ids, vals: { res_id: 1 } })), 403)
    await runDueJobs(office.db.database)
    const intruders = { domain: [['login', '=', 'intruder']] }
    assert.equal(await office.ask(admin, 'res.users', 'search_count', intruders), 0)
  })

test('scoped keys: companies of a user do not change from the side of the company', async () => {
  const key = await office.keyOf('admin', 'rpc company:1')
  const [clerk] = await create(admin, 'res.users', { name: 'Clerk', login: 'clerk' })
  for (const command of [
    [3, clerk],
    [4, clerk],
    [6, 0, [2]],
  ]) {
    const write = { ids: [1], vals: { user_ids: [command] } }
    assert.equal(await status(office.ask(key, 'res.company', 'write', write)), 403)
  }
  const { company_ids } = (
    (await office.ask(admin, 'res.users', 'read', { ids: [clerk], fields: ['company_ids'] })) as [
      { company_ids: number[] },
    ]
  )[0]
  assert.deepEqual(company_ids, [1])
})

test('scoped keys: a key of one company neither reads, changes nor creates another', async () => {
  const key = await office.keyOf('admin', 'rpc company:1')
  const [other] = await create(admin, 'res.company', { name: 'Other' })
  const ids = [other]
  for (const [method, body] of Object.entries({
    read: { ids, fields: ['name'] },
    write: { ids, vals: { name: 'Renamed' } },
    unlink: { ids },
    create: { vals_list: [{ name: 'Another' }] },
  }))
    assert.equal(await status(office.ask(key, 'res.company', method, body)), 403, method)
  assert.deepEqual(await office.ask(key, 'res.company', 'search', { domain: [] }), [1])
  const rename = { ids: [1], vals: { name: 'My own company' } }
  assert.equal(await status(office.ask(key, 'res.company', 'write', rename)), 'worked')
})
