// Storno accounting: what is taken back has negative amounts on the sides of what it takes back. Balances,
// totals and open amounts are those of companies without it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { anyDocument, faultsOf, type Masters, mastersOf } from '../../../../test/books/laws.ts'
import { openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'
import { sides } from './sides.ts'

let ledger: Ledger
let masters: Masters
before(async () => {
  ledger = ledgerOf(await openAccounting())
  masters = await mastersOf(ledger.office)
})
after(() => ledger?.office.close())
beforeEach(() => useStorno(true))

const useStorno = (account_storno: boolean) =>
  ledger.office.run((env) => env.model('res.company').browse([env.companyId]).write({ account_storno }))

const fields = ['account_id', 'display_type', 'debit', 'credit', 'balance', 'amount_currency', 'is_storno']
const itemsOf = (move: unknown, more: readonly string[] = []) =>
  ledger.search('account.move.line', [['move_id', '=', move]], [...fields, ...more], 'id')
const sidesOf = async (move: unknown) =>
  (await itemsOf(move)).map(({ debit, credit, is_storno }) => [debit, credit, is_storno])
const post = (ids: readonly unknown[]) => ledger.ask('account.move/action_post', { ids })
const sum = (items: readonly Row[], name: string) =>
  items.reduce((all, item) => all + (item[name] as number), 0).toFixed(2)

async function reverse(ids: readonly number[]): Promise<number[]> {
  const form = await ledger.make('account.move.reversal', { move_ids: [[6, 0, ids]], date: '2025-03-31' })
  await ledger.ask('account.move.reversal/refund_moves', { ids: [form] })
  const reversals = await ledger.search('account.move', [['reversed_entry_id', 'in', ids]], ['id'])
  return reversals.map(({ id }) => id as number)
}

const accounts = async () => {
  const [first, second] = await ledger.ask<number[]>('account.account/search', {
    domain: [['account_type', '=', 'expense']],
    limit: 2,
  })
  return [first as number, second as number] as const
}

async function entry(amounts: readonly object[], more: object = {}): Promise<number> {
  const both = await accounts()
  const line_ids = amounts.map((amount, i) => [0, 0, { name: 'Item', account_id: both[i % 2], ...amount }])
  return ledger.make('account.move', { move_type: 'entry', date: '2025-03-01', line_ids, ...more })
}

test('sides: debit less credit is the balance, and storno turns both the side and the sign', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.boolean(), (cents, isStorno) => {
      const { debit, credit } = sides(cents, isStorno)
      assert.equal(debit - credit, cents)
      assert.ok(debit === 0 || credit === 0)
      assert.ok(isStorno ? debit <= 0 && credit <= 0 : debit >= 0 && credit >= 0)
      assert.ok(!Object.is(debit, -0) && !Object.is(credit, -0))
    }),
  )
})

test('storno: random documents have the balances that they have without it, and only refunds are negative', async () => {
  const documents = fc.sample(anyDocument(masters), { numRuns: process.env.CI ? 25 : 60, seed: 56 })
  await useStorno(false)
  const plain = await ledger.makeAll('account.move', documents)
  await useStorno(true)
  const marked = await ledger.makeAll('account.move', documents)
  const balances = (items: readonly Row[]) =>
    items.map((item) => [item.account_id, item.display_type, item.balance, item.amount_currency])
  for (const [i, { move_type }] of documents.entries()) {
    const [without, items] = [await itemsOf(plain[i]), await itemsOf(marked[i])]
    assert.deepEqual(balances(items), balances(without))
    assert.equal(sum(items, 'debit'), sum(items, 'credit'))
    const isBack = move_type.endsWith('_refund')
    for (const { debit, credit, balance, is_storno, display_type } of items) {
      if (typeof display_type === 'string' && display_type.startsWith('line_')) continue
      assert.deepEqual(
        { debit, credit, is_storno },
        { ...sides(balance as number, isBack), is_storno: isBack },
      )
    }
    assert.ok(without.every((item) => !item.is_storno && !((item.debit as number) < 0)))
    const { is_storno } = await ledger.read('account.move', marked[i] as number, ['is_storno'])
    assert.equal(is_storno, isBack)
  }
  const owed = [
    ['id', 'in', marked],
    ['amount_total', '>=', 0],
  ]
  const posted = (await ledger.search('account.move', owed, ['id'])).map(({ id }) => id as number)
  await post(posted)
  assert.deepEqual(await faultsOf(ledger.office), [])
  const marks = await ledger.search(
    'account.move',
    [
      ['id', 'in', marked],
      ['is_storno', '=', true],
    ],
    ['id'],
  )
  assert.equal(marks.length, documents.filter(({ move_type }) => move_type.endsWith('_refund')).length)
})

