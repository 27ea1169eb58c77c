// Sealed journals: chains of posted entries, refused changes, and breaks that the check of chains reports.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting, type Person } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'
import { setLimits } from '../../../limits.ts'
import type { ChainReport } from '../../../models/engine.ts'
import { withRetries } from '../../../postgres/index.ts'
import { raw, sql } from '../../../sql/index.ts'
import { sealedEntries } from './sealing.ts'

let office: Accounting
let { ask, make, makeAll } = {} as Ledger
let partner: number
let tax: number
let sealed: number

before(async () => {
  office = await openAccounting()
  ;({ ask, make, makeAll } = ledgerOf(office))
  partner = await make('res.partner', { name: 'Customer' })
  tax = await make('account.tax', { name: 'Sealed 10%', amount: 10 })
  sealed = await sealedJournal('Sealed')
})
after(() => office?.close())

/** A journal that seals what is posted; the first letters of its name are its code. */
const sealedJournal = (name: string, type = 'sale') =>
  make('account.journal', {
    name,
    code: name.slice(0, 3).toUpperCase(),
    type,
    restrict_mode_hash_table: true,
  })

const invoice = (more: object = {}) => ({
  move_type: 'out_invoice',
  journal_id: sealed,
  partner_id: partner,
  invoice_date: '2025-03-10',
  ref: 'Order 7',
  invoice_line_ids: [[0, 0, { name: 'Line', quantity: 2, price_unit: 9.99, tax_ids: [[6, 0, [tax]]] }]],
  ...more,
})
const post = (ids: readonly number[]) => ask('account.move/action_post', { ids })
async function postedInvoice(more: object = {}): Promise<number> {
  const id = await make('account.move', invoice(more))
  await post([id])
  return id
}
const read = async (id: number, fields: readonly string[]) =>
  (await ask<Row[]>('account.move/read', { ids: [id], fields, load: null }))[0] as Row

interface Checked {
  readonly ok: boolean
  readonly next: string | null
  readonly chains: readonly ChainReport[]
}
const verify = () => ask<Checked>('comptoir.chain/verify', {})
const chainOf = async (journal: number, series: string) =>
  (await verify()).chains.find((chain) => chain.id === journal && chain.series.startsWith(series))
async function assertWhole(): Promise<void> {
  const { chains } = await verify()
  assert.deepEqual(
    chains.filter((chain) => chain.break),
    [],
  )
}

test('sealed journal: entries posted together are chained in the order of their numbers', async () => {
  const journal_id = await sealedJournal('Ordered')
  const ids = await makeAll(
    'account.move',
    ['2025-05-09', '2025-05-02', '2025-05-05'].map((invoice_date) => invoice({ journal_id, invoice_date })),
  )
  await post(ids)
  const links = await ask<Row[]>('comptoir.chain.link/search_read', {
    domain: [
      ['res_model', '=', 'account.move'],
      ['res_id', 'in', ids],
    ],
    fields: ['name', 'position', 'hash'],
    order: 'position',
  })
  assert.deepEqual(
    links.map(({ name, position }) => [name, position]),
    [1, 2, 3].map((number) => [`ORD/2025/0000${number}`, number]),
  )
  const { inalterable_hash, secured } = await read(ids[0] as number, ['inalterable_hash', 'secured'])
  assert.deepEqual([inalterable_hash, secured], [links[2]?.hash, true])
  const isKnown = await office.run(async (env) => {
    const moves = await env.model('account.move').create([invoice({ journal_id }) as object])
    await moves.action_post()
    return (await moves.one(['secured'])).secured
  })
  assert.equal(isKnown, true, 'in the transaction that posts it, too')
})

test('sealed journal: 12 postings at once keep one chain without a gap', async () => {
  const journal_id = await sealedJournal('Crowded')
  const ids = await makeAll(
    'account.move',
    Array.from({ length: 12 }, () => invoice({ journal_id })),
  )
  await Promise.all(ids.map((id) => post([id])))
  const chain = await chainOf(journal_id, 'CRO')
  assert.deepEqual([chain?.sealed, chain?.unsealed, chain?.break], [12, 0, null])
})

