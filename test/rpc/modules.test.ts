// Modules over the API: listed with readable names, installed, used, upgraded and removed in calls, for
// administrators alone.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createServer, modules } from '../../src/main.ts'
import { type Office, openOffice } from '../support/office.ts'
import { openWires, type Wires } from '../support/three-wires.ts'

let wires: Wires
before(async () => {
  wires = await openWires(['base', 'mail', 'uom', 'product', 'sales_team'], ['base'])
})
after(() => wires.close())

type Rows = Record<string, unknown>[]
const rowsOf = async (...names: string[]) => {
  const fields = [
    'name',
    'shortdesc',
    'installed_version',
    'latest_version',
    'author',
    'category_id',
    'state',
    'application',
  ]
  const rows = await wires.json2('ir.module.module/search_read', {
    domain: [['name', 'in', names]],
    fields,
    order: 'name',
  })
  return rows.result as Rows
}
const idOf = async (name: string) => (await rowsOf(name))[0]?.id as number
const press = (act: string, ...names: string[]) =>
  Promise.all(names.map(idOf)).then((ids) => wires.kw('ir.module.module', `button_immediate_${act}`, [ids]))
const stateOf = async (name: string) => (await rowsOf(name))[0]?.state

test('modules: have readable names, versions, an author and a category', async () => {
  const rows = await rowsOf('base', 'product')
  const { id: _id, category_id, ...base } = rows[0] ?? {}
  const { version } = modules.find(({ name }) => name === 'base') ?? {}
  assert.deepEqual(base, {
    name: 'base',
    shortdesc: 'Base',
    installed_version: version,
    latest_version: version,
    author: 'Comptoir',
    state: 'installed',
    application: false,
  })
  assert.equal((category_id as [number, string])[1], 'Hidden')
  assert.deepEqual(
    [rows[1]?.shortdesc, rows[1]?.state, rows[1]?.latest_version],
    ['Products & Pricelists', 'uninstalled', false],
  )
})

test('modules: one is installed with its dependencies in the call, used by the next, upgraded and removed', async () => {
  assert.equal((await wires.json2('product.product/search', { domain: [] })).error?.status, 404)
  const installed = await press('install', 'product')
  assert.equal(installed.error, undefined)
  assert.equal((installed.result as { type: string }).type, 'ir.actions.client')
  const [id] = (await wires.json2('product.product/create', { vals_list: { name: 'At once' } }))
    .result as number[]
  assert.ok(id)
  assert.deepEqual([await stateOf('product'), await stateOf('uom')], ['installed', 'installed'])
  assert.equal((await press('install', 'product', 'uom')).error, undefined, 'those that are there stay')
  assert.equal((await press('upgrade', 'product')).error, undefined)
  assert.match((await press('uninstall', 'uom')).error?.message ?? '', /product needs uom/)
  assert.match((await press('uninstall', 'base')).error?.message ?? '', /base cannot be uninstalled/)
  assert.equal((await press('upgrade', 'sales_team')).error?.name, 'odoo.exceptions.UserError')
  assert.equal((await press('uninstall', 'product')).error, undefined)
  assert.equal((await wires.json2('product.product/search', { domain: [] })).error?.status, 404)
  assert.deepEqual([await stateOf('product'), await stateOf('uom')], ['uninstalled', 'installed'])
  const log = await wires.json2('comptoir.audit/search_read', {
    domain: [['event', 'like', 'module.']],
    fields: ['event', 'login', 'name'],
    order: 'id',
  })
  const lines = (log.result as Rows).map(({ event, login, name }) => `${event} ${name} by ${login}`)
  assert.deepEqual(lines, [
    'module.install mail by admin',
    'module.install uom by admin',
    'module.install product by admin',
    'module.upgrade product by admin',
    'module.uninstall product by admin',
  ])
})

test('modules: in a browser session the button returns its action', async () => {
  const params = {
    model: 'ir.module.module',
    method: 'button_immediate_install',
    args: [[await idOf('sales_team')]],
    kwargs: {},
  }
  const pressed = await wires.session('/web/dataset/call_button', params)
  assert.equal((pressed.result as { tag: string }).tag, 'reload')
  assert.ok((await wires.json2('crm.team/search', { domain: [] })).result)
})

test('modules: an update of the list reports updated and added entries', async () => {
  const update = async () => (await wires.json2('ir.module.module/update_list')).result
  assert.deepEqual(await update(), [0, 0])
  await wires.run(async (env) => {
    await env
      .model('ir.module.module')
      .browse([await idOf('base')])
      .write({ shortdesc: 'Bent' })
    await env
      .model('ir.module.module')
      .browse([await idOf('product')])
      .unlink()
  })
  assert.deepEqual(await update(), [1, 1])
  assert.deepEqual(
    [(await rowsOf('base'))[0]?.shortdesc, await stateOf('base'), await stateOf('product')],
    ['Base', 'installed', 'uninstalled'],
  )
  const gone = await wires.kw('ir.module.module', 'button_immediate_install', [[999_999]])
  assert.equal(gone.error?.name, 'odoo.exceptions.MissingError')
})

test('modules: only administrators change them', async () => {
  const office: Office<'plain'> = await openOffice(['base'], { plain: [] })
  try {
    for (const method of [
      'button_immediate_install',
      'button_immediate_upgrade',
      'button_immediate_uninstall',
    ])
      assert.equal(
        (await office.call('plain', `ir.module.module/${method}`, { ids: [1] })).status,
        403,
        method,
      )
    assert.equal((await office.call('plain', 'ir.module.module/update_list', {})).status, 403)
  } finally {
    await office.close()
  }
})

test('modules: one that another server installed is available on this one', async () => {
  assert.equal(
    modules.some(({ name }) => name === 'product'),
    true,
  )
  const neighbour = await createServer({ databases: wires.databases })
  try {
    assert.equal((await press('install', 'product')).error, undefined)
    const response = await fetch(`${neighbour.url}/json/2/product.product/search`, {
      method: 'POST',
      headers: { authorization: `bearer ${wires.key}`, 'content-type': 'application/json' },
      body: '{"domain": []}',
    })
    assert.equal(response.status, 200)
  } finally {
    await neighbour.close()
  }
})