test('storno: a credit note mirrors its document line by line, on the same sides, and settles it', async () => {
  const documents = fc.sample(anyDocument(masters), { numRuns: process.env.CI ? 15 : 40, seed: 57 })
  const all = await ledger.makeAll(
    'account.move',
    // Instalments and roundings to coins are for the document alone.
    documents.map((vals) => ({ ...vals, invoice_payment_term_id: false, invoice_cash_rounding_id: false })),
  )
  const owed = [
    ['id', 'in', all],
    ['amount_total', '>', 0],
    ['currency_id.name', '=', 'USD'],
  ]
  const ids = (await ledger.search('account.move', owed, ['id'])).map(({ id }) => id as number)
  await post(ids)
  const reversals = await reverse(ids)
  await post(reversals)
  const rows = await ledger.search('account.move', [['id', 'in', reversals]], ['reversed_entry_id'])
  const amounts = (items: readonly Row[], sign: 1 | -1) =>
    items
      .map((item) => {
        const signed = [item.debit, item.credit].map((amount) => sign * (amount as number) + 0)
        return `${item.account_id} ${item.display_type} ${signed.join(' ')}`
      })
      .sort()
  assert.ok(rows.length > 5)
  for (const { id, reversed_entry_id } of rows)
    assert.deepEqual(amounts(await itemsOf(id), -1), amounts(await itemsOf(reversed_entry_id), 1))
  const open = await ledger.search(
    'account.move',
    [
      ['id', 'in', ids],
      ['payment_state', 'not in', ['reversed', 'paid']],
    ],
    ['id'],
  )
  assert.deepEqual(open, [])
  assert.deepEqual(await faultsOf(ledger.office), [])
})

test('storno: the reversal of an entry is negative on its sides; the reversal of that is positive again', async () => {
  const first = await entry([{ debit: 100 }, { credit: 100 }])
  await post([first])
  const [second] = await reverse([first])
  assert.deepEqual(await sidesOf(second), [
    [-100, 0, true],
    [0, -100, true],
  ])
  const [third] = await reverse([second as number])
  assert.deepEqual(await sidesOf(third), await sidesOf(first))
  const { is_storno, amount_total } = await ledger.read('account.move', second as number, [
    'is_storno',
    'amount_total',
  ])
  assert.deepEqual([is_storno, amount_total], [true, 100])
})