test('sealed entry: reset, cancellation, removal and changes are refused to everybody, code included', async () => {
  const id = await postedInvoice()
  const [line] = await ask<number[]>('account.move.line/search', {
    domain: [
      ['move_id', '=', id],
      ['display_type', '=', 'payment_term'],
    ],
  })
  const refused = [
    ['account.move/button_draft', { ids: [id] }],
    ['account.move/button_cancel', { ids: [id] }],
    ['account.move/unlink', { ids: [id] }],
    ['account.move/write', { ids: [id], vals: { ref: 'Another' } }],
    ['account.move/write', { ids: [id], vals: { state: 'draft' } }],
    ['account.move/write', { ids: [id], vals: { inalterable_hash: false } }],
    ['account.move/write', { ids: [id], vals: { journal_id: 1, name: 'X' } }],
    ['account.move/web_save', { ids: [id], vals: { ref: 'Another' }, specification: {} }],
    ['account.move.line/write', { ids: [line], vals: { account_id: 1 } }],
    ['account.move.line/write', { ids: [line], vals: { partner_id: false } }],
    ['account.journal/write', { ids: [sealed], vals: { restrict_mode_hash_table: false } }],
    ['account.journal/unlink', { ids: [sealed] }],
    ['account.tax/unlink', { ids: [tax] }],
  ] as const
  for (const person of ['biller', 'boss', 'admin'] satisfies Person[])
    for (const [path, body] of refused) {
      const { status, body: answer } = await office.call(person, path, body)
      assert.ok([403, 422].includes(status), `${person} ${path} ${JSON.stringify(answer)}`)
    }
  const { body: kept } = await office.call('admin', 'account.move/unlink', { ids: [id] })
  assert.match(
    (kept as { message: string }).message,
    /is sealed: it cannot be deleted\. Create a credit note/,
  )
  const { body: removal } = await office.call('admin', 'account.tax/unlink', { ids: [tax] })
  assert.match(
    (removal as { message: string }).message,
    /cannot be deleted: records of Journal Item were issued with it/,
  )
  const loaded = await office.call('admin', 'account.move/load', {
    fields: ['.id', 'ref'],
    data: [[String(id), 'Another']],
  })
  assert.ok((loaded.body as { messages: unknown[] }).messages.length > 0)
  const statements = [
    sql`UPDATE account_move SET state = 'draft' WHERE id = ${id}::int`,
    sql`UPDATE account_move SET ref = 'Another' WHERE id = ${id}::int`,
    sql`UPDATE account_move SET inalterable_hash = NULL WHERE id = ${id}::int`,
    sql`UPDATE account_move SET inalterable_hash = 'pending' WHERE id = ${id}::int`,
    sql`DELETE FROM account_move WHERE id = ${id}::int`,
    sql`UPDATE account_move_line SET name = 'Another' WHERE move_id = ${id}::int`,
    sql`DELETE FROM account_move_line_account_tax_rel WHERE account_tax_id = ${tax}::int`,
    sql`UPDATE account_journal SET restrict_mode_hash_table = false WHERE id = ${sealed}::int`,
    sql`UPDATE comptoir_chain_link SET hash = 'x' WHERE res_id = ${id}::int`,
    sql`DELETE FROM comptoir_chain_link WHERE res_id = ${id}::int`,
    sql`UPDATE comptoir_chain SET position = 1`,
    sql`DELETE FROM comptoir_chain`,
  ]
  for (const statement of statements)
    await assert.rejects(office.run((env) => env.query(statement).then(() => undefined)))
  for (const vals of [{ ref: 'Another' }, { state: 'draft' }, { inalterable_hash: false }])
    await assert.rejects(
      office.run((env) =>
        env
          .model('account.move')
          .browse([id])
          .write(vals as object),
      ),
    )
  await assertWhole()
})

