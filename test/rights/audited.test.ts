// Changes of audited fields: every way to write leaves one entry with the values before and after, and no
// secret; the check of the chain finds entries that were tampered with.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { auditReport, sealAudit, verifyAudit } from '../../src/models/engine.ts'
import type { Environment } from '../../src/models/language/environment.ts'
import { environmentOf, recordsOf } from '../../src/models/unit/environment.ts'
import { createKey } from '../../src/services/admin.ts'
import { batch } from '../../src/services/batch/index.ts'
import { call } from '../../src/services/call.ts'
import { inDatabase, type Owner } from '../../src/services/calls/caller.ts'
import { transact } from '../../src/services/calls/transact.ts'
import type { Credential } from '../../src/services/request.ts'
import { raw, sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

type Vals = Record<string, unknown>
type Detail = Record<string, unknown>

interface Entry {
  readonly id: number
  readonly event: string
  readonly res_model: string
  readonly res_id: number
  readonly detail: Detail
  readonly key_name: string | false
}

let db: TestDatabase
let admin: Credential & { readonly key: string }
/** Records by model, of those that the walk makes. */
const ids = new Map<string, number>()
let seen = 0

before(async () => {
  db = await openTestDatabase(modules)
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'books', days: 1 })
  admin = { kind: 'key', key }
})
after(() => db?.close())

const request = {
  database: 'test',
  remote: '10.0.0.7',
  requestId: 'audited',
  userAgent: 'audited test',
}

async function ask(model: string, method: string, body: Vals = {}): Promise<unknown> {
  const { ids: records, context, ...named } = body
  const decoded = () => ({ ids: records as number[] | undefined, context: context as never, named })
  const { json } = await call(db.databases, { ...request, credential: admin, model, method, body: decoded })
  return JSON.parse(json)
}

const make = async (model: string, vals: Vals): Promise<number> =>
  ((await ask(model, 'create', { vals_list: [vals] })) as [number])[0]

/** Entries since they were asked for last. */
async function entries(): Promise<Entry[]> {
  const fields = ['event', 'res_model', 'res_id', 'detail', 'key_name']
  const rows = await ask('comptoir.audit', 'search_read', {
    domain: [['id', '>', seen]],
    fields,
    order: 'id',
  })
  seen = Math.max(seen, ...(rows as Entry[]).map(({ id }) => id))
  return rows as Entry[]
}

/** The first journal of a bank. */
const bank = async (): Promise<number | undefined> =>
  ((await ask('account.journal', 'search', { domain: [['type', '=', 'bank']], limit: 1 })) as number[])[0]

/** The model's audited field that the walk writes, values for it, and how a record is made. */
interface Subject {
  readonly field: string
  readonly value: (n: number) => unknown
  readonly vals: (field: unknown) => Vals | Promise<Vals>
}

