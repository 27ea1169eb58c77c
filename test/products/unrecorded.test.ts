// Behaviour that the recorded conversations do not show: accounts, archived lines, links among
// attachments, archiving, parameters, contacts and custom models.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../../src/sql/index.ts'
import { openWires, type Wires } from '../support/three-wires.ts'

let wires: Wires
before(async () => {
  wires = await openWires()
})
after(() => wires.close())

type Rows = Record<string, unknown>[]
const ask = async <T = unknown>(path: string, body: object = {}): Promise<T> => {
  const { result, error } = await wires.json2(path, body)
  assert.equal(error, undefined, `${path}: ${error?.message}`)
  return result as T
}
const refusal = async (path: string, body: object = {}) => (await wires.json2(path, body)).error
const make = async (model: string, vals: object) =>
  (await ask<number[]>(`${model}/create`, { vals_list: vals }))[0] as number
const MISSING = 999_999

test('bank accounts: are found by number in any notation, in every method', async () => {
  const partner = await make('res.partner', { name: 'Holder' })
  const account = await make('res.partner.bank', { acc_number: 'BE71 0961-2345 6769', partner_id: partner })
  await make('res.partner.bank', { acc_number: 'FR76 1234', partner_id: partner })
  const ofPartner = ['partner_id', '=', partner]
  const typed = ['BE71096123456769', 'be71 0961 2345 6769', 'Be71-0961.2345-6769', ' BE71 0961-2345 6769 ']
  for (const number of typed) {
    for (const condition of [
      ['acc_number', '=', number],
      ['acc_number', 'in', [number, 'none']],
      ['acc_number', 'ilike', number.slice(2, -3)],
      ['acc_number', '=like', `${number.trim().slice(0, 6).toUpperCase()}%`],
      ['display_name', 'ilike', number],
    ])
      assert.deepEqual(
        await ask('res.partner.bank/search', { domain: [ofPartner, condition] }),
        [account],
        JSON.stringify(condition),
      )
    assert.equal(
      (
        await ask<Rows>('res.partner.bank/search', { domain: [ofPartner, ['acc_number', '!=', number]] })
      ).includes(account as never),
      false,
    )
    for (const path of ['bank_ids.acc_number', 'bank_ids'])
      assert.deepEqual(
        await ask('res.partner/search', { domain: [[path, '=', number]] }),
        [partner],
        `${path} ${number}`,
      )
    const named = await ask<[number, string][]>('res.partner.bank/name_search', { name: number })
    assert.deepEqual(
      named.map(([id]) => id),
      [account],
    )
  }
  assert.deepEqual(
    await ask('res.partner.bank/search', { domain: [ofPartner, ['acc_number', '=', 'BE71']] }),
    [],
  )
})

test('domains: a one2many compared with an archived record finds nothing while archived ones are excluded', async () => {
  const parent = await make('res.partner', {
    name: 'Parent',
    ref: 'archive',
    bank_ids: [
      [0, 0, { acc_number: 'A1' }],
      [0, 0, { acc_number: 'A2' }],
    ],
  })
  const [first, two] = await ask<number[]>('res.partner.bank/search', {
    domain: [['partner_id', '=', parent]],
    order: 'id',
  })
  await ask('res.partner.bank/action_archive', { ids: [first] })
  const idsWith = (condition: unknown[], context = {}) =>
    ask('res.partner/search', { domain: [['ref', '=', 'archive'], condition], context: { ...context } })
  for (const condition of [
    ['bank_ids', '=', first],
    ['bank_ids', 'in', [first]],
    ['bank_ids', 'any', [['id', '=', first]]],
  ]) {
    assert.deepEqual(await idsWith(condition), [], JSON.stringify(condition))
    assert.deepEqual(await idsWith(condition, { active_test: false }), [parent], JSON.stringify(condition))
  }
  assert.deepEqual(await idsWith(['bank_ids', '!=', first]), [parent])
  assert.deepEqual(await idsWith(['bank_ids', 'in', [first, two]]), [parent])
})