test('sealed entries: unsealed fields can change, and a credit note reverses them', async () => {
  const id = await postedInvoice()
  await ask('account.move/write', {
    ids: [id],
    vals: { invoice_date_due: '2025-06-01', ref: 'Order 7', checked: false },
  })
  const company = await make('res.partner', { name: 'Holding', is_company: true })
  await ask('res.partner/write', { ids: [partner], vals: { parent_id: company } })
  const form = await ask<number[]>('account.move.reversal/create', {
    vals_list: [{ move_ids: [[6, 0, [id]]], journal_id: sealed, reason: 'Returned' }],
    context: { active_model: 'account.move', active_ids: [id] },
  })
  await ask('account.move.reversal/modify_moves', { ids: form })
  assert.deepEqual((await read(id, ['payment_state', 'secured'])).payment_state, 'reversed')
  await ask('res.partner/write', { ids: [partner], vals: { parent_id: false } })
  await assertWhole()
})

test('seal by hand: posted entries of any journal are sealed, drafts are refused', async () => {
  const journal_id = await make('account.journal', { name: 'Open', code: 'OPN', type: 'sale' })
  const [first, second] = (await makeAll('account.move', [
    invoice({ journal_id }),
    invoice({ journal_id }),
  ])) as [number, number]
  assert.equal((await office.call('boss', 'account.move/button_hash', { ids: [first] })).status, 422)
  await post([first, second])
  assert.equal((await office.call('clerk', 'account.move/button_hash', { ids: [first] })).status, 403)
  await ask('account.move/button_hash', { ids: [first] })
  await ask('account.move/button_hash', { ids: [first] })
  assert.equal((await office.call('admin', 'account.move/button_draft', { ids: [first] })).status, 422)
  await ask('account.move/button_draft', { ids: [second] })
  const chain = await chainOf(journal_id, 'OPN')
  assert.deepEqual([chain?.sealed, chain?.unsealed, chain?.break], [1, 0, null])
  assert.equal((await read(second, ['secured'])).secured, false)
})

test('chain: of two transactions that seal at once without a lock, one starts over and none is lost', async () => {
  const journal_id = await make('account.journal', { name: 'Raced', code: 'RAC', type: 'sale' })
  const ids = await makeAll('account.move', [invoice({ journal_id }), invoice({ journal_id })])
  await post(ids)
  let [reached, attempts] = [0, 0]
  const both = Promise.withResolvers<void>()
  await Promise.all(
    ids.map((id) =>
      withRetries(() =>
        office.run(async (env) => {
          attempts++
          await env.query(sql`UPDATE account_move SET inalterable_hash = 'pending' WHERE id = ${id}::int`)
          if (++reached === 2) both.resolve()
          await both.promise
        }),
      ),
    ),
  )
  const chain = await chainOf(journal_id, 'RAC')
  assert.deepEqual([chain?.sealed, chain?.break], [2, null])
  assert.equal(attempts, 3)
})

