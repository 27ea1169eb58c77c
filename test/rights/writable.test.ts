// Every field of every document, in every state, by every way and for everybody: what is not listed as
// writable is refused by the judge of writes (src/models/write/authorize.ts), and nothing changes.
// Begins first: it takes 15 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import type { FieldDef, ModelDef } from '../../src/models/language/definitions.ts'
import type { Environment } from '../../src/models/language/environment.ts'
import { environmentOf, recordsOf } from '../../src/models/unit/environment.ts'
import { createKey } from '../../src/services/admin.ts'
import { inDatabase, type Owner } from '../../src/services/calls/caller.ts'
import { transact } from '../../src/services/calls/transact.ts'
import { id as name, raw, sql } from '../../src/sql/index.ts'
import { openTestDatabase } from '../support/databases.ts'
import { plainPng } from '../support/png.ts'

/** The words of the judge: whatever else refuses a value proves nothing. */
const JUDGED =
  /cannot change any more|is set by the server|Nothing can be added|You may not change|cannot be deleted once they are|Only the server can delete|You are not allowed to/

const groups = {
  worker: [
    'point_of_sale.group_pos_user',
    'account.group_account_invoice',
    'sales_team.group_sale_salesman_all_leads',
    'purchase.group_purchase_user',
    'stock.group_stock_user',
  ],
  boss: [
    'point_of_sale.group_pos_manager',
    'account.group_account_manager',
    'sales_team.group_sale_manager',
    'purchase.group_purchase_manager',
    'stock.group_stock_manager',
  ],
}

/** A record of each model of documents, parts of the same document where they are parts. */
async function makeDocuments(env: Environment): Promise<Map<string, number>> {
  const createdRecords = new Map<string, number>()
  const make = async (model: string, vals: object) => {
    const { ids } = await recordsOf(env, env.def(model), []).create([vals as Record<string, unknown>])
    const id = ids[0] as number
    createdRecords.set(model, id)
    return id
  }
  const first = async (model: string, domain: unknown[] = []) =>
    (await recordsOf(env, env.def(model), []).search(domain, { limit: 1 })).ids[0] as number
  const part = async (model: string, of: string, link: string) =>
    createdRecords.set(model, await first(model, [[link, '=', createdRecords.get(of)]]))
  const product = await make('product.product', {
    name: 'Thing',
    is_storable: true,
    taxes_id: [[5]],
    supplier_taxes_id: [[5]],
  })
  const partner = await make('res.partner', { name: 'Somebody' })
  const config = await env.ref('point_of_sale.pos_config_main')
  createdRecords.set('pos.config', config)
  const session = await make('pos.session', { config_id: config })
  const company_id = await env.ref('base.main_company')
  const amounts = { company_id, amount_total: 0, amount_tax: 0, amount_paid: 0, amount_return: 0 }
  const line = {
    product_id: product,
    qty: 1,
    price_unit: 0,
    price_subtotal: 0,
    price_subtotal_incl: 0,
    full_product_name: 'x',
    company_id,
  }
  await make('pos.order', { session_id: session, config_id: config, ...amounts, lines: [[0, 0, line]] })
  await part('pos.order.line', 'pos.order', 'order_id')
  await make('pos.pack.operation.lot', {
    pos_order_line_id: createdRecords.get('pos.order.line'),
    lot_name: 'L',
  })
  await make('pos.payment', {
    company_id,
    pos_order_id: createdRecords.get('pos.order'),
    amount: 1,
    payment_method_id: await first('pos.payment.method'),
  })
  await make('account.move', {
    move_type: 'out_invoice',
    partner_id: partner,
    invoice_date: '2026-05-05',
    invoice_line_ids: [[0, 0, { product_id: product, quantity: 1, price_unit: 5 }]],
  })
  await part('account.move.line', 'account.move', 'move_id')
  const bank = await first('account.journal', [['type', '=', 'bank']])
  await make('account.payment', {
    partner_id: partner,
    amount: 5,
    payment_type: 'inbound',
    partner_type: 'customer',
    journal_id: bank,
  })
  const money = { journal_id: bank, amount: 5, payment_ref: 'x', pos_session_id: session }
  await make('account.bank.statement', { name: 'Statement', line_ids: [[0, 0, money]] })
  await part('account.bank.statement.line', 'account.bank.statement', 'statement_id')
  await make('sale.order', { partner_id: partner, order_line: [[0, 0, { product_id: product }]] })
  await part('sale.order.line', 'sale.order', 'order_id')
  await make('purchase.order', {
    partner_id: partner,
    order_line: [[0, 0, { product_id: product, product_qty: 1, price_unit: 1 }]],
  })
  await part('purchase.order.line', 'purchase.order', 'order_id')
  const type = await first('stock.picking.type', [['code', '=', 'incoming']])
  const [from, to] = [
    await first('stock.location', [['usage', '=', 'supplier']]),
    await first('stock.location', [['usage', '=', 'internal']]),
  ]
  const places = { location_id: from, location_dest_id: to }
  await make('stock.picking', {
    picking_type_id: type,
    ...places,
    move_ids: [[0, 0, { product_id: product, product_uom_qty: 2, ...places }]],
  })
  await part('stock.move', 'stock.picking', 'picking_id')
  await make('stock.move.line', {
    move_id: createdRecords.get('stock.move'),
    picking_id: createdRecords.get('stock.picking'),
    product_id: product,
    quantity: 1,
    ...places,
  })
  await make('stock.quant', { product_id: product, location_id: to, inventory_quantity: 3 })
  const lost = await first('stock.location', [['usage', '=', 'inventory']])
  await make('stock.scrap', { product_id: product, scrap_location_id: lost })
  const item = createdRecords.get('account.move.line')
  await make('account.partial.reconcile', { debit_move_id: item, credit_move_id: item })
  await make('ir.attachment', { name: 'x.txt', datas: 'eA==' })
  await makeOthers(make, { partner, product, company_id, config })
  const message = { model: 'res.partner', res_id: partner, body: 'x' }
  const reaction = {
    content: '+',
    partner_id: await first('res.partner', [['user_ids.login', '=', 'admin']]),
  }
  await make('mail.message.reaction', { ...reaction, message_id: await make('mail.message', message) })
  for (const model of ['account.journal', 'account.payment.method.line', 'stock.reference'])
    createdRecords.set(model, await first(model))
  createdRecords.set('res.company', company_id)
  createdRecords.set('res.groups', await env.ref('base.group_user'))
  return createdRecords
}

