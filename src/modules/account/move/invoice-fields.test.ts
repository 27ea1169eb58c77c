// Further fields and methods of invoices: totals by group of taxes, payments, types, terms of delivery,
// sections.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'

let office: Accounting
let { ask, make } = {} as Ledger
let partner: number
let taxes: { tenth: number; coin: number; group: number }
before(async () => {
  office = await openAccounting()
  ;({ ask, make } = ledgerOf(office))
  partner = await make('res.partner', { name: 'Customer' })
  const group = await make('account.tax.group', { name: 'Levies', sequence: 5, preceding_subtotal: 'Goods' })
  taxes = {
    group,
    tenth: await make('account.tax', {
      name: 'Tenth',
      amount: 10,
      tax_group_id: await make('account.tax.group', { name: 'VAT', sequence: 20 }),
      invoice_legal_notes: '<p>Art. 7</p>',
    }),
    coin: await make('account.tax', { name: 'Coin', amount_type: 'fixed', amount: 4, tax_group_id: group }),
  }
})
after(() => office?.close())

const read = async (id: number, fields: readonly string[], model = 'account.move') =>
  (await ask<Row[]>(`${model}/read`, { ids: [id], fields, load: null }))[0] as Row
const invoice = (lines: readonly object[], more: object = {}) =>
  make('account.move', {
    move_type: 'out_invoice',
    partner_id: partner,
    invoice_date: '2025-03-10',
    invoice_line_ids: lines.map((line) => [0, 0, line]),
    ...more,
  })

test('tax_totals: groups of taxes stand under their subtotals, with the taxes before in the base', async () => {
  const id = await invoice([
    { name: 'Lamp', quantity: 2, price_unit: 50, tax_ids: [[6, 0, [taxes.coin, taxes.tenth]]] },
    { name: 'Gift', quantity: 1, price_unit: 10, tax_ids: [[6, 0, []]] },
  ])
  const {
    tax_totals: totals,
    taxes_legal_notes,
    amount_total_words,
  } = await read(id, ['tax_totals', 'taxes_legal_notes', 'amount_total_words'])
  const { subtotals, ...sums } = totals as {
    subtotals: { name: string; base_amount: number; tax_groups: Row[] }[]
  } & Row
  assert.deepEqual(
    subtotals.map(({ name, base_amount, tax_groups: groups }) => [
      name,
      base_amount,
      groups.map((group) => [
        group.involved_tax_ids,
        group.base_amount,
        group.display_base_amount,
        group.tax_amount,
      ]),
    ]),
    [
      ['Goods', 110, [[[taxes.coin], 100, false, 8]]],
      ['Untaxed Amount', 118, [[[taxes.tenth], 100, 100, 10]]],
    ],
  )
  assert.deepEqual([sums.total_amount, sums.same_tax_base, sums.has_tax_groups], [128, false, true])
  assert.equal(taxes_legal_notes, '<p>Art. 7</p>')
  assert.equal(amount_total_words, 'One Hundred And Twenty-Eight Dollars')
})

test('payments of invoices: lists, counts and states follow from what is matched', async () => {
  const id = await invoice([{ name: 'Berth', price_unit: 200, tax_ids: [[6, 0, []]] }])
  await ask('account.move/action_post', { ids: [id] })
  const payment = await make('account.payment', { partner_id: partner, amount: 80, date: '2025-02-01' })
  await ask('account.payment/action_post', { ids: [payment] })
  const before = await read(id, ['invoice_outstanding_credits_debits_widget', 'status_in_payment'])
  const offered = before.invoice_outstanding_credits_debits_widget as { content: Row[]; title: string }
  assert.deepEqual([offered.title, offered.content.map((row) => row.amount)], ['Outstanding credits', [80]])
  assert.equal(before.status_in_payment, 'posted')
  await ask('account.move/js_assign_outstanding_line', { ids: [id], line_id: offered.content[0]?.id })
  const paid = await read(id, [
    'invoice_payments_widget',
    'payment_count',
    'reconciled_payment_ids',
    'has_reconciled_entries',
    'status_in_payment',
    'next_payment_date',
  ])
  const content = (paid.invoice_payments_widget as { content: Row[] }).content
  assert.deepEqual(
    content.map((row) => [row.amount, row.account_payment_id, row.is_exchange, row.amount_company_currency]),
    [[80, payment, false, '$\u00a080.00']],
  )
  assert.deepEqual(
    [paid.payment_count, paid.reconciled_payment_ids, paid.has_reconciled_entries, paid.status_in_payment],
    [1, [payment], false, 'partial'],
  )
  assert.ok(paid.next_payment_date)
  const shown = await ask<Row>('account.move/open_payments', { ids: [id] })
  assert.deepEqual([shown.res_model, shown.res_id], ['account.payment', payment])
})