const text = (n: number) => `value ${n}`
/** A picture of one point. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const named = (vals: Vals = {}, field = 'name'): Subject => ({
  field,
  value: text,
  vals: (value) => ({ ...vals, [field]: value }),
})
const number = (field: string, vals: () => Vals | Promise<Vals>): Subject => ({
  field,
  value: (n) => n + 2,
  vals: async (value) => ({ ...(await vals()), [field]: value }),
})

const subjects: Readonly<Record<string, Subject>> = {
  'res.company': named(),
  'ir.attachment': named({ raw: 'aGVsbG8=' }),
  'ir.sequence': named(),
  'ir.mail_server': named({ smtp_host: 'mail.test', smtp_pass: 'planted-mail-secret' }),
  'res.partner.bank': named({ partner_id: 1 }, 'acc_number'),
  'res.currency.rate': number('rate', () => ({ name: '2020-02-03', currency_id: 1 })),
  'product.template': number('list_price', () => ({ name: 'Boots' })),
  'product.product': number('standard_price', () => ({ name: 'Shoes' })),
  'stock.lot': number('standard_price', () => ({ name: 'L', product_id: ids.get('product.product') })),
  'product.pricelist': named(),
  'product.pricelist.item': number('fixed_price', () => ({
    pricelist_id: ids.get('product.pricelist'),
    compute_price: 'fixed',
  })),
  'product.supplierinfo': number('price', () => ({
    partner_id: 1,
    product_tmpl_id: ids.get('product.template'),
  })),
  'account.journal': named({ code: 'WALK', type: 'general' }),
  'account.account': named({ code: '987650', account_type: 'expense' }),
  'account.tax': number('amount', () => ({ name: 'Walked tax' })),
  'account.payment.term': named(),
  'account.fiscal.position': named(),
  'account.cash.rounding': named({ rounding: 0.05, strategy: 'add_invoice_line' }),
  'account.bank.statement': {
    field: 'name',
    value: text,
    vals: async (name) => ({ name, journal_id: await bank() }),
  },
  'account.bank.statement.line': {
    field: 'payment_ref',
    value: text,
    vals: async (payment_ref) => ({ payment_ref, amount: 5, journal_id: await bank() }),
  },
  'pos.config': named(),
  'pos.payment.method': named(),
}

/** Documents, their parts, and records that only methods of their own write: other tests cover them. */
const elsewhere = new Set([
  'ir.default',
  'ir.actions.server',
  'ir.cron',
  'account.tax.repartition.line',
  'account.payment.term.line',
  'account.payment.method.line',
  'account.lock_exception',
  'account.payment',
  'pos.session',
  'stock.quant',
  'stock.scrap',
  'purchase.order',
  'sale.order',
])

const externalId = (model: string) => `walk.${model.replaceAll('.', '_')}`

/** Every way by which people write a value of a record that is there. */
const ways: Readonly<Record<string, (model: string, id: number, vals: Vals) => Promise<unknown>>> = {
  write: (model, id, vals) => ask(model, 'write', { ids: [id], vals }),
  web_save: (model, id, vals) => ask(model, 'web_save', { ids: [id], vals, specification: {} }),
  load: (model, id, vals) =>
    ask(model, 'load', {
      fields: ['.id', ...Object.keys(vals)],
      data: [[String(id), ...Object.values(vals).map(String)]],
    }),
  upsert: (model, _, vals) =>
    ask(model, 'upsert', { key: ['external_id'], vals_list: [{ external_id: externalId(model), ...vals }] }),
  batch: (model, id, vals) =>
    batch(db.databases, {
      ...request,
      credential: admin,
      body: () => ({
        atomic: true,
        calls: [{ id: 'one', model, method: 'write', body: { ids: [id], vals } }],
      }),
    } as never),
}

test('every declared model: each way to write leaves one entry with what was there before and after', async () => {
  const declared = [...db.database.registry.models.values()].filter((model) => model.auditing?.always.size)
  for (const { name } of declared) assert.ok(name in subjects || elsewhere.has(name), name)
  for (const [model, { field, value, vals }] of Object.entries(subjects)) {
    await entries()
    let n = 1
    const id = await make(model, await vals(value(n)))
    ids.set(model, id)
    const [module, name] = externalId(model).split('.')
    await make('ir.model.data', { module, name, model, res_id: id })
    const auditing = db.database.registry.get(model)?.auditing
    const births = (await entries()).filter(
      (entry) => entry.event === 'record.create' && entry.res_model === model,
    )
    assert.equal(births.length, auditing?.create ? 1 : 0, `${model}, new`)
    for (const [way, run] of Object.entries(ways)) {
      await run(model, id, { [field]: value(n + 1) })
      const writes = (await entries()).filter(({ res_model, res_id }) => res_model === model && res_id === id)
      const [pair] = writes.map(({ detail }) => detail[field] as [unknown, unknown])
      assert.deepEqual(
        [writes.map(({ event, key_name }) => [event, key_name]), pair?.map(plain)],
        [[['record.write', 'books']], [plain(value(n)), plain(value(n + 1))]],
        `${model}, ${way}`,
      )
      n++
    }
    await run(model, id, { [field]: value(n) })
    // Lines of bank statements book their entries anew.
    const writes = (await entries()).filter(({ event }) => event.startsWith('record.'))
    assert.deepEqual(writes, [], `${model}, the value that is there`)
  }
})

