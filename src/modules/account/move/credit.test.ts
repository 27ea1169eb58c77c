// Numbers go on in the pattern that people type, a vendor's bill is posted once, credit limits warn,
// changes of posted entries are in the audit log, books from elsewhere that do not balance are refused,
// and the form of a new invoice shows its sums.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'
import { raw, sql } from '../../../sql/index.ts'
import { patternOf } from './number-pattern.ts'
import { protectBooks } from './protection.ts'

let ledger: Ledger
before(async () => {
  ledger = ledgerOf(await openAccounting())
})
after(() => ledger?.office.close())

const document = (partner_id: number, price_unit: number, more: object = {}) => ({
  move_type: 'out_invoice',
  partner_id,
  invoice_date: '2025-03-10',
  invoice_line_ids: [[0, 0, { name: 'Line', price_unit }]],
  ...more,
})
const invoice = (partner_id: number, price_unit: number) =>
  ledger.make('account.move', document(partner_id, price_unit))
const post = (ids: readonly number[]) => ledger.ask('account.move/action_post', { ids })
test('any pattern goes on: its counter keeps its digits, and begins again with the period it names', () => {
  const day = fc
    .date({ min: new Date('2020-01-01'), max: new Date('2034-12-31'), noInvalidDate: true })
    .map((one) => one.toISOString().slice(0, 10))
  const years = fc.constantFrom('Y', 'y', 'Y/M', 'YM', 'y-M', 'Y-E', 'y-e', '')
  const words = fc.constantFrom('INV/', 'F', 'shop ', '', 'RE-')
  fc.assert(
    fc.property(
      words,
      years,
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom('', '/A', ' x'),
      day,
      day,
      (...drawn) => {
        const [word, form, width, behind, first, then] = drawn
        const [year, month] = [Number(first.slice(0, 4)), first.slice(5, 7)]
        const parts: Record<string, string> = {
          Y: `${year}`,
          y: `${year}`.slice(2),
          M: month,
          E: `${year + 1}`,
        }
        const period = form.replace(/[YyMEe]/g, (field) => parts[field] ?? `${year + 1}`.slice(2))
        const typed = `${word}${period}${form && '/'}${'7'.padStart(width, '0')}${behind}`
        const pattern = patternOf(typed, first)
        if (!pattern) return assert.fail(typed)
        assert.ok(pattern.holds(first), typed)
        assert.deepEqual([pattern.number, pattern.at(first).name(7)], [7, typed])
        const next = pattern.at(then)
        const again = patternOf(next.name(12), then)
        assert.deepEqual(
          [again?.form, again?.number, again?.holds(then)],
          [next.form, 12, true],
          next.name(12),
        )
        // The same counter exactly where the number's period holds the day.
        assert.equal(next.form === pattern.form, pattern.holds(then), `${typed} ${then}`)
      },
    ),
    { numRuns: 100 },
  )
})

test('a number says for certain which period it is not of where it names a year of four digits', () => {
  const excludes = (name: string, day: string) => patternOf(name, day)?.excludes(day)
  assert.equal(excludes('INV/2026/00001', '2025-12-31'), true)
  assert.equal(excludes('BILL/2026/11/0001', '2026-10-31'), true)
  assert.equal(excludes('INV/2025-2026/0001', '2026-03-31'), false)
  assert.equal(excludes('S1/25/0001', '2026-01-01'), false)
  assert.equal(excludes('0001', '2026-01-01'), false)
})

