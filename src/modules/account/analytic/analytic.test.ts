// Analytic accounting: lines made by posting, models that propose distributions, plans that ask for them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Accounting, openAccounting } from '../../../../test/support/accounting.ts'
import { type Ledger, ledgerOf, type Row } from '../../../../test/support/ledger.ts'

let office: Accounting
let { ask, make, read, search } = {} as Ledger
let plan: number
let heron: number
let gull: number
let client: number
let income: number
before(async () => {
  office = await openAccounting()
  ;({ ask, make, read, search } = ledgerOf(office))
  plan = await make('account.analytic.plan', { name: 'Vessels' })
  heron = await make('account.analytic.account', { name: 'Heron', code: 'H1', plan_id: plan })
  gull = await make('account.analytic.account', { name: 'Gull', plan_id: plan })
  client = await make('res.partner', { name: 'Owner' })
  income = await make('account.account', { name: 'Tows', code: 'AN400', account_type: 'income' })
})
after(() => office?.close())

const invoice = (line: object) =>
  make('account.move', {
    move_type: 'out_invoice',
    partner_id: client,
    invoice_date: '2025-03-10',
    invoice_line_ids: [[0, 0, { name: 'Tow', price_unit: 100, account_id: income, tax_ids: [], ...line }]],
  })
const linesOf = (move: number) =>
  search('account.analytic.line', [['move_line_id.move_id', '=', move]], ['account_id', 'amount'], 'id')
const productLine = async (move: number, fields: readonly string[]): Promise<Row> =>
  (
    await search(
      'account.move.line',
      [
        ['move_id', '=', move],
        ['display_type', '=', 'product'],
      ],
      fields,
    )
  )[0] as Row

test('analytic lines: those of a posted item follow its distribution, and stay', async () => {
  const product_id = await make('product.product', { name: 'Rope', standard_price: 7 })
  const move = await invoice({ product_id, analytic_distribution: { [heron]: 100 } })
  await ask('account.move/action_post', { ids: [move] })
  const item = await productLine(move, ['analytic_line_ids'])
  const [line] = item.analytic_line_ids as [number]
  const lineVals = { name: 'x', account_id: gull, amount: 50 }
  for (const [path, body] of [
    ['account.analytic.line/write', { ids: [line], vals: { amount: 999 } }],
    ['account.analytic.line/write', { ids: [line], vals: { account_id: gull } }],
    ['account.analytic.line/create', { vals_list: [{ ...lineVals, move_line_id: item.id }] }],
    ['account.analytic.line/create', { vals_list: [lineVals], context: { default_move_line_id: item.id } }],
    ['account.analytic.line/unlink', { ids: [line] }],
    ['account.move.line/write', { ids: [item.id], vals: { analytic_line_ids: [[0, 0, lineVals]] } }],
    ['account.move.line/write', { ids: [item.id], vals: { analytic_line_ids: [[2, line]] } }],
  ] as const)
    assert.equal((await office.call('admin', path, body)).status, 422, `${path} ${JSON.stringify(body)}`)
  await ask('account.analytic.line/write', { ids: [line], vals: { name: 'Tow of May' } })
  await ask('account.analytic.line/on_change_unit_amount', { ids: [line] })
  const typed = await make('account.analytic.line', lineVals)
  await ask('account.analytic.line/write', { ids: [typed], vals: { amount: 60 } })
  await ask('account.analytic.line/unlink', { ids: [typed] })
  assert.deepEqual(
    (await linesOf(move)).map(({ account_id, amount }) => [account_id, amount]),
    [[heron, 100]],
  )
})

test('analytic lines: posting makes them to the cent, a new distribution replaces them, a draft has none', async () => {
  const third = { [heron]: 33.33, [gull]: 66.67 }
  const move = await invoice({ price_unit: 0.05, analytic_distribution: third })
  assert.deepEqual(await linesOf(move), [])
  await ask('account.move/action_post', { ids: [move] })
  assert.deepEqual(
    (await linesOf(move)).map(({ account_id, amount }) => [account_id, amount]),
    [
      [heron, 0.02],
      [gull, 0.03],
    ],
  )
  const item = await productLine(move, ['analytic_line_ids', 'distribution_analytic_account_ids'])
  assert.equal((item.analytic_line_ids as number[]).length, 2)
  assert.deepEqual(item.distribution_analytic_account_ids, [heron, gull])
  await ask('account.move.line/write', { ids: [item.id], vals: { analytic_distribution: { [gull]: 100 } } })
  assert.deepEqual(
    (await linesOf(move)).map(({ account_id, amount }) => [account_id, amount]),
    [[gull, 0.05]],
  )
  const account = await read('account.analytic.account', gull, ['balance', 'credit', 'invoice_count'])
  assert.deepEqual([account.balance, account.credit, account.invoice_count], [0.05, 0.05, 1])
  await ask('account.move/button_draft', { ids: [move] })
  assert.deepEqual(await linesOf(move), [])
})