const run = ways.write as (model: string, id: number, vals: Vals) => Promise<unknown>

/** Values by language or company as their one value. */
const plain = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : value

test('audited models: lines written from their document are logged, and so are links from either side', async () => {
  const [list, item] = [ids.get('product.pricelist') ?? 0, ids.get('product.pricelist.item') ?? 0]
  await entries()
  await run('product.pricelist', list, { item_ids: [[1, item, { fixed_price: 99 }]] })
  const [config, method] = [ids.get('pos.config') ?? 0, ids.get('pos.payment.method') ?? 0]
  await run('pos.config', config, { payment_method_ids: [[4, method]] })
  assert.deepEqual(
    (await entries()).map(({ res_model, res_id, detail }) => [res_model, res_id, Object.keys(detail)]),
    [
      ['product.pricelist.item', item, ['fixed_price']],
      ['pos.config', config, ['payment_method_ids']],
      ['pos.payment.method', method, ['config_ids']],
    ],
  )
})

test('audited models: fields are logged once the document is binding, and no action twice', async () => {
  const vals = { partner_id: 1, order_line: [[0, 0, { product_id: 1, price_unit: 7 }]] }
  const order = await make('sale.order', vals)
  const [line] = (await ask('sale.order.line', 'search', { domain: [['order_id', '=', order]] })) as [number]
  await entries()
  await run('sale.order.line', line, { price_unit: 8 })
  assert.deepEqual(await entries(), [], 'of a quotation')
  await ask('sale.order', 'action_confirm', { ids: [order] })
  await run('sale.order', order, { order_line: [[1, line, { price_unit: 9 }]] })
  assert.deepEqual(
    (await entries()).map(({ event, res_model, detail }) => [event, res_model, detail]),
    [
      ['record.write', 'sale.order', { state: ['draft', 'sale'] }],
      ['record.write', 'sale.order.line', { price_unit: [8, 9] }],
    ],
  )
})

test('audited models: it is logged that quantities of goods stop following moves, also by a variant', async () => {
  const variant = ids.get('product.product') ?? 0
  await run('product.product', variant, { is_storable: true })
  await entries()
  await run('product.product', variant, { is_storable: false })
  assert.deepEqual(
    (await entries()).map(({ res_model, detail }) => [res_model, detail]),
    [['product.template', { is_storable: [true, false] }]],
  )
})

test('audited models: lock dates, settings and removals are logged; rolled back changes are not', async () => {
  await entries()
  await run('res.company', 1, { fiscalyear_lock_date: '2020-01-31' })
  const settings = await make('res.config.settings', { quotation_validity_days: 9 })
  await ask('res.config.settings', 'execute', { ids: [settings] })
  const details = (await entries()).map(({ res_model, detail }) => [res_model, detail])
  assert.deepEqual(details[0], ['res.company', { fiscalyear_lock_date: [null, '2020-01-31'] }])
  assert.match(JSON.stringify(details.slice(1)), /quotation_validity_days/)
  await run('res.partner', 1, { image_1920: PIXEL })
  assert.deepEqual(await entries(), [], 'a picture')
  const draft = await make('account.move', { ref: 'to go' })
  const file = await make('ir.attachment', { name: 'bill.pdf', res_model: 'account.move', res_id: draft })
  await entries()
  await ask('account.move', 'unlink', { ids: [draft] })
  const gone = await entries()
  assert.deepEqual(gone.map(({ event, res_model, res_id }) => [event, res_model, res_id]).toSorted(), [
    ['record.unlink', 'account.move', draft],
    ['record.unlink', 'ir.attachment', file],
  ])
  assert.deepEqual(gone.find(({ res_id }) => res_id === draft)?.detail.ref, ['to go', null])
  const { results } = await batch(db.databases, {
    ...request,
    credential: admin,
    body: () => ({
      atomic: true,
      calls: [
        { id: 'a', model: 'res.company', method: 'write', body: { ids: [1], vals: { name: 'Undone' } } },
        { id: 'b', model: 'res.company', method: 'write', body: { ids: [1], vals: { nothing: 1 } } },
      ],
    }),
  } as never)
  assert.equal(results.at(-1)?.status, 422)
  assert.deepEqual(await entries(), [], 'rolled back')
  const tax = ids.get('account.tax') ?? 0
  const rows = [
    [String(tax), '77'],
    [String(tax), 'nonsense'],
  ]
  await ask('account.tax', 'load', { fields: ['.id', 'amount'], data: rows })
  assert.deepEqual(await entries(), [], 'an import that was taken back')
})