test('seal form: seals entries up to a day in any journal, and reports drafts and later ones', async () => {
  const general = await make('account.journal', { name: 'Period', code: 'PER', type: 'sale' })
  const company = await make('res.company', { name: 'Sealing' })
  const dated = (day: string) =>
    make('account.move', invoice({ journal_id: general, invoice_date: day, date: day }))
  const [early, late, draft] = [
    await dated('2024-01-10'),
    await dated('2024-02-10'),
    await dated('2024-01-11'),
  ]
  await post([early, late])
  const form = (vals: object) => make('account.secure.entries.wizard', vals)
  const id = await form({ hash_date: '2024-01-31' })
  const [shown] = await ask<Row[]>('account.secure.entries.wizard/read', {
    ids: [id],
    fields: ['move_to_hash_ids', 'not_hashable_unlocked_move_ids', 'warnings'],
  })
  assert.deepEqual(shown, {
    id,
    move_to_hash_ids: [early],
    not_hashable_unlocked_move_ids: [draft],
    warnings: ['Drafts up to this day are not sealed.'],
  })
  await ask('account.secure.entries.wizard/action_secure_entries', { ids: [id] })
  const sealedOf = async (entry: number) => (await read(entry, ['secured'])).secured
  assert.deepEqual([await sealedOf(early), await sealedOf(late)], [true, false])
  const statusOf = async (vals: object, person: Person = 'admin') => {
    const ids = [await form(vals)]
    return (await office.call(person, 'account.secure.entries.wizard/action_secure_entries', { ids })).status
  }
  // Nothing is left, the day is not over, the form is somebody else's, the company has no entries.
  assert.equal(await statusOf({ hash_date: '2024-01-31' }), 422)
  assert.equal(await statusOf({ hash_date: '2199-01-01' }), 422)
  assert.equal(await statusOf({ hash_date: '2024-02-28' }, 'biller'), 403)
  assert.equal(await statusOf({ hash_date: '2024-02-28', company_id: company }), 422)
  assert.equal((await read(early, ['state'])).state, 'posted')
  await assertWhole()
})

test('seal by a form: one call seals a portion, the earliest first, and the next call goes on', async () => {
  const company_id = (await read(await postedInvoice(), ['company_id'])).company_id
  const journal_id = await make('account.journal', { name: 'Portions', code: 'POR', type: 'sale' })
  const days = ['2023-01-10', '2023-01-11', '2023-01-12'].map((day) => ({ invoice_date: day, date: day }))
  const ids = await makeAll(
    'account.move',
    days.map((dated) => invoice({ journal_id, ...dated })),
  )
  await post(ids)
  const id = await make('account.secure.entries.wizard', { company_id, hash_date: '2023-01-31' })
  const secure = () => ask('account.secure.entries.wizard/action_secure_entries', { ids: [id] })
  setLimits({ records: 2 })
  try {
    assert.equal((await office.call('admin', 'account.move/button_hash', { ids })).status, 413)
    const [shown] = await ask<Row[]>('account.secure.entries.wizard/read', {
      ids: [id],
      fields: ['move_to_hash_ids', 'warnings'],
    })
    assert.deepEqual(shown?.move_to_hash_ids, ids.slice(0, 2))
    assert.match(String(shown?.warnings), /One call seals at most 2 entries/)
    const again = (await secure()) as Row
    assert.deepEqual([again.res_model, again.res_id], ['account.secure.entries.wizard', id])
    assert.equal(await secure(), null)
  } finally {
    setLimits()
  }
  for (const entry of ids) assert.equal((await read(entry, ['secured'])).secured, true)
  await assertWhole()
})

test('sealed bank journal: lines of statements can still be matched', async () => {
  const journal_id = await sealedJournal('Bank', 'bank')
  const line = await make('account.bank.statement.line', { journal_id, amount: 5, payment_ref: 'Paid' })
  await ask('account.bank.statement.line/write', { ids: [line], vals: { amount: 6 } })
  const [journal] = await ask<Row[]>('account.journal/read', {
    ids: [journal_id],
    fields: ['has_unhashed_entries', 'has_sequence_holes', 'entries_count'],
  })
  assert.deepEqual(journal, {
    id: journal_id,
    has_unhashed_entries: false,
    has_sequence_holes: false,
    entries_count: 1,
  })
})

test('verify: settings of the database do not change what was sealed', async () => {
  const { ok } = await office.run(async (env) => {
    for (const setting of ["datestyle = 'German'", 'extra_float_digits = -5', "timezone = 'Asia/Tokyo'"])
      await env.query(raw(`SET LOCAL ${setting}`))
    return (await env.model('comptoir.chain').verify()) as Checked
  })
  assert.equal(ok, true)
})