/** Records that belong to documents of several modules, or to none. */
async function makeOthers(
  make: (model: string, vals: object) => Promise<number>,
  { partner, product, company_id, config }: Readonly<Record<string, number>>,
): Promise<void> {
  await make('mail.activity', { res_model: 'res.partner', res_id: partner, summary: 'x' })
  await make('account.analytic.line', { name: 'x', amount: 5, company_id, product_id: product })
  await make('account.lock_exception', { lock_date_field: 'sale_lock_date', company_id })
  await make('payment.transaction', { reference: 'T', amount: 5, currency_id: 1, partner_id: partner })
  await make('stock.reference', { name: 'R' })
  await make('product.value', { product_id: product, company_id, value: 5 })
  await make('stock.lot', { name: 'L', product_id: product })
  const approval = { config_id: config, kind: 'refund', asked_by: 2, approved_by: 2 }
  await make('pos.approval', { ...approval, expires_at: '2026-05-05 00:00:00' })
}

/** The field that locks a document. */
const lockOf = ({ authority, fields }: ModelDef) =>
  authority?.paths
    .map((path) => fields.get(path))
    .find((field) => field && (['boolean', 'datetime'].includes(field.kind) || field === lockLink(field)))

/** A lock that is a link: the record is closed while it leads somewhere. */
const lockLink = (field: FieldDef) =>
  field.kind === 'many2one' && field.model.authority?.partOf !== field ? field : null