test('audited models: a call that acts as several users names each with their changes', async () => {
  const second = await make('res.users', { name: 'Second', login: 'second', password: 'a long one of hers' })
  const group = await db.run((env) => env.ref('account.group_account_manager'))
  await run('res.users', second, { group_ids: [[4, group]] })
  const [tax, other] = [
    await make('account.tax', { name: 'As the first', amount: 1 }),
    await make('account.tax', { name: 'As the second', amount: 2 }),
  ]
  await entries()
  const owner = { ...request, credential: admin } as Owner
  await inDatabase(db.databases, owner, (database, caller) =>
    transact(database, caller, owner, { readonly: false }, async (unit) => {
      const first = environmentOf(unit, caller.profile, {})
      const write = (env: Environment, id: number, vals: Vals) =>
        recordsOf(env, env.def('account.tax'), [id]).write(vals)
      await write(first, tax, { amount: 3 })
      const hers = await first.asUser(second)
      await write(hers, other, { amount: 4 })
      await write(hers, tax, { name: 'As both' })
    }),
  )
  const since = seen
  await entries()
  const logged = (await ask('comptoir.audit', 'search_read', {
    domain: [['id', '>', since]],
    fields: ['login', 'res_id', 'detail', 'key_name'],
    order: 'id',
  })) as (Entry & { login: string })[]
  assert.deepEqual(
    logged.map(({ login, res_id, detail, key_name }) => [login, res_id, Object.keys(detail), key_name]),
    [
      ['admin', tax, ['amount'], 'books'],
      ['second', tax, ['name'], 'books'],
      ['second', other, ['amount'], 'books'],
    ],
  )
})

test('audit log: never contains a secret', async () => {
  await run('ir.mail_server', ids.get('ir.mail_server') ?? 0, { smtp_pass: 'planted-other-secret' })
  const [entry] = await entries()
  assert.deepEqual(entry?.detail, { smtp_pass: 'changed' })
  await make('res.users', { name: 'Spy', login: 'spy', password: 'planted-password' })
  await make('ir.config_parameter', { key: 'payment.secret', value: 'planted-parameter' })
  const leaks = await db.run((env) =>
    env.query(
      sql`SELECT a::text FROM comptoir_audit a WHERE a::text LIKE '%planted%' OR position(${admin.key} IN a::text) > 0`,
    ),
  )
  assert.deepEqual(leaks, [])
})

test('audited models: links are logged with names, long texts by their length and hash', async () => {
  const [before, after] = [
    await make('res.partner', { name: 'Ann' }),
    await make('res.partner', { name: 'Bob' }),
  ]
  const id = await make('res.partner.bank', { acc_number: 'DE1', partner_id: before })
  await entries()
  await run('res.partner.bank', id, { partner_id: after })
  const [moved] = await entries()
  assert.deepEqual(moved?.detail, {
    partner_id: [
      { id: before, name: 'Ann' },
      { id: after, name: 'Bob' },
    ],
  })
  await run('res.partner.bank', id, { acc_number: 'x'.repeat(5000) })
  const long = (await entries()).findLast(({ res_model }) => res_model === 'res.partner.bank')
  const { acc_number } = long?.detail ?? {}
  assert.match(JSON.stringify(acc_number), /^\["DE1",\{"sha256":"[0-9a-f]{64}","characters":5002\}\]$/)
})

