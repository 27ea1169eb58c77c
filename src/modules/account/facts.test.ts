// Further fields and methods of companies, journals and payments: fiscal years, bank accounts, lists to
// choose from, actions that open forms.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../test/support/ledger.ts'

let office: Accounting
let { ask, make } = {} as Ledger
let bank: number
before(async () => {
  office = await openAccounting()
  ;({ ask, make } = ledgerOf(office))
  bank = await make('account.journal', { name: 'Bank F', code: 'BNF', type: 'bank' })
})
after(() => office?.close())

const read = async (model: string, id: number, fields: readonly string[]) =>
  (await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row

test('companies: fiscal years end on their day, in February on its last', async () => {
  const yearOf = (current_date: string) =>
    ask<{ date_from: string; date_to: string }>('res.company/compute_fiscalyear_dates', {
      ids: [1],
      current_date,
    })
  assert.deepEqual(await yearOf('2025-05-01'), { date_from: '2025-01-01', date_to: '2025-12-31' })
  const vals = { fiscalyear_last_day: 28, fiscalyear_last_month: '2' }
  await ask('res.company/write', { ids: [1], vals })
  assert.deepEqual(await yearOf('2024-02-29'), { date_from: '2023-03-01', date_to: '2024-02-29' })
  await assert.rejects(yearOf('yesterday'), /YYYY-MM-DD/)
  await assert.rejects(yearOf('0001-01-01'), /years 0001 /)
  await assert.rejects(ask('res.company/write', { ids: [1], vals: { fiscalyear_last_day: 40 } }))
  assert.equal((await read('res.company', 1, ['user_tax_lock_date'])).user_tax_lock_date, '1-01-01')
})

test('journals: a bank gets its account by number, once, and others get none', async () => {
  for (const turn of [1, 2])
    await ask('account.journal/set_bank_account', { ids: [bank], acc_number: `BE 00 ${turn > 0}` })
  const row = await read('account.journal', bank, [
    'bank_acc_number',
    'selected_payment_method_codes',
    'default_account_type',
    'current_statement_balance',
  ])
  assert.deepEqual(
    [row.bank_acc_number, row.selected_payment_method_codes, row.default_account_type],
    ['BE 00 true', ',manual,manual,', 'asset_cash'],
  )
  await make('account.bank.statement.line', { journal_id: bank, payment_ref: 'Fee', amount: -7 })
  assert.equal(
    (await read('account.journal', bank, ['current_statement_balance'])).current_statement_balance,
    -7,
  )
  const [general] = await ask<number[]>('account.journal/search', {
    domain: [['type', '=', 'general']],
    limit: 1,
  })
  await assert.rejects(
    ask('account.journal/set_bank_account', { ids: [general], acc_number: '1' }),
    /can have a bank account/,
  )
  const action = await ask<Row>('account.journal/create_supplier_payment', { ids: [bank] })
  assert.deepEqual(action.context, {
    default_journal_id: bank,
    default_payment_type: 'outbound',
    default_partner_type: 'supplier',
  })
})

test('journals: a number sent with a bank opens its account, and later renames it', async () => {
  const journal = await make('account.journal', { name: 'Savings', type: 'bank', bank_acc_number: 'BE 01' })
  const accountOf = async (id: number) =>
    (await read('account.journal', id, ['bank_acc_number', 'bank_account_id'])) as Row & {
      readonly bank_account_id: readonly [number, string]
    }
  const opened = await accountOf(journal)
  assert.equal(opened.bank_acc_number, 'BE 01')
  await ask('account.journal/write', { ids: [journal], vals: { bank_acc_number: 'BE 02' } })
  const renamed = await accountOf(journal)
  assert.deepEqual(
    [renamed.bank_acc_number, renamed.bank_account_id[0]],
    ['BE 02', opened.bank_account_id[0]],
  )
  const later = await make('account.journal', { name: 'Reserve', type: 'bank' })
  await ask('account.journal/write', { ids: [later], vals: { bank_acc_number: 'BE 03' } })
  assert.equal((await accountOf(later)).bank_acc_number, 'BE 03')
  const plain = await make('account.journal', { name: 'Other', type: 'general', bank_acc_number: 'BE 04' })
  assert.equal((await accountOf(plain)).bank_acc_number, false)
})

test('account.journal and account.move: types that are names of every object are refused as any other', async () => {
  for (const [model, vals] of [
    ['account.journal', { name: 'Odd', type: 'toString' }],
    ['account.move', { move_type: 'constructor' }],
    ['account.move', { move_type: '__proto__', journal_id: 1 }],
  ] as const) {
    const { status, body } = await office.call('admin', `${model}/create`, { vals_list: [vals] })
    assert.equal(status, 422, JSON.stringify(body))
  }
})

test('payments: duplicates are reported, and choices follow journal and contact', async () => {
  const partner = await make('res.partner', { name: 'Diver' })
  const account = await make('res.partner.bank', { acc_number: '777', partner_id: partner })
  const vals = { partner_id: partner, amount: 55, journal_id: bank, date: '2025-02-11' }
  const out = { ...vals, payment_type: 'outbound', partner_type: 'supplier' }
  const [payment, twin] = [await make('account.payment', out), await make('account.payment', out)]
  await make('account.payment', { ...out, amount: 56 })
  const row = await read('account.payment', payment, [
    'duplicate_payment_ids',
    'available_partner_bank_ids',
    'available_journal_ids',
    'reconciled_invoices_type',
  ])
  assert.deepEqual([row.duplicate_payment_ids, row.available_partner_bank_ids], [[twin], [account]])
  assert.ok((row.available_journal_ids as number[]).includes(bank))
  assert.equal(row.reconciled_invoices_type, 'invoice')
})

test('accounts and taxes: groups, balances, use and flattened taxes follow from what is there', async () => {
  const account = await make('account.account', { name: 'Rent', code: 'QH.6100', account_type: 'expense' })
  const cash = await make('account.account', { name: 'Till', code: 'QH.1000', account_type: 'asset_cash' })
  const group = await make('account.group', {
    name: 'Costs',
    code_prefix_start: 'QH.6',
    code_prefix_end: 'QH.7',
  })
  const general = await make('account.journal', { name: 'Notes', code: 'NTS', type: 'general' })
  const entry = await make('account.move', {
    journal_id: general,
    date: '2025-03-31',
    line_ids: [
      [0, 0, { account_id: account, debit: 500 }],
      [0, 0, { account_id: cash, credit: 500 }],
    ],
  })
  await ask('account.move/action_post', { ids: [entry] })
  const [first] = await ask<Row[]>('account.move.line/search_read', {
    domain: [['account_id', '=', cash]],
    fields: ['cumulated_balance'],
  })
  const draft = await ask<number[]>('account.move/copy', { ids: [entry], default: { date: '2025-04-01' } })
  const [later] = await ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['account_id', '=', account],
      ['move_id', '=', draft],
    ],
    fields: ['cumulated_balance'],
  })
  assert.deepEqual([first?.cumulated_balance, later?.cumulated_balance], [-500, 500])
  const ledger = await make('account.journal.group', {
    name: 'Main',
    excluded_journal_ids: [[6, 0, [general]]],
  })
  const inLedger = (operator: string, value: unknown) =>
    ask<number[]>('account.move/search', {
      domain: [
        ['journal_group_id', operator, value],
        ['id', '=', entry],
      ],
    })
  assert.deepEqual(
    [await inLedger('=', ledger), await inLedger('not in', [ledger]), await inLedger('ilike', 'Main')],
    [[], [entry], []],
  )
  const row = await read('account.account', account, ['group_id', 'used', 'current_balance', 'root_id'])
  assert.deepEqual([row.group_id, row.used, row.current_balance], [group, true, 500])
  assert.equal((await read('account.root', row.root_id as number, ['name'])).name, 'QH')
  const [late, early] = [
    await make('account.tax', { name: 'Late', amount: 7, sequence: 2 }),
    await make('account.tax', { name: 'Early', amount: 3, sequence: 1 }),
  ]
  const both = await make('account.tax', {
    name: 'Both',
    amount_type: 'group',
    children_tax_ids: [[6, 0, [late, early]]],
  })
  assert.deepEqual(await ask('account.tax/flatten_taxes_hierarchy', { ids: [both] }), [early, late])
  const position = await make('account.fiscal.position', { name: 'Islands' })
  const vals = { fiscal_position_ids: [[6, 0, [position]]], original_tax_ids: [[6, 0, [late]]] }
  const none = await make('account.tax', { name: 'None', amount: 0, ...vals })
  assert.deepEqual(await ask('account.fiscal.position/map_tax', { ids: [position], taxes: [late] }), [none])
  const coins = await make('account.cash.rounding', { name: 'Down', rounding: 0.25, rounding_method: 'DOWN' })
  assert.equal(await ask('account.cash.rounding/round', { ids: [coins], amount: 10.49 }), 10.25)
})

