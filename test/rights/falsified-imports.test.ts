// Attempts by importers: external ids under the names of modules, which the module would take for its own.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../support/office.ts'

let office: Office<'importer'>
before(async () => {
  office = await openOffice(['base', 'uom', 'product'], { importer: ['base.group_partner_manager'] })
})
after(() => office?.close())

const claims = async () => {
  const domain = [['name', '=like', 'claimed%']]
  return (await office.call('admin', 'ir.model.data/search_count', { domain })).body
}

test('imports: people give no external ids under the name of a module', async () => {
  const rows = { fields: ['id', 'name'], data: [['product.claimed', 'X']] }
  const upsert = { key: 'external_id', vals_list: [{ external_id: 'product.claimed2', name: 'X' }] }
  const child = { fields: ['name', 'child_ids/id', 'child_ids/name'], data: [['X', 'uom.claimed3', 'Y']] }
  const inContext = { fields: ['id', 'name'], data: [['claimed4', 'X']], context: { module: 'product' } }
  for (const [path, body] of [
    ['res.partner/load', rows],
    ['res.partner/load', child],
    ['res.partner/load', inContext],
    ['res.partner/upsert', upsert],
  ] as const) {
    const { status, body: answer } = await office.call('importer', path, body)
    assert.deepEqual([status, (answer as { name: string }).name], [403, 'odoo.exceptions.AccessError'], path)
  }
  assert.equal(await claims(), 0)
  for (const id of ['erp.claimed', 'claimed5', '__import__.claimed6']) {
    const body = { ...rows, data: [[id, 'X']] }
    assert.equal((await office.call('importer', 'res.partner/load', body)).status, 200, id)
  }
  assert.equal((await office.call('admin', 'res.partner/load', rows)).status, 200)
  assert.equal(await claims(), 4)
})