/** The break that a walk along the chain finds after statements by an administrator of the database. */
async function foundAfter(...statements: string[]) {
  const undo = new Error('undone')
  let report: ReturnType<typeof auditReport> | undefined
  const work = db.run(async (env) => {
    for (const table of ['comptoir_audit', 'comptoir_audit_seal'])
      await env.query(raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`))
    for (const statement of statements) await env.query(raw(statement))
    report = auditReport(await verifyAudit(env))
    throw undo
  })
  await assert.rejects(work, (error) => error === undo)
  return report?.break ? { problem: report.break.problem, position: report.break.position } : null
}

test('audit log: the chain detects every change, removal and insertion', async () => {
  const sealed = await db.run((env) => sealAudit(env))
  assert.ok(sealed > 100)
  assert.equal(await db.run((env) => sealAudit(env)), 0)
  assert.equal(await foundAfter(), null)
  const columns = await db.run((env) =>
    env.query<[string, string]>(
      sql`SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'comptoir_audit' AND column_name <> 'id'`,
    ),
  )
  const other: Readonly<Record<string, (name: string) => string>> = {
    integer: (name) => `COALESCE(${name}, 0) + 1`,
    jsonb: (name) => `COALESCE(${name}, '{}') || '{"x": 1}'`,
    'timestamp without time zone': (name) => `${name} + interval '1 microsecond'`,
  }
  for (const [name, type] of columns) {
    const value = (other[type] ?? ((text: string) => `COALESCE(${text}, '') || '.'`))(`"${name}"`)
    const change = `UPDATE comptoir_audit SET "${name}" = ${value} WHERE id = (SELECT entry FROM comptoir_audit_seal WHERE position = 7)`
    assert.deepEqual(await foundAfter(change), { problem: 'changed', position: 7 }, name)
  }
  const entry = (position: string) => `(SELECT entry FROM comptoir_audit_seal WHERE position = ${position})`
  const last = '(SELECT max(position) FROM comptoir_audit_seal)'
  const attacks: readonly (readonly [string, string, number | null, ...string[]])[] = [
    ['an entry', 'missing', 5, `DELETE FROM comptoir_audit WHERE id = ${entry('5')}`],
    ['a link', 'missing', 5, 'DELETE FROM comptoir_audit_seal WHERE position = 5'],
    [
      'the last one with its link',
      'missing',
      sealed,
      `DELETE FROM comptoir_audit WHERE id = ${entry(last)}`,
      `DELETE FROM comptoir_audit_seal WHERE position = ${last}`,
    ],
    ['a hash', 'changed', 9, "UPDATE comptoir_audit_seal SET hash = repeat('0', 64) WHERE position = 9"],
    ['one more', 'inserted', sealed + 1, "INSERT INTO comptoir_audit (time, event) VALUES (now(), 'login')"],
    [
      'two in each other’s place',
      'changed',
      3,
      `UPDATE comptoir_audit SET id = -1 WHERE id = ${entry('3')}`,
      `UPDATE comptoir_audit SET id = ${entry('3')} WHERE id = ${entry('4')}`,
      `UPDATE comptoir_audit SET id = ${entry('4')} WHERE id = -1`,
    ],
    ['the head', 'changed', sealed, "UPDATE comptoir_audit_head SET hash = repeat('0', 64)"],
  ]
  for (const [what, problem, position, ...statements] of attacks)
    assert.deepEqual(await foundAfter(...statements), { problem, position }, what)
})