test('what people type goes on in its journal and period, credit notes and other journals apart', async () => {
  const cases = [
    // Typed, its day, then days and the names that come.
    ['INV/24-25/0007', '2024-11-05', '2025-02-01 INV/24-25/0008', '2026-02-01 INV/26-27/0001'],
    ['F2024-001', '2024-12-30', '2024-02-01 F2024-002', '2025-01-01 F2025-001', '2024-12-31 F2024-003'],
    [
      '2024/11/0042',
      '2024-11-20',
      '2024-11-02 2024/11/0043',
      '2024-12-01 2024/12/0001',
      '2024-11-30 2024/11/0044',
    ],
    ['BILL-0099', '2024-11-20', '2025-01-01 BILL-0100', '2023-01-01 BILL-0101'],
    ['0042/2024', '2024-11-20', '2024-11-21 0043/2024', '2025-11-21 0001/2025'],
    ['no digits', '2024-11-20', '2024-11-21 PAT5/2024/00001'],
  ] as const
  const journals = await ledger.makeAll(
    'account.journal',
    cases.map((_, n) => ({ name: `Pattern ${n}`, code: `PAT${n}`, type: 'sale' })),
  )
  const customer = await ledger.make('res.partner', { name: 'Customer of numbers' })
  for (const [n, [typed, day, ...next]] of cases.entries()) {
    const journal_id = journals[n]
    const named = async (more: object) => {
      const id = await ledger.make('account.move', document(customer, 1, { journal_id, ...more }))
      await post([id])
      return (await ledger.read('account.move', id, ['name'])).name
    }
    await named({ name: typed, invoice_date: day })
    for (const expected of next)
      assert.equal(await named({ invoice_date: expected.slice(0, 10) }), expected.slice(11))
    if (n === 1) {
      const credited = (more: object) => named({ move_type: 'out_refund', invoice_date: day, ...more })
      assert.equal(await credited({}), 'RPAT1/2024/00001')
      await credited({ name: 'CN-24-9' })
      assert.deepEqual([await credited({}), await named({ invoice_date: day })], ['CN-24-10', 'F2024-004'])
    }
  }
})

test('where a shop wants it, a bill of a vendor is posted once a year, whichever way it comes', async () => {
  const [vendor, other] = await ledger.makeAll('res.partner', [{ name: 'Vendor' }, { name: 'Other' }])
  const bill = (more: object = {}) =>
    document(vendor as number, 1, { move_type: 'in_invoice', ref: 'R 17', ...more })
  const careless = { partner_id: other, ref: 'n/a' }
  await post(await ledger.makeAll('account.move', [bill(careless), bill(careless)]))
  const once = (value: string) =>
    ledger.ask('ir.config_parameter/set_param', { key: 'account.vendor_reference_once', value })
  await once('True')
  const [first, twin, ...others] = await ledger.makeAll('account.move', [
    bill(),
    bill({ ref: ' r 17', invoice_date: '2025-12-31' }),
    bill({ ref: 'R 18' }),
    bill({ partner_id: other }),
    bill({ invoice_date: '2024-12-31' }),
    bill({ move_type: 'in_refund' }),
    bill({ ref: false }),
    bill({ ref: false }),
  ])
  await post([first as number, ...others])
  const refused = async (method: string, args: object) => {
    const answer = await ledger.office.call('admin', `account.move/${method}`, args)
    const { name, message } = answer.body as Record<string, string>
    assert.deepEqual([answer.status, name], [422, 'odoo.exceptions.ValidationError'], method)
    assert.match(message ?? '', /posted already/)
  }
  await refused('action_post', { ids: [twin] })
  await refused('write', { ids: [others[0]], vals: { ref: 'R 17' } })
  // Credited in full, it may be entered again.
  const form = await ledger.ask<number[]>('account.move.reversal/create', {
    vals_list: [
      { journal_id: (await ledger.read('account.move', first as number, ['journal_id'])).journal_id },
    ],
    context: { active_model: 'account.move', active_ids: [first] },
  })
  await ledger.ask('account.move.reversal/reverse_moves', { ids: form, is_modify: true })
  await post([twin as number])
  await once('')
})

test('a bill names the other bills of its vendor with the same reference, as long as they count', async () => {
  const house = await ledger.make('res.partner', { name: 'Twice', is_company: true })
  const clerk = await ledger.make('res.partner', { name: 'Twice too', parent_id: house })
  const bill = { move_type: 'in_invoice', ref: 'R 9' }
  const [first, second, ...others] = await ledger.makeAll('account.move', [
    document(house, 5, bill),
    document(clerk, 7, bill),
    document(house, 5, { ...bill, move_type: 'in_refund' }),
    document(house, 5, { ...bill, ref: 'R 10' }),
    document(await ledger.make('res.partner', { name: 'Another' }), 5, bill),
    document(house, 5, { ...bill, ref: false }),
  ])
  const duplicates = async () => {
    const fields = ['duplicated_ref_ids']
    const rows = await ledger.ask<Row[]>('account.move/read', { ids: [first, second, ...others], fields })
    return rows.map((row) => row.duplicated_ref_ids)
  }
  await post([first as number])
  assert.deepEqual(await duplicates(), [[second], [first], [], [], [], []])
  await ledger.ask('account.move/button_cancel', { ids: [second] })
  assert.deepEqual(await duplicates(), [[], [], [], [], [], []])
})