test('storno: amounts that somebody enters keep their sides; without it a negative debit is a credit', async () => {
  const typed = await entry([{ debit: -70 }, { credit: -70 }])
  const negative = [
    [-70, 0, true],
    [0, -70, true],
  ]
  assert.deepEqual(await sidesOf(typed), negative)
  const [first, second] = (await itemsOf(typed)).map(({ id }) => id)
  const write = (...amounts: readonly object[]) =>
    ledger.ask('account.move/write', {
      ids: [typed],
      vals: { line_ids: amounts.map((vals, i) => [1, [first, second][i], vals]) },
    })
  await write({ balance: -30 }, { balance: 30 })
  assert.deepEqual(await sidesOf(typed), [
    [-30, 0, true],
    [0, -30, true],
  ])
  await write({ debit: 0, credit: 30 }, { debit: 30, credit: 0 })
  assert.deepEqual(await sidesOf(typed), [
    [0, 30, false],
    [30, 0, false],
  ])
  await write({ is_storno: true }, { is_storno: true })
  assert.deepEqual(await sidesOf(typed), [
    [-30, 0, true],
    [0, -30, true],
  ])
  const [copy] = await ledger.ask<number[]>('account.move/copy', { ids: [typed] })
  assert.deepEqual(await sidesOf(copy), await sidesOf(typed))
  await useStorno(false)
  const [plain] = await ledger.ask<number[]>('account.move/copy', { ids: [typed] })
  for (const id of [plain, await entry([{ debit: -30 }, { credit: -30, is_storno: true }])])
    assert.deepEqual(await sidesOf(id), [
      [0, 30, false],
      [30, 0, false],
    ])
})

test('storno: the switch changes nothing that is posted, and drafts follow when they change', async () => {
  await useStorno(false)
  const [partner_id] = masters.partners
  const refund = await ledger.make('account.move', {
    move_type: 'out_refund',
    partner_id,
    invoice_date: '2025-02-01',
    invoice_line_ids: [[0, 0, { name: 'Line', price_unit: 50, tax_ids: [[5]] }]],
  })
  await post([refund])
  const before = await sidesOf(refund)
  await useStorno(true)
  assert.deepEqual(await sidesOf(refund), before)
  await ledger.ask('account.move/button_draft', { ids: [refund] })
  const [line] = await itemsOf(refund)
  await ledger.ask('account.move.line/write', { ids: [line?.id], vals: { price_unit: 60 } })
  assert.deepEqual(await sidesOf(refund), [
    [0, -60, true],
    [-60, 0, true],
  ])
  const draft = await ledger.make('account.move', {
    move_type: 'out_refund',
    partner_id,
    invoice_line_ids: [[0, 0, { name: 'Line', price_unit: 50, tax_ids: [[5]] }]],
  })
  await ledger.ask('account.move/action_switch_move_type', { ids: [draft] })
  assert.deepEqual(await sidesOf(draft), [
    [0, 50, false],
    [50, 0, false],
  ])
})

test('storno: a difference of rates that is taken back is negative on its sides', async () => {
  const currency_id = masters.currencies[2]
  const [partner_id] = masters.partners
  const vals = {
    partner_id,
    currency_id,
    invoice_line_ids: [[0, 0, { name: 'Line', price_unit: 100, tax_ids: [[5]] }]],
  }
  const [invoice, note] = await ledger.makeAll('account.move', [
    { ...vals, move_type: 'out_invoice', invoice_date: '2025-01-31' },
    { ...vals, move_type: 'out_refund', invoice_date: '2025-05-31' },
  ])
  await post([invoice, note])
  const due = await ledger.search(
    'account.move.line',
    [
      ['move_id', 'in', [invoice, note]],
      ['display_type', '=', 'payment_term'],
    ],
    ['id'],
  )
  await ledger.ask('account.move.line/reconcile', { ids: due.map(({ id }) => id) })
  const last = async () =>
    (await ledger.search('account.move', [['move_type', '=', 'entry']], ['id'], 'id desc'))[0]?.id
  const exchange = await last()
  const booked = await sidesOf(exchange)
  assert.ok(
    booked.every(([debit, credit, mark]) => (debit as number) >= 0 && (credit as number) >= 0 && !mark),
  )
  await ledger.ask('account.move.line/remove_move_reconcile', { ids: due.map(({ id }) => id) })
  const reversal = await last()
  assert.notEqual(reversal, exchange)
  assert.deepEqual(
    await sidesOf(reversal),
    booked.map(([debit, credit]) => [-(debit as number) + 0, -(credit as number) + 0, true]),
  )
})