test('payment_state: a document that must not be paid is blocked until it is released', async () => {
  const id = await invoice([{ name: 'Rope', price_unit: 5 }])
  await ask('account.move/action_post', { ids: [id] })
  const states: unknown[] = []
  for (let turn = 0; turn < 2; turn++) {
    await ask('account.move/action_toggle_block_payment', { ids: [id] })
    states.push((await read(id, ['payment_state'])).payment_state)
  }
  assert.deepEqual(states, ['blocked', 'not_paid'])
})

test('sections of invoices: lines know theirs, and sections their sum', async () => {
  const id = await invoice([
    { display_type: 'line_section', name: 'Optics' },
    { name: 'Lens', price_unit: 30 },
    { display_type: 'line_subsection', name: 'Work' },
    { name: 'Fitting', price_unit: 12 },
  ])
  const lines = await ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', '=', id],
      ['display_type', 'not in', ['tax', 'payment_term']],
    ],
    fields: ['parent_id', 'account_internal_group', 'currency_rate', 'deductible_amount'],
    order: 'id',
    load: null,
  })
  const [section, lens, work, fitting] = lines.map((line) => line.id as number)
  assert.deepEqual(
    lines.map((line) => line.parent_id),
    [false, section, section, work],
  )
  assert.deepEqual([lines[1]?.account_internal_group, lines[1]?.currency_rate], ['income', 1])
  assert.equal(await ask('account.move.line/get_section_subtotal', { ids: [section] }), 42)
  assert.deepEqual(await ask('account.move.line/get_parent_section_line', { ids: [fitting] }), [section])
  assert.ok(lens)
})

test('delivery and portal: terms are kept, the place of delivery after posting too, and addresses have a token', async () => {
  const incoterm = await ask<Row[]>('account.incoterms/search_read', {
    domain: [['code', '=', 'DAP']],
    fields: ['display_name'],
  })
  assert.equal(incoterm[0]?.display_name, '[DAP] DELIVERED AT PLACE')
  const id = await invoice([{ name: 'Posters', price_unit: 20 }], {
    invoice_incoterm_id: incoterm[0]?.id,
    delivery_date: '2025-03-08',
  })
  await ask('account.move/action_post', { ids: [id] })
  await ask('account.move/write', { ids: [id], vals: { incoterm_location: 'North pier' } })
  await assert.rejects(ask('account.move/write', { ids: [id], vals: { delivery_date: '2025-03-09' } }))
  const url = await ask<string>('account.move/get_portal_url', { ids: [id], report_type: 'pdf' })
  const { access_url, access_token } = await read(id, ['access_url', 'access_token'])
  assert.equal(url, `${access_url}?access_token=${access_token}&report_type=pdf`)
  assert.equal(access_url, `/my/invoices/${id}`)
  const copy = await ask<Row>('account.move/action_duplicate', { ids: [id] })
  assert.equal((await read(copy.res_id as number, ['access_token'])).access_token, false)
})

test('fiscal positions: drafts take taxes and accounts of their position when they are asked to', async () => {
  const product = await make('product.product', { name: 'Net', taxes_id: [[6, 0, [taxes.tenth]]] })
  const position = await make('account.fiscal.position', { name: 'Islands' })
  const none = await make('account.tax', {
    name: 'None',
    amount: 0,
    fiscal_position_ids: [[6, 0, [position]]],
    original_tax_ids: [[6, 0, [taxes.tenth]]],
  })
  const id = await invoice([{ product_id: product }])
  await ask('account.move/write', { ids: [id], vals: { fiscal_position_id: position } })
  await ask('account.move/action_update_fpos_values', { ids: [id] })
  const [line] = await ask<Row[]>('account.move.line/search_read', {
    domain: [
      ['move_id', '=', id],
      ['product_id', '=', product],
    ],
    fields: ['tax_ids'],
  })
  assert.deepEqual(line?.tax_ids, [none])
})

test('cumulated_balance: is 0 on the items of a free document that are the only ones of their account', async () => {
  const account = await make('account.account', { name: 'Gifts', code: 'QF.4', account_type: 'income' })
  const id = await invoice([{ name: 'Gift', price_unit: 0, account_id: account, tax_ids: [[6, 0, []]] }])
  await ask('account.move/action_post', { ids: [id] })
  const { invoice_line_ids } = await read(id, ['invoice_line_ids'])
  const [line] = invoice_line_ids as number[]
  assert.equal((await read(line as number, ['cumulated_balance'], 'account.move.line')).cumulated_balance, 0)
})