test('a contact counts bills and refunds of its own and of everybody below it, in any state', async () => {
  const house = await ledger.make('res.partner', { name: 'Mill', is_company: true })
  const clerk = await ledger.make('res.partner', { name: 'Miller', parent_id: house })
  const bill = { move_type: 'in_invoice', ref: 'counted' }
  const [posted] = await ledger.makeAll('account.move', [
    document(house, 5, bill),
    document(clerk, 5, { ...bill, move_type: 'in_refund' }),
    document(house, 5),
  ])
  await post([posted as number])
  const counts = await ledger.ask('res.partner/read', {
    ids: [house, clerk],
    fields: ['supplier_invoice_count'],
  })
  assert.deepEqual(counts, [
    { id: house, supplier_invoice_count: 2 },
    { id: clerk, supplier_invoice_count: 1 },
  ])
})

const warning = async (id: number) =>
  (await ledger.read('account.move', id, ['partner_credit_warning'])).partner_credit_warning

test('a draft beyond the limit of the customer says so, once the company uses limits', async () => {
  const house = await ledger.make('res.partner', { name: 'House', is_company: true, credit_limit: 100 })
  const clerk = await ledger.make('res.partner', { name: 'Clerk', parent_id: house })
  const [first, second] = [await invoice(house, 80), await invoice(clerk, 30)]
  await ledger.ask('account.move/action_post', { ids: [first] })
  assert.equal(await warning(second), '')
  const [company] = await ledger.search('res.company', [], [])
  await ledger.ask('res.company/write', { ids: [company?.id], vals: { account_use_credit_limit: true } })
  assert.match(String(await warning(second)), /House has a credit limit of .*100\.00.* would owe .*110\.00/)
  assert.equal(await warning(first), '')
  await ledger.ask('account.move/write', {
    ids: [second],
    vals: { invoice_line_ids: [[5], [0, 0, { name: 'Less', price_unit: 20 }]] },
  })
  assert.equal(await warning(second), '')
})

test('who posted, changed and reset what is in the audit log', async () => {
  const id = await invoice(await ledger.make('res.partner', { name: 'Audited' }), 5)
  await ledger.ask('account.move/write', { ids: [id], vals: { ref: 'a draft: not told' } })
  await ledger.ask('account.move/action_post', { ids: [id] })
  await ledger.ask('account.move/write', { ids: [id], vals: { ref: 'changed' } })
  await ledger.ask('account.move/button_draft', { ids: [id] })
  const entries = await ledger.search(
    'comptoir.audit',
    [
      ['res_model', '=', 'account.move'],
      ['res_id', '=', id],
    ],
    ['event', 'login', 'detail'],
    'id',
  )
  assert.deepEqual(
    entries.map((entry) => [entry.event, entry.login]),
    [
      ['entry.post', 'admin'],
      ['record.write', 'admin'],
      ['entry.draft', 'admin'],
    ],
  )
  assert.deepEqual(entries[1]?.detail, { ref: ['a draft: not told', 'changed'] })
})

test('books from elsewhere with a posted entry that does not balance are refused, and the entry is named', async () => {
  const id = await invoice(await ledger.make('res.partner', { name: 'Elsewhere' }), 5)
  await ledger.ask('account.move/action_post', { ids: [id] })
  const name = String((await ledger.read('account.move', id, ['name'])).name)
  const refused = ledger.office.run(async (env) => {
    await env.query(raw('ALTER TABLE account_move_line DISABLE TRIGGER USER'))
    await env.query(
      sql`UPDATE account_move_line SET balance = balance + 1, debit = debit + 1 WHERE move_id = ${id}::int AND debit > 0`,
    )
    await protectBooks(env)
  })
  await assert.rejects(refused, (error: Error) => error.message.includes(`do not balance: ${name} (1`))
})

test('account.move: onchange returns the sums of an unsaved invoice', async () => {
  const partner = await ledger.make('res.partner', { name: 'Hears sums' })
  const response = await ledger.ask('account.move/onchange', {
    values: document(partner, 12.5),
    field_names: ['invoice_line_ids'],
    fields_spec: {
      amount_total: {},
      amount_residual: {},
      invoice_line_ids: { fields: { price_subtotal: {} } },
    },
  })
  assert.deepEqual(response, {
    value: {
      amount_total: 12.5,
      amount_residual: 12.5,
      invoice_line_ids: [[1, 0, { price_subtotal: 12.5 }]],
    },
  })
})