test('reconciliation models: their lines say a number or an expression, and what they are proposed for', async () => {
  const expense = await make('account.account', { name: 'Fees', code: 'RM600', account_type: 'expense' })
  const model = await make('account.reconcile.model', {
    name: 'Fees',
    match_label: 'contains',
    match_label_param: 'fee',
    line_ids: [[0, 0, { account_id: expense, amount_string: '2,5' }]],
  })
  const rule = await read('account.reconcile.model', model, ['can_be_proposed', 'trigger', 'line_ids'])
  assert.deepEqual([rule.can_be_proposed, rule.trigger], [true, 'manual'])
  const [line] = rule.line_ids as number[]
  assert.equal((await read('account.reconcile.model.line', line as number, ['amount'])).amount, 2.5)
  await ask('account.reconcile.model/action_set_auto_reconcile', { ids: [model] })
  assert.equal((await read('account.reconcile.model', model, ['trigger'])).trigger, 'auto_reconcile')
  const write = (vals: object) => ask('account.reconcile.model.line/write', { ids: [line], vals })
  await assert.rejects(write({ amount_string: 'much' }), /number other than 0/)
  await assert.rejects(write({ amount_type: 'regex', amount_string: '(' }), /number other than 0/)
  await write({ amount_type: 'regex', amount_string: 'BRT: ([\\d,]+)' })
})