test('partner_bank_id: is the first account of the party that gets the money, and payments go there', async () => {
  const vendor = await make('res.partner', { name: 'Foundry' })
  const company = (
    await ask<Row[]>('res.company/search_read', { domain: [], fields: ['partner_id'], load: null })
  )[0] as Row
  const companyAccount = await make('res.partner.bank', {
    acc_number: 'OWN 1',
    partner_id: company.partner_id,
  })
  const [first, second] = [
    await make('res.partner.bank', { acc_number: 'F 1', partner_id: vendor, sequence: 5 }),
    await make('res.partner.bank', { acc_number: 'F 2', partner_id: vendor, sequence: 6 }),
  ]
  const line = { name: 'Cast', price_unit: 50, tax_ids: [[6, 0, []]] }
  const sale = await invoice([line])
  const bill = (more: object) => invoice([line], { move_type: 'in_invoice', partner_id: vendor, ...more })
  const bills = [await bill({}), await bill({ partner_bank_id: second })]
  const refund = await invoice([line], { move_type: 'out_refund', partner_id: vendor })
  const entry = await make('account.move', { partner_id: vendor })
  const banks = []
  for (const id of [sale, ...bills, refund, entry])
    banks.push((await read(id, ['partner_bank_id'])).partner_bank_id)
  assert.deepEqual(banks, [companyAccount, first, second, first, false])

  await ask('account.move/action_post', { ids: bills })
  const context = { active_model: 'account.move', active_ids: bills }
  const [form] = await ask<number[]>('account.payment.register/create', { vals_list: [{}], context })
  await ask('account.payment.register/action_create_payments', { ids: [form] })
  const payments = await ask<Row[]>('account.payment/search_read', {
    domain: [['partner_id', '=', vendor]],
    fields: ['partner_bank_id', 'amount'],
    order: 'partner_bank_id',
    load: null,
  })
  assert.deepEqual(
    payments.map((payment) => [payment.partner_bank_id, payment.amount]),
    [
      [first, 50],
      [second, 50],
    ],
  )
  const alone = await make('account.payment', { payment_type: 'outbound', partner_id: vendor, amount: 5 })
  assert.equal((await read(alone, ['partner_bank_id'], 'account.payment')).partner_bank_id, first)
})

test('partner_bank_id: documents without one are paid with those that name one, and reversals name the other party', async () => {
  const vendor = await make('res.partner', { name: 'Mill' })
  const bank = await make('res.partner.bank', { acc_number: 'M 1', partner_id: vendor })
  const document = (move_type: string, price_unit: number) =>
    invoice([{ name: 'Flour', price_unit, tax_ids: [[6, 0, []]] }], { move_type, partner_id: vendor })
  const pair = [await document('in_invoice', 100), await document('in_refund', 20)]
  await ask('account.move/action_post', { ids: pair })
  const vals = { group_payment: true }
  const context = { active_model: 'account.move', active_ids: pair }
  const [form] = await ask<number[]>('account.payment.register/create', { vals_list: [vals], context })
  await ask('account.payment.register/action_create_payments', { ids: [form] })
  const facts = ['amount', 'payment_type', 'partner_bank_id']
  const paid = await ask<Row[]>('account.payment/search_read', {
    domain: [['partner_id', '=', vendor]],
    fields: facts,
    load: null,
  })
  assert.deepEqual(
    paid.map((payment) => facts.map((name) => payment[name])),
    [[80, 'outbound', bank]],
  )

  const plain = await document('in_invoice', 5)
  await ask('account.move/action_post', { ids: [plain] })
  const [cleared] = await ask<number[]>('account.payment.register/create', {
    vals_list: [{ partner_bank_id: false }],
    context: { active_model: 'account.move', active_ids: [plain] },
  })
  await ask('account.payment.register/write', { ids: [cleared], vals: { partner_bank_id: false } })
  const opening = await ask<Row>('account.payment.register/action_create_payments', { ids: [cleared] })
  const left = await read(opening.res_id as number, ['partner_bank_id'], 'account.payment')
  assert.equal(left.partner_bank_id, false)

  const sale = await document('out_invoice', 7)
  await ask('account.move/action_post', { ids: [sale] })
  const reversed = { active_model: 'account.move', active_ids: [sale] }
  const [journal] = await ask<Row[]>('account.move/read', { ids: [sale], fields: ['journal_id'], load: null })
  const [reversal] = await ask<number[]>('account.move.reversal/create', {
    vals_list: [{ journal_id: journal?.journal_id }],
    context: reversed,
  })
  const opened = await ask<Row>('account.move.reversal/reverse_moves', { ids: [reversal] })
  assert.equal((await read(opened.res_id as number, ['partner_bank_id'])).partner_bank_id, bank)
})