test('distributions: what is not an object of percentages by account is refused, and so are accounts that are gone', async () => {
  const tooMuch = [{ 9999999999: 100 }, { [heron]: 1e300 }]
  for (const wrong of ['all', [heron], { heron: 100 }, { [heron]: '100' }, { '1,,2': 100 }, ...tooMuch]) {
    const answer = await office.call('admin', 'account.move.line/create', {
      vals_list: [{ move_id: await invoice({}), name: 'x', analytic_distribution: wrong }],
    })
    assert.equal(answer.status, 422, JSON.stringify(wrong))
    assert.match(JSON.stringify(answer.body), /analytic distribution is an object/)
  }
  const move = await invoice({ analytic_distribution: { 999999: 100 } })
  await assert.rejects(ask('account.move/action_post', { ids: [move] }), /analytic account 999999.*choose/)
})

test('distribution models: lines begin with what fits them, and keep what they were given', async () => {
  const model = await make('account.analytic.distribution.model', {
    partner_id: client,
    account_prefix: 'AN4, AN5',
    analytic_distribution: { [gull]: 100 },
  })
  const distributionOf = async (move: number) =>
    (await productLine(move, ['analytic_distribution'])).analytic_distribution
  assert.deepEqual(await distributionOf(await invoice({})), { [gull]: 100 })
  const journal_id = await make('account.journal', { name: 'Notes', code: 'ANN', type: 'general' })
  const shared = { account_id: income, partner_id: client }
  const entry = await make('account.move', {
    journal_id,
    line_ids: [
      [0, 0, { ...shared, debit: 5 }],
      [0, 0, { ...shared, credit: 5 }],
    ],
  })
  assert.equal(await distributionOf(entry), false)
  const heronOnly = { [heron]: 100 }
  assert.deepEqual(await distributionOf(await invoice({ analytic_distribution: heronOnly })), heronOnly)
  await ask('account.analytic.distribution.model/write', {
    ids: [model],
    vals: { account_prefix: 'AN5' },
  })
  assert.equal(await distributionOf(await invoice({})), false)
  await ask('account.analytic.distribution.model/unlink', { ids: [model] })
  assert.equal((await read('res.company', 1, ['has_distribution_models'])).has_distribution_models, false)
})

test('mandatory plans: lines without their 100 percent are reported, and posting refuses them on request', async () => {
  await make('account.analytic.applicability', {
    analytic_plan_id: plan,
    business_domain: 'invoice',
    applicability: 'mandatory',
    account_prefix: 'AN4',
  })
  const half = await invoice({ analytic_distribution: { [heron]: 50 } })
  assert.equal((await productLine(half, ['has_invalid_analytics'])).has_invalid_analytics, true)
  const context = { validate_analytic: true }
  await assert.rejects(ask('account.move/action_post', { ids: [half], context }), /mandatory analytic plan/)
  const whole = await invoice({ analytic_distribution: { [heron]: 50, [gull]: 50 } })
  await ask('account.move/action_post', { ids: [whole], context })
  await ask('account.move/action_post', { ids: [half] })
})

test('plans: paths name them, accounts are counted with those below, and their roots follow', async () => {
  const below = await make('account.analytic.plan', { name: 'Tugs', parent_id: plan })
  const tug = await make('account.analytic.account', { name: 'Auk', code: 'A', plan_id: below })
  assert.equal(
    (await read('account.analytic.plan', below, ['complete_name'])).complete_name,
    'Vessels / Tugs',
  )
  const top = await read('account.analytic.plan', plan, ['account_count', 'all_account_count', 'root_id'])
  assert.deepEqual([top.account_count, top.all_account_count, top.root_id], [2, 3, plan])
  const account = await read('account.analytic.account', tug, ['root_plan_id', 'display_name'])
  assert.deepEqual([account.root_plan_id, account.display_name], [plan, '[A] Auk'])
})

test('analytic rights: those who invoice read plans and set none up', async () => {
  const set = (who: 'biller' | 'boss' | 'clerk', method: string, body: object) =>
    office.call(who, `account.analytic.plan/${method}`, body).then(({ status }) => status)
  const vals_list = [{ name: 'Rights' }]
  assert.deepEqual(
    await Promise.all([
      set('biller', 'search_count', { domain: [] }),
      set('biller', 'create', { vals_list }),
      set('clerk', 'search_count', { domain: [] }),
      set('boss', 'create', { vals_list }),
    ]),
    [200, 403, 403, 200],
  )
})

test('other companies: their analytic accounts are neither counted nor proposed', async () => {
  const other = await make('res.company', { name: 'Shipyard' })
  const [user] = await ask<number[]>('res.users/search', { domain: [['login', '=', 'admin']] })
  await ask('res.users/write', { ids: [user], vals: { company_ids: [[4, other]] } })
  const plan_id = await make('account.analytic.plan', { name: 'Docks' })
  const dock = await make('account.analytic.account', { name: 'Dock', plan_id, company_id: other })
  const model = { company_id: false, partner_id: client, analytic_distribution: { [dock]: 100 } }
  await make('account.analytic.distribution.model', model)
  const item = await productLine(await invoice({}), ['analytic_distribution'])
  assert.equal(item.analytic_distribution, false)
  const rate = (who: 'biller' | 'admin') =>
    office
      .call(who, 'account.move/get_currency_rate', {
        ids: [],
        company_id: other,
        to_currency_id: 1,
        date: '2025-03-10',
      })
      .then(({ status }) => status)
  assert.deepEqual([await rate('admin'), await rate('biller')], [200, 403])
  const { body } = await office.call('boss', 'account.analytic.plan/read', {
    ids: [plan_id],
    fields: ['account_count'],
  })
  assert.deepEqual(body, [{ id: plan_id, account_count: 0 }])
})