test('tax tags: lines have those of the base, tax items those of their part, by kind of document', async () => {
  const [base, part, back] = await ask<number[]>('account.account.tag/create', {
    vals_list: ['Base', 'Part', 'Back'].map((name) => ({ name: `${name} T`, applicability: 'taxes' })),
  })
  const side = (tag: unknown, of: unknown) => [
    [0, 0, { repartition_type: 'base', tag_ids: [[6, 0, [tag]]] }],
    [0, 0, { repartition_type: 'tax', tag_ids: [[6, 0, [of]]] }],
  ]
  const tax = await make('account.tax', {
    name: 'Tagged',
    amount: 10,
    invoice_repartition_line_ids: side(base, part),
    refund_repartition_line_ids: side(back, part),
  })
  const tagsOf = async (move_type: string) => {
    const move = await make('account.move', {
      move_type,
      invoice_line_ids: [[0, 0, { name: 'A', price_unit: 10, tax_ids: [[6, 0, [tax]]] }]],
    })
    const items = await ask<Row[]>('account.move.line/search_read', {
      domain: [
        ['move_id', '=', move],
        ['display_type', 'in', ['product', 'tax']],
      ],
      fields: ['tax_tag_ids'],
      order: 'sequence',
      load: null,
    })
    return items.map((item) => item.tax_tag_ids)
  }
  assert.deepEqual(await tagsOf('out_invoice'), [[base], [part]])
  assert.deepEqual(await tagsOf('out_refund'), [[back], [part]])
})