test('attachments: a URL has no content and no size', async () => {
  const link = await make('ir.attachment', {
    name: 'link',
    type: 'url',
    url: 'https://example.com/',
    description: 'links',
  })
  const file = await make('ir.attachment', { name: 'file', datas: 'aGVsbG8=', description: 'links and file' })
  const rows = await ask<Rows>('ir.attachment/read', { ids: [link, file], fields: ['datas', 'file_size'] })
  assert.deepEqual(rows, [
    { id: link, datas: '', file_size: 0 },
    { id: file, datas: 'aGVsbG8=', file_size: 5 },
  ])
  const total = async (name: string) => {
    const body = {
      domain: [['description', '=', name]],
      aggregates: ['file_size:sum', 'file_size:avg', 'file_size:count'],
    }
    const [group] = await ask<Rows>('ir.attachment/formatted_read_group', body)
    return [group?.['file_size:sum'], group?.['file_size:avg'], group?.['file_size:count']]
  }
  assert.deepEqual(await total('links'), [false, false, 0])
  await ask('ir.attachment/write', { ids: [link, file], vals: { description: 'both' } })
  assert.deepEqual(await total('both'), [5, 5, 1])
  await ask('ir.attachment/write', {
    ids: [file],
    vals: { type: 'url', url: 'https://example.com/file', datas: false },
  })
  assert.deepEqual(await total('both'), [false, false, 0])
  assert.deepEqual(
    await ask('ir.attachment/search', {
      domain: [
        ['id', '=', link],
        ['file_size', '=', false],
      ],
    }),
    [link],
  )
})

const writtenAsFiles = ['ir.attachment.raw', 'ir.attachment.datas']
/** Recorded as writable; here they follow from other values, whatever a client sends for them. */
const recordedAsWritable = [
  'account.move.journal_group_id',
  'account.move.line.journal_group_id',
  'account.move.line.reconciled_lines_ids',
  'res.currency.fiscal_country_codes',
  'account.move.purchase_id',
  'account.move.tax_totals',
  'account.move.purchase_vendor_bill_id',
  'pos.order.line.qty_delivered',
  'product.pricelist.item.display_applied_on',
  'product.template.location_id',
  'product.template.warehouse_id',
  'sale.order.line.selected_combo_items',
  'sale.order.show_update_fpos',
  'sale.order.show_update_pricelist',
]
/** Written by wraps of the mixins that declare them. */
const ofMixins = new Set(['message_partner_ids', 'activity_type_id', 'activity_summary'])

test('fields: computed ones without an inverse are read-only, in every model', async () => {
  const strays: string[] = []
  await wires.run(async (env) => {
    for (const model of env.unit.registry.models.values())
      for (const field of model.fields.values()) {
        const { compute } = field
        if (
          !compute ||
          field.inherited ||
          field.related ||
          compute.options.inverse ||
          compute.options.editable ||
          field.stored
        )
          // Stored values stay as they were given until a dependency changes.
          continue
        if (ofMixins.has(field.name)) continue
        if (!field.readonly) strays.push(`${model.name}.${field.name}`)
      }
  })
  assert.deepEqual(strays.sort(), [...writtenAsFiles, ...recordedAsWritable].sort())
  const readonly = async (model: string, name: string) =>
    (await ask<Record<string, { readonly: boolean }>>(`${model}/fields_get`, { allfields: [name] }))[name]
      ?.readonly
  assert.equal(await readonly('res.partner.bank', 'sanitized_acc_number'), true)
  assert.equal(await readonly('res.currency.rate', 'currency_id'), true)
  assert.equal(await readonly('res.partner', 'main_user_id'), true)
  const account = await make('res.partner.bank', { acc_number: 'RO 1', partner_id: 1 })
  await ask('res.partner.bank/write', { ids: [account], vals: { sanitized_acc_number: 'RO 2' } })
  const [row] = await ask<Rows>('res.partner.bank/read', {
    ids: [account],
    fields: ['acc_number', 'sanitized_acc_number'],
  })
  assert.deepEqual([row?.acc_number, row?.sanitized_acc_number], ['RO 2', 'RO2'])
})