/** Sets the state of the document that determines a record's state, bypassing all rules. */
async function putInto(env: Environment, model: ModelDef, record: number, state: string): Promise<void> {
  const { authority } = model
  const stateField = authority?.stateField
  const lock = lockOf(model)
  const target = lock?.comodel ? sql`(SELECT min(id) FROM ${name(lock.comodel.table)})` : sql`TRUE`
  const [on, off] =
    lock?.kind === 'datetime'
      ? [sql`'2026-05-05'::timestamp`, sql`NULL`]
      : [target, lock?.comodel ? sql`NULL` : sql`FALSE`]
  if (state === 'locked' && lock) {
    const free = authority?.partOf ? sql`, ${name(authority.partOf.name)} = NULL` : sql``
    await env.execute(
      sql`UPDATE ${name(model.table)} SET ${name(lock.name)} = ${on}${free} WHERE id = ${record}`,
    )
  } else if (stateField) {
    const named = model.name === 'account.move' ? sql`, name = 'X/1'` : sql``
    const unlocked = lock ? sql`, ${name(lock.name)} = ${off}` : sql``
    await env.execute(
      sql`UPDATE ${name(model.table)} SET ${name(stateField.name)} = ${state}${unlocked}${named} WHERE id = ${record}`,
    )
  } else if (authority?.partOf?.comodel) {
    if (lock)
      await env.execute(sql`UPDATE ${name(model.table)} SET ${name(lock.name)} = ${off} WHERE id = ${record}`)
    const link = authority.partOf
    const rows = await env.query<[number]>(
      sql`SELECT ${name(link.name)} FROM ${name(model.table)} WHERE id = ${record}`,
    )
    if (link.comodel) await putInto(env, link.comodel, rows[0]?.[0] ?? 0, state)
  }
  env.unit.cache.clear()
}

function statesOf(model: ModelDef): string[] {
  const { authority } = model
  if (!authority) return []
  const lock = lockOf(model) ? ['locked'] : []
  const options = authority.stateField?.options
  const states =
    options && 'selection' in options && typeof options.selection === 'object'
      ? Object.keys(options.selection)
      : []
  if (authority.stateField) return [...states, ...lock]
  return authority.partOf?.comodel
    ? [...new Set([...statesOf(authority.partOf.comodel), ...lock])]
    : ['always', ...lock]
}

const PIXEL = plainPng(1, 1, 'grey').toString('base64')

/** A value that no record here has. */
function other(field: FieldDef, now: unknown = null): unknown {
  switch (field.kind) {
    case 'integer':
    case 'float':
    case 'monetary':
      return 7.25
    case 'many2one':
    case 'many2one_reference':
      return 987_654
    case 'one2many':
    case 'many2many':
      return [[6, 0, [987_654]]]
    case 'date':
      return '2001-01-01'
    case 'datetime':
      return '2001-01-01 01:01:01'
    case 'boolean':
      return now !== true
    case 'binary':
      return PIXEL
    case 'json':
    case 'properties':
      return { x: 1 }
    case 'selection': {
      const { selection } = field.options
      const keys = Object.keys(typeof selection === 'function' ? selection([]) : (selection ?? {}))
      return keys.findLast((key) => key !== now)
    }
    default:
      return 'other'
  }
}

type Way = (
  env: Environment,
  model: ModelDef,
  record: number,
  vals: Record<string, unknown>,
) => Promise<unknown>
const call = (env: Environment, model: ModelDef, ids: readonly number[], method: string, params: object) =>
  Promise.resolve(recordsOf(env, model, ids).invoke(method, params as Record<string, unknown>))

const ways: Readonly<Record<string, Way>> = {
  write: (env, model, id, vals) => call(env, model, [id], 'write', { vals }),
  web_save: (env, model, id, vals) => call(env, model, [id], 'web_save', { vals, specification: {} }),
  web_save_multi: (env, model, id, vals) =>
    call(env, model, [id], 'web_save_multi', { vals_list: [vals], specification: {} }),
  upsert: (env, model, id, vals) =>
    call(env, model, [], 'upsert', {
      key: 'external_id',
      vals_list: [{ external_id: `test.${model.name.replaceAll('.', '_')}_${id}`, ...vals }],
    }),
  load: (env, model, id, vals) =>
    call(env, model, [], 'load', {
      fields: ['.id', ...Object.keys(vals)],
      data: [[String(id), ...Object.values(vals).map(cellOf)]],
    }),
}
/** A value as a cell of an import; whole numbers suit integers too. */
const cellOf = (value: unknown) =>
  typeof value === 'object'
    ? JSON.stringify(value)
    : String(typeof value === 'number' ? Math.trunc(value) : value)