test('opening balances: accounts share one entry that balances, and keep it once it is posted', async () => {
  const [till, debts] = await ask<number[]>('account.account/create', {
    vals_list: [
      { name: 'Till', code: 'OP100', account_type: 'asset_cash' },
      { name: 'Debts', code: 'OP200', account_type: 'liability_current' },
    ],
  })
  const write = (id: unknown, vals: object) => ask('account.account/write', { ids: [id], vals })
  await write(till, { opening_debit: 500 })
  await write(debts, { opening_credit: 200 })
  await write(till, { opening_balance: 450 })
  const shown = await read('account.account', till as number, ['opening_debit', 'opening_credit'])
  assert.deepEqual([shown.opening_debit, shown.opening_credit], [450, 0])
  const { account_opening_move_id: entry } = await read('res.company', 1, ['account_opening_move_id'])
  const items = await ask<Row[]>('account.move.line/search_read', {
    domain: [['move_id', '=', entry]],
    fields: ['balance'],
    order: 'balance',
  })
  assert.deepEqual(
    items.map((item) => item.balance),
    [-250, -200, 450],
  )
  await write(till, { opening_debit: 430, opening_credit: 0 })
  assert.equal((await read('account.account', till as number, ['opening_balance'])).opening_balance, 430)
  await ask('account.move/action_post', { ids: [entry] })
  await assert.rejects(write(till, { opening_debit: 1 }), /reset it to draft/)
})

test('journals: files become drafts that hold them', async () => {
  const journal = await make('account.journal', { name: 'Bills F', code: 'BLF', type: 'purchase' })
  const attachment_ids = [await make('ir.attachment', { name: 'bill.txt', raw: 'Owed' })]
  const action = await ask<Row>('account.journal/create_document_from_attachment', {
    ids: [journal],
    attachment_ids,
  })
  const bill = await read('account.move', action.res_id as number, ['move_type', 'attachment_ids'])
  assert.deepEqual([bill.move_type, bill.attachment_ids], ['in_invoice', attachment_ids])
})

test('drafts: unusual amounts are reported, unless the contact is excluded', async () => {
  const partner = await make('res.partner', { name: 'Monthly' })
  const invoice = (price_unit: number, month: number) =>
    make('account.move', {
      move_type: 'out_invoice',
      partner_id: partner,
      invoice_date: `2024-${String(month).padStart(2, '0')}-01`,
      invoice_line_ids: [[0, 0, { name: 'Rent', price_unit, tax_ids: [] }]],
    })
  const ids = []
  for (let month = 1; month <= 10; month++) ids.push(await invoice(100 + month, month))
  await ask('account.move/action_post', { ids })
  const warningOf = async (price: number) =>
    (await read('account.move', await invoice(price, 11), ['abnormal_amount_warning']))
      .abnormal_amount_warning
  assert.equal(await warningOf(104), false)
  assert.match(String(await warningOf(900)), /usually have about 105\.50/)
  await ask('res.partner/write', { ids: [partner], vals: { ignore_abnormal_invoice_amount: true } })
  assert.equal(await warningOf(900), false)
})