test('models: an abstract one is known and rejected; an unknown one is reported', async () => {
  const doc = async (model: string) =>
    (
      await fetch(`${wires.server.url}/doc-bearer/${model}.json`, {
        headers: { authorization: `bearer ${wires.key}` },
      })
    ).status
  for (const model of ['base', 'ir.http', 'image.mixin', 'avatar.mixin']) {
    for (const [method, body] of [
      ['search_read', { domain: [] }],
      ['search', { domain: [] }],
      ['read', { ids: [1] }],
      ['create', { vals_list: {} }],
      ['write', { ids: [1], vals: {} }],
      ['unlink', { ids: [1] }],
    ] as const) {
      const error = await refusal(`${model}/${method}`, body)
      assert.deepEqual(
        [error?.status, error?.name],
        [403, 'odoo.exceptions.AccessError'],
        `${model}/${method}`,
      )
    }
    assert.equal((await wires.kw(model, 'search', [[]])).error?.name, 'odoo.exceptions.AccessError')
    assert.equal(await doc(model), 403, model)
  }
  assert.equal((await refusal('base/no_such_method'))?.status, 404)
  assert.equal(await doc('bases'), 404)
  const abstract = await ask<Rows>('ir.model/search_read', {
    domain: [['model', '=', 'base']],
    fields: ['abstract'],
  })
  assert.equal(abstract[0]?.abstract, true)
})

test('archiving: a missing record is reported, with record rules and without', async () => {
  const tag = await make('res.partner.category', { name: 'Kept' })
  for (const [model, parent] of [
    ['res.partner', 1],
    ['res.partner.category', tag],
    ['res.country.group', null],
    ['product.template', null],
  ] as const) {
    for (const method of ['action_archive', 'action_unarchive', 'toggle_active']) {
      if (model === 'res.country.group') continue
      const error = await refusal(`${model}/${method}`, { ids: parent ? [parent, MISSING] : [MISSING] })
      assert.deepEqual(
        [error?.status, error?.name],
        [404, 'odoo.exceptions.MissingError'],
        `${model}/${method}`,
      )
      assert.equal(await ask(`${model}/${method}`, { ids: [] }), null)
    }
  }
  const [kept] = await ask<Rows>('res.partner.category/read', {
    ids: [tag],
    fields: ['active', 'write_date'],
  })
  assert.equal(kept?.active, true, 'nothing was done for those that are there')
  assert.equal(await ask('res.partner.category/action_unarchive', { ids: [tag] }), null)
  assert.deepEqual(
    await ask('res.partner.category/read', { ids: [tag], fields: ['active', 'write_date'] }),
    [kept],
    'what is active is not written',
  )
  assert.equal(await ask('res.partner.category/action_archive', { ids: [tag, tag] }), null)
  const rows = await ask<Rows>('res.partner.category/read', { ids: [tag], fields: ['active'] })
  assert.equal(rows[0]?.active, false)
})

test('parameters: an empty text removes the value, as false and null do', async () => {
  for (const nothing of ['', false, null]) {
    await ask('ir.config_parameter/set_param', { key: 'test.x', value: 'set' })
    assert.equal(await ask('ir.config_parameter/set_param', { key: 'test.x', value: nothing }), 'set')
    assert.equal(await ask('ir.config_parameter/get_param', { key: 'test.x' }), false)
    assert.equal(await ask('ir.config_parameter/get_param', { key: 'test.x', default: 'd' }), 'd')
    const rows = await ask('ir.config_parameter/search_count', {
      domain: [
        ['key', '=', 'test.x'],
        ['value', '!=', false],
      ],
    })
    assert.equal(rows, 0)
  }
  assert.equal(await ask('ir.config_parameter/set_param', { key: 'test.never', value: '' }), false)
})