test('preferred_payment_method_line_id: comes from the contact and decides how documents are paid', async () => {
  const journal = await make('account.journal', { name: 'Giro', code: 'GIRO', type: 'bank' })
  const [wire] = await ask<Row[]>('account.payment.method.line/search_read', {
    domain: [
      ['journal_id', '=', journal],
      ['payment_type', '=', 'inbound'],
    ],
    fields: ['payment_method_id'],
    load: null,
  })
  const cheque = await make('account.payment.method.line', {
    name: 'Cheque',
    journal_id: journal,
    payment_method_id: wire?.payment_method_id,
  })
  const payer = await make('res.partner', { name: 'Payer', property_inbound_payment_method_line_id: cheque })
  const id = await invoice([{ name: 'Rope', price_unit: 7, tax_ids: [[6, 0, []]] }], { partner_id: payer })
  assert.equal(
    (await read(id, ['preferred_payment_method_line_id'])).preferred_payment_method_line_id,
    cheque,
  )
  await ask('account.move/action_post', { ids: [id] })
  const context = { active_model: 'account.move', active_ids: [id] }
  const [form] = await ask<number[]>('account.payment.register/create', { vals_list: [{}], context })
  const fields = ['journal_id', 'payment_method_line_id']
  const { journal_id, payment_method_line_id } = await read(
    form as number,
    fields,
    'account.payment.register',
  )
  assert.deepEqual([journal_id, payment_method_line_id], [journal, cheque])
  const alone = await make('account.payment', { partner_id: payer, amount: 5, journal_id: journal })
  assert.equal((await read(alone, fields, 'account.payment')).payment_method_line_id, cheque)
})

test('payment_reference: has the form that the journal says, of the number or of the customer', async () => {
  const journal = await make('account.journal', { name: 'Exports', code: 'EXP', type: 'sale' })
  const customer = await make('res.partner', { name: 'Referred', ref: 'c-77' })
  const references: unknown[] = []
  for (const [by, form] of [
    ['invoice', 'odoo'],
    ['invoice', 'euro'],
    ['invoice', 'number'],
    ['partner', 'odoo'],
    ['partner', 'euro'],
  ]) {
    const vals = { invoice_reference_type: by, invoice_reference_model: form }
    await ask('account.journal/write', { ids: [journal], vals })
    const id = await invoice([{ name: 'Crate', price_unit: 5, tax_ids: [[6, 0, []]] }], {
      journal_id: journal,
      partner_id: customer,
    })
    await ask('account.move/action_post', { ids: [id] })
    references.push((await read(id, ['payment_reference'])).payment_reference)
  }
  assert.deepEqual(references, ['EXP/2025/00001', 'RF12EXP202500002', '202500003', 'CUST/c-77', 'RF57C77'])
})

test('auto_post: drafts are posted when their date has come, and recurring ones until their last day', async () => {
  const line = [{ name: 'Rent', price_unit: 30, tax_ids: [[6, 0, []]] }]
  const recurring = { auto_post: 'monthly', auto_post_until: '2025-03-31' }
  const first = await invoice(line, { invoice_date: '2025-01-31', ...recurring })
  const late = await invoice(line, { invoice_date: '2090-01-01', auto_post: 'at_date' })
  const plain = await invoice(line, { invoice_date: '2025-01-31' })
  const lacking = await make('account.move', {
    move_type: 'out_invoice',
    date: '2025-01-31',
    auto_post: 'at_date',
  })
  for (let run = 0; run < 3; run++) await ask('account.move/autopost_draft_entries', {})
  const states: unknown[] = []
  for (const id of [first, late, plain, lacking]) states.push((await read(id, ['state'])).state)
  assert.deepEqual(states, ['posted', 'draft', 'draft', 'draft'])
  const following = await ask<Row[]>('account.move/search_read', {
    domain: [['auto_post_origin_id', '=', first]],
    fields: ['date', 'invoice_date', 'state', 'auto_post', 'amount_total'],
    order: 'date',
    load: null,
  })
  const posted = { state: 'posted', auto_post: 'monthly', amount_total: 30 }
  assert.partialDeepStrictEqual(following, [
    { date: '2025-02-28', invoice_date: '2025-02-28', ...posted },
    { date: '2025-03-31', invoice_date: '2025-03-31', ...posted },
  ])
  assert.equal(following.length, 2)
})

test('restrictive_audit_trail: entries that were posted once cannot be deleted', async () => {
  const id = await invoice([{ name: 'Trail', price_unit: 3, tax_ids: [[6, 0, []]] }])
  const { company_id } = await read(id, ['company_id'])
  await ask('res.company/write', { ids: [company_id], vals: { restrictive_audit_trail: true } })
  const never = await invoice([{ name: 'Trail', price_unit: 3, tax_ids: [[6, 0, []]] }])
  await ask('account.move/action_post', { ids: [id] })
  await ask('account.move/button_draft', { ids: [id] })
  await assert.rejects(ask('account.move/unlink', { ids: [id] }), /keeps its audit trail/)
  await ask('account.move/unlink', { ids: [never] })
  await ask('res.company/write', { ids: [company_id], vals: { restrictive_audit_trail: false } })
  await ask('account.move/unlink', { ids: [id] })
})
