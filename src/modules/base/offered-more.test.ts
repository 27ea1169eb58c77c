// Names of the base module that administrators and migrations call: modules, files, parameters, scheduled
// actions, fields, views and reports.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Office, openOffice } from '../../../test/support/office.ts'

type Person = 'clerk' | 'admin'
type Row = Readonly<Record<string, unknown>>

let shop: Office<'clerk'>
before(async () => {
  shop = await openOffice(['base', 'mail', 'uom', 'product'], { clerk: [] })
})
after(() => shop?.close())

async function ask<T = Row[]>(person: Person, path: string, body: object = {}): Promise<T> {
  const { status, body: answer } = await shop.call(person, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer as T
}
const statusOf = async (person: Person, path: string, body: object) =>
  (await shop.call(person, path, body)).status
const make = async (model: string, vals: object) =>
  (await ask<number[]>('admin', `${model}/create`, { vals_list: [vals] }))[0] ?? 0
const moduleNamed = async (name: string) =>
  (await ask<number[]>('admin', 'ir.module.module/search', { domain: [['name', '=', name]] }))[0]

test('ir.module.module: what modules need, and what needs them', async () => {
  const [product, base] = [await moduleNamed('product'), await moduleNamed('base')]
  const [row] = await ask('admin', 'ir.module.module/read', {
    ids: [product],
    fields: ['dependencies_id', 'exclusion_ids'],
  })
  const needs = await ask('admin', 'ir.module.module.dependency/read', {
    ids: row?.dependencies_id,
    fields: ['name', 'state', 'depend_id'],
    load: null,
  })
  const needed = needs.find(({ name }) => name === 'base')
  assert.deepEqual([needed?.state, needed?.depend_id, row?.exclusion_ids], ['installed', base, []])
  const up = await ask<number[]>('admin', 'ir.module.module/upstream_dependencies', {
    ids: [product],
    exclude_states: [],
  })
  assert.ok(up.includes((await moduleNamed('mail')) ?? 0) && up.includes(base ?? 0))
  assert.deepEqual(await ask('admin', 'ir.module.module/upstream_dependencies', { ids: [product] }), [])
  const down = await ask<number[]>('admin', 'ir.module.module/downstream_dependencies', { ids: [base] })
  assert.ok(down.includes(product ?? 0))
  const upstream = 'ir.module.module/upstream_dependencies'
  assert.deepEqual(await ask('admin', upstream, { ids: [product], known_deps: [base] }), [base])
  assert.deepEqual(await ask('admin', upstream, { ids: [product], known_deps: null }), [])
  assert.equal(await statusOf('admin', upstream, { ids: [product], known_deps: 5 }), 422)
  const info = await ask<Row>('admin', 'ir.module.module/get_module_info', { name: 'product' })
  assert.ok((info.depends as string[]).includes('uom'))
  assert.equal(await ask('admin', 'ir.module.module/check_module_update'), false)
  const check = 'ir.module.module/check_external_dependencies'
  assert.equal(await ask('admin', check, { module_name: 'product' }), null)
  assert.equal(await statusOf('admin', check, { module_name: 'no_such_module' }), 422)
})

test('ir.module.module: only administrators see and change modules', async () => {
  const ids = [await moduleNamed('uom')]
  assert.equal(await statusOf('clerk', 'ir.module.module/read', { ids, fields: ['name'] }), 403)
  for (const method of ['button_install', 'button_upgrade', 'button_uninstall', 'module_uninstall'])
    assert.equal(await statusOf('clerk', `ir.module.module/${method}`, { ids }), 403, method)
  assert.equal(await statusOf('clerk', 'ir.module.module/button_reset_state', {}), 403)
  assert.equal(await ask('admin', 'ir.module.module/button_reset_state'), true)
})

test('ir.attachment: tokens are kept, and the same content is not kept twice', async () => {
  const vals = { name: 'a.txt', raw: 'Once', res_model: 'res.partner', res_id: 1 }
  const [first] = await ask<number[]>('admin', 'ir.attachment/create_unique', { values_list: [vals] })
  const again = await ask<number[]>('admin', 'ir.attachment/create_unique', {
    values_list: [vals, { ...vals, raw: 'Other' }],
  })
  assert.equal(again[0], first)
  assert.notEqual(again[1], first)
  const tokens = await ask<string[]>('admin', 'ir.attachment/generate_access_token', { ids: again })
  assert.equal(new Set(tokens).size, 2)
  assert.deepEqual(await ask('admin', 'ir.attachment/generate_access_token', { ids: again }), tokens)
  assert.equal(await statusOf('clerk', 'ir.attachment/generate_access_token', { ids: again }), 403)
  const check = (mode: string, values: object) =>
    statusOf('clerk', 'ir.attachment/check', {
      mode,
      values: { res_model: 'res.partner', res_id: 1, ...values },
    })
  assert.deepEqual([await check('read', {}), await check('write', {})], [200, 403])
  assert.equal(await check('x', {}), 422)
  assert.deepEqual(await ask('clerk', 'ir.attachment/get_serving_groups'), ['base.group_system'])
})

test('ir.attachment: clients cannot point a file at the content of another', async () => {
  const id = await make('ir.attachment', { name: 'b.txt', raw: 'Mine', store_fname: 'forged' })
  await ask('admin', 'ir.attachment/write', { ids: [id], vals: { store_fname: 'forged' } })
  const [row] = await ask('admin', 'ir.attachment/read', { ids: [id], fields: ['store_fname', 'raw'] })
  assert.notEqual(row?.store_fname, 'forged')
  assert.equal(row?.raw, Buffer.from('Mine').toString('base64'))
})

test('ir.config_parameter/unlink_default_parameters: parameters that the server needs are refused', async () => {
  const [uuid] = await ask<number[]>('admin', 'ir.config_parameter/search', {
    domain: [['key', '=', 'database.uuid']],
  })
  const id = await make('ir.config_parameter', { key: 'x.y', value: 'z' })
  const method = 'ir.config_parameter/unlink_default_parameters'
  assert.equal(await statusOf('admin', method, { ids: [uuid, id] }), 422)
  assert.equal(await ask('admin', method, { ids: [id] }), null)
})

test('ir.cron/toggle: a scheduled action is on while records match', async () => {
  const model = await ask<number[]>('admin', 'ir.model/search', { domain: [['model', '=', 'res.partner']] })
  const id = await make('ir.cron', { name: 'T', model_id: model[0], state: 'code', code: '' })
  const toggled = async (domain: unknown[]) => {
    await ask('admin', 'ir.cron/toggle', { ids: [id], model: 'res.partner', domain })
    return (await ask('admin', 'ir.cron/read', { ids: [id], fields: ['active'] }))[0]?.active
  }
  assert.deepEqual([await toggled([['id', '=', -1]]), await toggled([['id', '>', 0]])], [false, true])
  assert.equal(
    await statusOf('clerk', 'ir.cron/toggle', { ids: [id], model: 'res.partner', domain: [] }),
    403,
  )
})

test('ir.model.fields: labels, helps, options and related fields', async () => {
  const model_name = 'res.partner'
  const labels = await ask<Row>('clerk', 'ir.model.fields/get_field_string', { model_name })
  assert.equal(labels.name, 'Name')
  const helps = await ask<Row>('clerk', 'ir.model.fields/get_field_help', { model_name })
  assert.deepEqual(Object.keys(helps), Object.keys(labels))
  const options = { model_name: 'res.partner', field_name: 'type' }
  const pairs = await ask<string[][]>('clerk', 'ir.model.fields/get_field_selection', options)
  assert.ok(pairs.some(([key]) => key === 'invoice'))
  const named = async (name: string, field: string) =>
    (
      await ask('admin', 'ir.model.fields/search_read', {
        domain: [
          ['model', '=', 'res.partner'],
          ['name', '=', name],
        ],
        fields: [field],
        load: null,
      })
    )[0]
  const inverse = await named('bank_ids', 'relation_field_id')
  const [target] = await ask('admin', 'ir.model.fields/read', {
    ids: [inverse?.relation_field_id],
    fields: ['model', 'name'],
  })
  assert.deepEqual([target?.model, target?.name], ['res.partner.bank', 'partner_id'])
  assert.equal((await named('comment', 'sanitize_tags'))?.sanitize_tags, true)
})

test('ir.ui.view: the text of a view that no other extends', async () => {
  const id = await make('ir.ui.view', { name: 'V', model: 'res.partner', type: 'list', arch_db: '<list/>' })
  assert.equal(await ask('admin', 'ir.ui.view/get_combined_arch', { ids: [id] }), '<list/>')
  await make('ir.ui.view', { name: 'W', model: 'res.partner', inherit_id: id, mode: 'extension' })
  assert.equal(await statusOf('admin', 'ir.ui.view/get_combined_arch', { ids: [id] }), 422)
  const types = await ask<Record<string, Row>>('admin', 'ir.ui.view/get_view_info')
  assert.deepEqual([types.form?.multi_record, types.list?.multi_record], [false, true])
})

test('ir.actions.report: reports that apply to records, their paper and their printer', async () => {
  const paper = await make('report.paperformat', { name: 'Slip', format: 'A6' })
  const report = {
    name: 'R',
    model: 'res.partner',
    report_name: 'x.slip',
    domain: "[('is_company', '=', True)]",
    paperformat_id: paper,
  }
  const ids = [await make('ir.actions.report', report)]
  const person = await make('res.partner', { name: 'P' })
  const company = await make('res.partner', { name: 'C', is_company: true })
  const valid = (record_ids: number[]) =>
    ask('clerk', 'ir.actions.report/get_valid_action_reports', { ids, model: 'res.partner', record_ids })
  assert.deepEqual([await valid([person]), await valid([person, company])], [[], ids])
  assert.equal(await ask('clerk', 'ir.actions.report/get_paperformat', { ids }), paper)
  assert.equal(await ask('clerk', 'ir.actions.report/get_paperformat_by_xmlid', { xml_id: false }), false)
  assert.equal(await ask('clerk', 'ir.actions.report/get_wkhtmltopdf_state'), 'ok')
  assert.equal(await ask('clerk', 'ir.actions.report/retrieve_attachment', { ids, record: person }), false)
})

test('ir.filters: searches of an embedded action are answered for it alone', async () => {
  const parent_action_id = await make('ir.actions.act_window', { name: 'A', res_model: 'res.partner' })
  const embedded = await make('ir.embedded.actions', {
    name: 'E',
    parent_action_id,
    parent_res_model: 'res.partner',
  })
  await make('ir.filters', { name: 'F', model_id: 'res.partner', embedded_action_id: embedded })
  const names = async (embedded_action_id: number | false) =>
    (await ask('admin', 'ir.filters/get_filters', { model: 'res.partner', embedded_action_id })).map(
      ({ name }) => name,
    )
  assert.deepEqual([await names(embedded), await names(false)], [['F'], []])
})

test('ir.model.access/call_cache_clearing_methods: only for those who administer rights', async () => {
  assert.equal(await ask('admin', 'ir.model.access/call_cache_clearing_methods'), null)
  assert.equal(await statusOf('clerk', 'ir.model.access/call_cache_clearing_methods', {}), 403)
})

test('properties.base.definition: everybody who sees properties reads their definitions', async () => {
  const model = 'properties.base.definition'
  const get = `${model}/get_properties_base_definition`
  const names = { model_name: 'res.partner', field_name: 'properties' }
  const { id } = await ask<Row>('admin', get, names)
  const properties_definition = [{ name: 'size', string: 'Size', type: 'integer' }]
  await ask('admin', `${model}/write`, { ids: [id], vals: { properties_definition } })
  const row = await ask<Row>('clerk', get, names)
  assert.partialDeepStrictEqual(row, { id, properties_definition })
  assert.deepEqual(await ask('clerk', get, { ...names, field_name: 'name' }), {})
})