test('the main user of a contact: the caller, else its first active user, internal ones before others', async () => {
  const main = async (partner: number) =>
    (
      await ask<Rows>('res.partner/read', { ids: [partner], fields: ['main_user_id'], load: null as never })
    )[0]?.main_user_id
  const portal = await ask<number[]>('ir.model.data/search', {
    domain: [
      ['module', '=', 'base'],
      ['name', '=', 'group_portal'],
    ],
  })
  assert.equal(portal.length, 1)
  const [row] = await ask<Rows>('ir.model.data/read', { ids: portal, fields: ['res_id'] })
  const partner = await make('res.partner', { name: 'Two users' })
  assert.equal(await main(partner), false)
  const outside = await make('res.users', {
    login: 'outside',
    partner_id: partner,
    group_ids: [[6, 0, [row?.res_id]]],
  })
  assert.equal(await main(partner), outside)
  const inside = await make('res.users', { login: 'inside', partner_id: partner })
  assert.equal(await main(partner), inside)
  await ask('res.users/action_archive', { ids: [inside] })
  assert.equal(await main(partner), outside)
  const [user] = await ask<Rows>('res.users/read', { ids: [2], fields: ['partner_id'], load: null as never })
  await make('res.users', { login: 'also', partner_id: user?.partner_id })
  assert.equal(await main(user?.partner_id as number), 2)
})

test('custom models: are created with translated fields and rules for removed targets', async () => {
  const target = 'x_unrecorded_target'
  await make('ir.model', { model: target, name: 'Target' })
  const relation = (name: string, on_delete: string, required = false) => [
    0,
    0,
    { name, field_description: name, ttype: 'many2one', relation: target, on_delete, required },
  ]
  await make('ir.model', {
    model: 'x_unrecorded',
    name: 'Made',
    field_id: [
      [0, 0, { name: 'x_name', field_description: 'Name', ttype: 'char', translate: true }],
      [0, 0, { name: 'x_plain', field_description: 'Plain', ttype: 'char', translate: false }],
      [0, 0, { name: 'x_number', field_description: 'Number', ttype: 'integer', on_delete: 'cascade' }],
      relation('x_cascade', 'cascade'),
      relation('x_null', 'set null'),
      relation('x_restrict', 'restrict', true),
    ],
  })
  const fields = await ask<Rows>('ir.model.fields/search_read', {
    domain: [
      ['model', '=', 'x_unrecorded'],
      ['name', 'like', 'x_'],
    ],
    fields: ['name', 'translate', 'on_delete'],
  })
  const by = Object.fromEntries(fields.map((field) => [field.name, [field.translate, field.on_delete]]))
  assert.deepEqual(by, {
    x_name: ['standard', false],
    x_plain: [false, false],
    x_number: [false, false],
    x_cascade: [false, 'cascade'],
    x_null: [false, 'set null'],
    x_restrict: [false, 'restrict'],
  })
  for (const model of [target, 'x_unrecorded']) {
    const [id] = await ask<number[]>('ir.model/search', { domain: [['model', '=', model]] })
    await make('ir.model.access', {
      name: model,
      model_id: id,
      perm_read: true,
      perm_write: true,
      perm_create: true,
      perm_unlink: true,
    })
  }
  const [a, b, c] = await ask<number[]>(`${target}/create`, {
    vals_list: [{ x_name: 'a' }, { x_name: 'b' }, { x_name: 'c' }],
  })
  const record = await make('x_unrecorded', { x_name: 'One', x_cascade: a, x_null: b, x_restrict: c })
  assert.equal((await refusal(`${target}/unlink`, { ids: [c] }))?.name, 'odoo.exceptions.ValidationError')
  await ask(`${target}/unlink`, { ids: [b] })
  assert.deepEqual(
    (await ask<Rows>('x_unrecorded/read', { ids: [record], fields: ['x_null'] }))[0]?.x_null,
    false,
  )
  await ask(`${target}/unlink`, { ids: [a] })
  assert.deepEqual(await ask('x_unrecorded/read', { ids: [record] }), [])
})