test('verify: portions of several calls find what one call finds, and another cursor is refused', async () => {
  const portions = async (limit: number) => {
    const chains: ChainReport[] = []
    for (let after: string | null = null, calls = 1; ; calls++) {
      const portion: Checked = await ask<Checked>('comptoir.chain/verify', { after, limit })
      chains.push(...portion.chains)
      if (portion.next === null) return { ok: portion.ok, chains, calls }
      assert.equal(portion.ok, false, 'not all was checked yet')
      after = portion.next
    }
  }
  const whole = await verify()
  const cut = await portions(2)
  assert.deepEqual([cut.ok, cut.chains], [true, whole.chains])
  assert.ok(cut.calls > whole.chains.length, `${cut.calls} calls`)
  const id = await postedInvoice()
  await office.tamper(`UPDATE account_move SET ref = 'Another' WHERE id = ${id}`)
  const broken = await portions(2)
  assert.deepEqual(
    [broken.ok, broken.chains.filter((chain) => chain.break).map((chain) => chain.break?.id)],
    [false, [id]],
  )
  await office.tamper(`UPDATE account_move SET ref = 'Order 7' WHERE id = ${id}`)
  for (const body of [
    { after: 'x' },
    { after: 7 },
    { after: `whole.9999999999.0.0.${'0'.repeat(64)}` },
    { limit: 0 },
    { limit: 1e6 },
  ])
    assert.equal(
      (await office.call('admin', 'comptoir.chain/verify', body)).status,
      422,
      JSON.stringify(body),
    )
})

test('verify: is for administrators', async () => {
  for (const person of ['clerk', 'boss'] satisfies Person[])
    assert.equal((await office.call(person, 'comptoir.chain/verify', {})).status, 403)
  const written = await office.call('admin', 'comptoir.chain.link/create', { vals_list: [{}] })
  assert.equal(written.status, 403)
})

/** Another value of a column of any type. */
const other = (column: string) =>
  `(CASE pg_typeof(${column})::text WHEN 'integer' THEN (COALESCE(${column}::text, '0')::int + 1)::text
    WHEN 'numeric' THEN (${column}::text::numeric + 0.01)::text WHEN 'double precision' THEN (${column}::text::float8 + 0.001)::text
    WHEN 'date' THEN '2001-01-01' WHEN 'timestamp without time zone' THEN '2001-01-01 00:00:00'
    ELSE COALESCE(${column}::text, '') || 'x' END)`

test('verify: another value in any sealed column is found and named', async () => {
  const id = await postedInvoice()
  const { name } = await read(id, ['name'])
  const types = await office.run((env) =>
    env.query<[string, string, string]>(
      sql`SELECT table_name, column_name, data_type FROM information_schema.columns
        WHERE table_name IN ('account_move', 'account_move_line', 'comptoir_chain', 'comptoir_chain_link')`,
    ),
  )
  const columnsOf = (table: string) =>
    types.flatMap(([ofTable, column]) => (ofTable === table && column !== 'id' ? [column] : []))
  const typeOf = (table: string, column: string) =>
    types.find((row) => row[0] === table && row[1] === column)?.[2]
  const [lines] = sealedEntries.parts
  const tables: readonly (readonly [table: string, where: string, columns: readonly string[]])[] = [
    ['account_move', `id = ${id}`, [...sealedEntries.fields, 'state', 'inalterable_hash']],
    ['account_move_line', `move_id = ${id}`, lines?.fields ?? []],
    [
      'comptoir_chain_link',
      `res_model = 'account.move' AND res_id = ${id}`,
      columnsOf('comptoir_chain_link'),
    ],
    ['comptoir_chain', `res_id = ${sealed} AND res_model = 'account.journal'`, columnsOf('comptoir_chain')],
  ]
  const columns = tables.flatMap(([table, where, names]) =>
    names.map((name) => [table, name, where] as const),
  )
  // An intruder who can flip a byte is not held up by rules of the table.
  await office.tamper(
    `DO $$ DECLARE rule record; BEGIN FOR rule IN SELECT conrelid::regclass AS held, conname FROM pg_constraint
      WHERE contype = 'c' AND conrelid IN ('account_move'::regclass, 'account_move_line'::regclass)
      LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', rule.held, rule.conname); END LOOP; END $$`,
  )
  for (const [table, column, where] of columns) {
    const type = typeOf(table, column)
    // Links of taxes have a table of their own.
    if (type === undefined) continue
    await office.tamper(
      `CREATE TABLE kept AS SELECT id, ${column} FROM ${table} WHERE ${where}`,
      `UPDATE ${table} SET ${column} = ${other(column)}::${type} WHERE ${where}`,
    )
    const broken = (await verify()).chains.filter((chain) => chain.break)
    assert.ok(broken.length > 0, `${table}.${column} ${type}`)
    if (table.startsWith('account_move'))
      assert.deepEqual(
        broken.map((chain) => [chain.break?.problem, chain.break?.id]),
        [['changed', id]],
        `${table}.${column}`,
      )
    if (table === 'account_move' && column === 'ref')
      assert.match(broken[0]?.break?.message ?? '', new RegExp(`^${name} .* was changed after it was sealed`))
    await office.tamper(
      `UPDATE ${table} t SET ${column} = kept.${column} FROM kept WHERE kept.id = t.id`,
      'DROP TABLE kept',
    )
  }
  await assertWhole()
})