/** Cells name related records by their ids or names, which are looked up before anything is judged. */
const isLoaded = ({ comodel, kind }: FieldDef) => !comodel && !['reference', 'json'].includes(kind)

/** Ways to a new record. */
const births: Readonly<Record<string, Way>> = {
  create: (env, model, _, vals) => call(env, model, [], 'create', { vals_list: [vals] }),
  web_save: (env, model, _, vals) => call(env, model, [], 'web_save', { vals, specification: {} }),
  copy: (env, model, id, vals) => call(env, model, [id], 'copy', { default: vals }),
  context: (env, model, _, vals) =>
    call(
      env.withContext(
        Object.fromEntries(Object.entries(vals).map(([key, value]) => [`default_${key}`, value])),
      ),
      model,
      [],
      'create',
      { vals_list: [{}] },
    ),
}

/** The judge refuses it. Gives what happened otherwise. */
async function unless(attempt: () => Promise<unknown>): Promise<string | null> {
  try {
    const result = await attempt()
    const messages = (result as { messages?: { message: string }[] } | null)?.messages
    if (messages?.length)
      return messages.every(({ message }) => JUDGED.test(message)) ? null : JSON.stringify(messages)
    const outcomes = result as readonly { readonly status?: string }[]
    if (Array.isArray(result) && outcomes.length && outcomes.every(({ status }) => status === 'unchanged'))
      return null
    return 'it was done'
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return JUDGED.test(error.message) ? null : error.message
  }
}

/** Lists of documents by which commands reach their lines. */
const listsTo = (env: Environment, model: ModelDef) =>
  [...env.unit.registry.models.values()].flatMap((owner) =>
    [...owner.fields.values()].flatMap((field) =>
      field.kind === 'one2many' &&
      field.comodel === model &&
      field.stored &&
      owner.authority &&
      !field.inherited
        ? [{ owner, field }]
        : [],
    ),
  )

class Undone extends Error {}