test('fields: search rules reject what other fields of their type reject', async () => {
  const fields = await wires.run(async (env) =>
    [...env.unit.registry.models.values()].flatMap((model) =>
      model.hasTable
        ? [...model.fields.values()]
            .filter((field) => field.search && !field.options.hidden)
            .map(({ name, kind, comodel }) => ({ model: model.name, name, kind, related: Boolean(comodel) }))
        : [],
    ),
  )
  assert.ok(fields.length > 20)
  const texts = ['char', 'text', 'html']
  for (const { model, name, kind, related } of fields) {
    const wrong: unknown[][] = related
      ? [
          [name, '=', true],
          [name, 'in', [true]],
          [name, '<', 'text'],
        ]
      : [[name, 'child_of', 1]]
    if (kind === 'one2many' || kind === 'many2many') wrong.push([name, '>', 1])
    if (kind === 'boolean') wrong.push([name, '<', 1], [name, 'like', 'x'])
    if (['integer', 'float', 'monetary'].includes(kind)) wrong.push([name, '=', 'text'], [name, '<', 'text'])
    for (const condition of wrong) {
      const error = await refusal(`${model}/search_count`, { domain: [condition] })
      assert.equal(error?.status ?? 200, 422, `${model} ${JSON.stringify(condition)}`)
    }
    for (const condition of [
      [name, '=', false],
      [name, 'in', []],
      ...(texts.includes(kind) ? [[name, 'ilike', 'x']] : []),
    ])
      assert.equal(
        await refusal(`${model}/search_count`, { domain: [condition] }),
        undefined,
        `${model} ${JSON.stringify(condition)}`,
      )
  }
})

test('constraints: violations have messages of the models, without names of the database', async () => {
  const names = await wires.run(async (env) =>
    (
      await env.unit.query(
        sql`SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
          UNION SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname LIKE '%\\_%'`,
      )
    ).map(([name]) => String(name)),
  )
  assert.ok(names.length > 500)
  const partner = await make('res.partner', { name: 'Ruled' })
  const [tax] = await ask<Rows>('account.tax/search_read', {
    domain: [],
    limit: 1,
    fields: ['name', 'type_tax_use'],
  })
  const [country] = await ask<Rows>('res.country/search_read', {
    domain: [['code', '=', 'FR']],
    fields: ['id'],
  })
  await make('res.partner', { name: 'French', country_id: country?.id })
  const uom = await make('uom.uom', { name: 'Crate' })
  await make('product.product', { name: 'By crate', uom_id: uom })
  const broken: readonly (readonly [kind: string, path: string, body: object])[] = [
    ['unique', 'res.lang/create', { vals_list: { name: 'English', code: 'en_US', url_code: 'twice' } }],
    ['unique, written', 'res.currency/write', { ids: [1], vals: { name: 'CHF' } }],
    [
      'unique by an expression',
      'account.tax/create',
      { vals_list: { name: tax?.name, type_tax_use: tax?.type_tax_use, amount: 1 } },
    ],
    ['check', 'decimal.precision/create', { vals_list: { name: 'Broken', digits: -1 } }],
    ['required', 'res.partner.bank/create', { vals_list: { acc_number: 'X' } }],
    ['required, written', 'res.lang/write', { ids: [1], vals: { code: false } }],
    ['no such record', 'res.partner/create', { vals_list: { name: 'x', parent_id: MISSING } }],
    ['no such record, written', 'res.partner/write', { ids: [partner], vals: { country_id: MISSING } }],
    [
      'no such record, linked',
      'res.partner/write',
      { ids: [partner], vals: { category_id: [[4, MISSING]] } },
    ],
    ['referred to', 'res.country/unlink', { ids: [country?.id] }],
    ['referred to by goods', 'uom.uom/unlink', { ids: [uom] }],
    ['too large', 'res.partner/write', { ids: [partner], vals: { color: 2 ** 40 } }],
  ]
  for (const [kind, path, body] of broken) {
    const error = await refusal(path, body)
    assert.equal(error?.status, 422, `${kind}: ${error?.message}`)
    const said = new Set(error?.message.match(/[a-z][a-z0-9_]*_[a-z0-9_]+/g))
    assert.deepEqual(
      names.filter((name) => said.has(name)),
      [],
      `${kind}: ${error?.message}`,
    )
    assert.doesNotMatch(error?.message ?? '', /constraint|relation "|violates/, kind)
  }
})