test('verify: entries, items and links that were removed or put in are found', async () => {
  const [first, middle, last] = [await postedInvoice(), await postedInvoice(), await postedInvoice()]
  const unsealed = await make('account.move', { move_type: 'entry', date: '2024-01-01' })
  const of = (id: number) => `res_model = 'account.move' AND res_id = ${id}`
  const attacks: readonly (readonly [string, readonly string[], string, number | null])[] = [
    ['last entry', [`DELETE FROM account_move WHERE id = ${last}`], 'missing', last],
    ['last link', [`DELETE FROM comptoir_chain_link WHERE ${of(last)}`], 'missing', last],
    [
      'last entry with its link',
      [`DELETE FROM account_move WHERE id = ${last}`, `DELETE FROM comptoir_chain_link WHERE ${of(last)}`],
      'missing',
      null,
    ],
    ['link between', [`DELETE FROM comptoir_chain_link WHERE ${of(middle)}`], 'missing', middle],
    [
      'item',
      [
        `INSERT INTO account_move_line (move_id, display_type, currency_id, debit, credit, balance, amount_currency)
          SELECT ${first}, 'product', currency_id, 0, 0, 0, 0 FROM account_move WHERE id = ${first}`,
      ],
      'changed',
      first,
    ],
    ['tax', [`DELETE FROM account_move_line_account_tax_rel WHERE account_tax_id = ${tax}`], 'changed', null],
    [
      'hash of its own',
      [`UPDATE account_move SET inalterable_hash = 'x' WHERE id = ${unsealed}`],
      'inserted',
      unsealed,
    ],
    ['chain', ['DELETE FROM comptoir_chain', 'DELETE FROM comptoir_chain_link'], 'inserted', null],
  ]
  const tables = [
    'account_move',
    'account_move_line',
    'account_move_line_account_tax_rel',
    'comptoir_chain',
    'comptoir_chain_link',
  ]
  for (const [what, statements, problem, id] of attacks) {
    await office.tamper(
      ...tables.map((table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table}`),
      ...statements,
    )
    const broken = (await verify()).chains.filter((chain) => chain.break)
    assert.ok(
      broken.some((chain) => chain.break?.problem === problem && (id === null || chain.break.id === id)),
      `${what}: ${JSON.stringify(broken)}`,
    )
    await office.tamper(
      ...tables.flatMap((table) => [
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} SELECT * FROM kept_${table}`,
        `DROP TABLE kept_${table}`,
      ]),
    )
  }
  await assertWhole()
})