test('writable fields: all others are rejected in every state, by every method, for every user', async () => {
  const db = await openTestDatabase(modules)
  try {
    const documents = await db.run(makeDocuments)
    const people = await db.run(makePeople)
    const key = await createKey(db.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
    const owner = { database: 'test', credential: { kind: 'key', key }, remote: '127.0.0.1' } as Owner
    const work = inDatabase(db.databases, owner, (database, caller) =>
      transact(database, caller, owner, { readonly: false }, async (unit) => {
        const su = await environmentOf(unit, caller.profile, {}).asUser(1)
        const acting: Environment[] = []
        for (const uid of [...people, caller.profile.id])
          acting.push(environmentOf(unit, (await su.asUser(uid)).user, {}, false, true))
        const judged = [...su.unit.registry.models.values()].filter(({ authority }) => authority)
        const faults = judged.flatMap(({ name }) => (documents.has(name) ? [] : [`${name} is not tried`]))
        let tried = 0
        for (const [model, record] of documents) {
          const def = su.def(model)
          if (def.authority) tried += await walk(su, acting, { def, record, made: documents }, faults)
        }
        assert.deepEqual(faults.slice(0, 40), [], `${faults.length} of ${tried}`)
        assert.ok(tried > 5000, `${tried} attempts`)
        throw new Undone()
      }),
    )
    await assert.rejects(work, Undone)
  } finally {
    await db.close()
  }
})

/** Users who work with documents and users who administer them, besides the administrator. */
async function makePeople(env: Environment): Promise<number[]> {
  const userIds: number[] = []
  for (const [login, groupNames] of Object.entries(groups)) {
    const ids = await Promise.all(['base.group_user', ...groupNames].map((group) => env.ref(group)))
    const { ids: users } = await env
      .model('res.users')
      .create([{ name: login, login, group_ids: [[6, 0, ids]] } as object])
    userIds.push(...users)
  }
  return userIds
}

interface Walked {
  readonly def: ModelDef
  readonly record: number
  readonly made: ReadonlyMap<string, number>
}

async function walk(
  env: Environment,
  acting: readonly Environment[],
  walked: Walked,
  faults: string[],
): Promise<number> {
  const { def, record, made: documents } = walked
  const { authority } = def
  if (!authority) return 0
  let tried = 0
  const expect = async (what: string, attempt: () => Promise<unknown>) => {
    tried++
    const otherwise = await unless(attempt)
    if (otherwise) faults.push(`${def.name} ${what}: ${otherwise}`)
  }
  await env.execute(
    sql`INSERT INTO ir_model_data (module, name, model, res_id) VALUES ('test', ${`${def.name.replaceAll('.', '_')}_${record}`}, ${def.name}, ${record})`,
  )
  const fields = [...def.fields.values()].filter(
    (field) => !authority.isFree(field) && !field.options.hidden && field.name !== 'id',
  )
  for (const state of statesOf(def)) {
    await env.unit.registry.engine.flush(env)
    await putInto(env, def, record, state)
    const closed = fields.filter((field) => !authority.allows(field, state))
    const was = await rowOf(env, def, record)
    const now = await valuesOf(env, def, record)
    const allowed: Environment[] = []
    for (const as of acting)
      if (await call(as, def, [record], 'has_access', { operation: 'write' })) allowed.push(as)
    for (const as of allowed)
      for (const field of closed)
        for (const [way, go] of Object.entries(ways)) {
          // All users try a write; the other ways are tried by the user with all rights.
          if (way !== 'write' && as !== acting.at(-1)) continue
          const vals = { [field.name]: other(field, now[field.name]) }
          if (way === 'load' && (!isLoaded(field) || vals[field.name] === undefined)) continue
          await expect(`${state} ${way} ${field.name} as ${as.user.login}`, () => go(as, def, record, vals))
        }
    const admin = acting.at(-1) as Environment
    if (!(await call(admin, def, [], 'has_access', { operation: 'write' }))) continue
    if (!allowed.includes(admin)) faults.push(`${def.name} ${state}: rules hide it from the administrator`)
    for (const { owner, field: list } of allowed.includes(admin) ? listsTo(env, def) : []) {
      const at = documents.get(owner.name)
      if (at === undefined || list.inverse === null) continue
      for (const field of closed) {
        const vals = { [list.name]: [[1, record, { [field.name]: other(field, now[field.name]) }]] }
        await expect(`${state} ${owner.name}.${list.name} ${field.name}`, () =>
          call(admin, owner, [at], 'write', { vals }),
        )
      }
      if (!authority.removed.has(state))
        await expect(`${state} ${owner.name}.${list.name} removed`, () =>
          call(admin, owner, [at], 'write', { vals: { [list.name]: [[2, record, 0]] } }),
        )
    }
    if (!authority.removed.has(state))
      await expect(`${state} unlink`, () => call(admin, def, [record], 'unlink', {}))
    env.unit.cache.clear()
    if (was !== (await rowOf(env, def, record))) faults.push(`${def.name} ${state}: something changed`)
  }
  const admin = acting.at(-1) as Environment
  // The value of a new record that is not its default says nothing: false.
  const isEmpty = (field: FieldDef) => field.kind === 'boolean' && field.defaultOf?.(admin) === true
  for (const field of fields.filter((field) => !authority.gives(field) && !isEmpty(field)))
    for (const [way, go] of Object.entries(births))
      await expect(`new ${way} ${field.name}`, () =>
        go(admin, def, record, { [field.name]: other(field, field.defaultOf?.(admin)) }),
      )
  return tried
}

async function rowOf(env: Environment, { table }: ModelDef, record: number): Promise<string> {
  const rows = await env.query<[string]>(
    sql`SELECT (SELECT count(*) FROM ${name(table)})::text || (to_jsonb(t) - 'write_uid' - 'write_date')::text FROM ${name(table)} t WHERE id = ${raw(String(record))}`,
  )
  return rows[0]?.[0] ?? 'gone'
}

async function valuesOf(
  env: Environment,
  { table }: ModelDef,
  record: number,
): Promise<Record<string, unknown>> {
  const rows = await env.query<[unknown]>(
    sql`SELECT to_jsonb(t)::text FROM ${name(table)} t WHERE id = ${raw(String(record))}`,
  )
  return JSON.parse(String(rows[0]?.[0] ?? '{}'))
}