test('lock exceptions: a closed period is open for whom they name, until they are revoked', async () => {
  const entry = () =>
    make('account.move', {
      move_type: 'out_invoice',
      invoice_date: '2023-05-05',
      partner_id: 1,
      invoice_line_ids: [[0, 0, { name: 'Late', price_unit: 5, tax_ids: [] }]],
    })
  const [mine, others] = [await entry(), await entry()]
  await ask('res.company/write', { ids: [1], vals: { fiscalyear_lock_date: '2023-12-31' } })
  const post = (who: 'admin' | 'boss', id: number) =>
    office.call(who, 'account.move/action_post', { ids: [id] }).then(({ status }) => status)
  assert.equal(await post('admin', mine), 422)
  const [admin] = await ask<number[]>('res.users/search', { domain: [['login', '=', 'admin']] })
  const exception = await make('account.lock_exception', {
    lock_date_field: 'fiscalyear_lock_date',
    lock_date: '2023-04-30',
    user_id: admin,
    reason: 'A bill came late.',
  })
  const row = await read('account.lock_exception', exception, ['state', 'company_lock_date'])
  assert.deepEqual([row.state, row.company_lock_date], ['active', '2023-12-31'])
  const company = await read('res.company', 1, ['user_fiscalyear_lock_date', 'fiscalyear_lock_date'])
  assert.deepEqual(
    [company.user_fiscalyear_lock_date, company.fiscalyear_lock_date],
    ['2023-04-30', '2023-12-31'],
  )
  assert.equal(await post('boss', others), 422)
  assert.equal(await post('admin', mine), 200)
  await assert.rejects(
    ask('account.lock_exception/write', { ids: [exception], vals: { lock_date: '2020-01-01' } }),
    /lock_date|Changed Lock Date/,
  )
  const elsewhere = { company_id: await make('res.company', { name: 'Elsewhere' }) }
  await assert.rejects(
    ask('account.lock_exception/write', { ids: [exception], vals: elsewhere }),
    /company_id/,
  )
  await ask('account.lock_exception/action_revoke', { ids: [exception] })
  assert.equal((await read('account.lock_exception', exception, ['state'])).state, 'revoked')
  assert.equal(await post('admin', others), 422)
  await ask('res.company/write', { ids: [1], vals: { fiscalyear_lock_date: false } })
})

test('invoice analysis: credit notes and bills count against what was sold', async () => {
  const partner_id = await make('res.partner', { name: 'Analysed' })
  const documents = [
    ['out_invoice', 100],
    ['out_refund', 30],
    ['in_invoice', 20],
  ] as const
  for (const [move_type, price_unit] of documents)
    await make('account.move', {
      move_type,
      partner_id,
      invoice_date: '2025-05-05',
      invoice_line_ids: [[0, 0, { name: 'A', quantity: 2, price_unit, tax_ids: [] }]],
    })
  const rows = await ask<Row[]>('account.invoice.report/search_read', {
    domain: [['partner_id', '=', partner_id]],
    fields: ['quantity', 'price_subtotal', 'price_total', 'price_average'],
    order: 'id',
  })
  assert.deepEqual(
    rows.map((row) => [row.quantity, row.price_subtotal, row.price_total, row.price_average]),
    [
      [2, 200, 200, 100],
      [-2, -60, -60, 30],
      [-2, -40, -40, 20],
    ],
  )
})

test('bills: a draft takes over the lines of another one', async () => {
  const partner_id = await make('res.partner', { name: 'Supplier' })
  const bill = (vals: object) =>
    make('account.move', { move_type: 'in_invoice', partner_id, invoice_date: '2025-01-01', ...vals })
  const first = await bill({ invoice_line_ids: [[0, 0, { name: 'Rope', price_unit: 12, tax_ids: [] }]] })
  const second = await bill({ invoice_vendor_bill_id: first })
  const row = await read('account.move', second, ['amount_total', 'invoice_vendor_bill_id'])
  assert.deepEqual([row.amount_total, row.invoice_vendor_bill_id], [12, false])
})

test('forms of entries: drafts of the context are posted, and vendors are automated', async () => {
  const partner = await make('res.partner', { name: 'Automatic' })
  const move = await make('account.move', {
    move_type: 'out_invoice',
    partner_id: partner,
    invoice_line_ids: [[0, 0, { name: 'A', price_unit: 1, tax_ids: [] }]],
  })
  const context = { active_model: 'account.move', active_ids: [move] }
  const [form] = await ask<number[]>('validate.account.move/create', { vals_list: [{}], context })
  await ask('validate.account.move/validate_move', { ids: [form] })
  assert.equal((await read('account.move', move, ['state'])).state, 'posted')
  await assert.rejects(ask('validate.account.move/validate_move', { ids: [form] }), /No drafts/)
  const wizard = await make('account.autopost.bills.wizard', { partner_id: partner })
  await ask('account.autopost.bills.wizard/action_automate_partner', { ids: [wizard] })
  assert.equal((await read('res.partner', partner, ['autopost_bills'])).autopost_bills, 'always')
})
