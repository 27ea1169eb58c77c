// Books over a real database: charts of several companies, journals and accounts, payment terms, contacts,
// and who may do what.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Environment } from '#models'
import { type Accounting, openAccounting, type Person } from '../../../test/support/accounting.ts'
import { statementsOf } from '../../../test/support/statements.ts'
import { ValidationError } from '../../errors.ts'

let database: Accounting
before(async () => {
  database = await openAccounting()
})
after(() => database?.close())

type Call = Accounting['call']
const call: Call = (...args) => database.call(...args)

const taxes = (env: Environment) => env.model('account.tax')
const only = <T>(list: readonly T[]): T => list[0] as T
const parts = (...shares: readonly number[]) => [
  [0, 0, { repartition_type: 'base' }] as const,
  ...shares.map((factor_percent) => [0, 0, { repartition_type: 'tax', factor_percent }] as const),
]

test('codes by company are read as rows, and written as the code and the companies of an account', async () => {
  const [second] = (await call('admin', 'res.company/create', { vals_list: [{ name: 'With a code' }] }))
    .body as [number]
  const context = { allowed_company_ids: [1, second] }
  const on = (method: string, body: object) =>
    call('admin', `account.account/${method}`, { ...body, context })
  const mapping = (...commands: unknown[]) => ({ code_mapping_ids: commands })
  const vals = {
    name: 'In both',
    account_type: 'income',
    ...mapping([0, 0, { company_id: second, code: '477001' }]),
  }
  const created = await on('create', { vals_list: [vals] })
  assert.equal(created.status, 200, JSON.stringify(created.body))
  const ids = created.body as number[]
  const rows = async () =>
    (
      (
        await on('web_read', {
          ids,
          specification: { code: {}, code_mapping_ids: { fields: { company_id: {}, code: {} } } },
        })
      ).body as [{ code: string; code_mapping_ids: { id: number; company_id: number; code: string }[] }]
    )[0]
  const {
    code,
    code_mapping_ids: [first, other],
  } = await rows()
  assert.deepEqual(
    [code, first?.company_id, first?.code, other?.company_id, other?.code],
    ['477001', 1, '477001', second, '477001'],
  )
  const renamed = await on('write', {
    ids,
    vals: mapping([1, first?.id, { code: '477002' }], [4, other?.id]),
  })
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
  assert.deepEqual(
    (await rows()).code_mapping_ids.map((row) => row.code),
    ['477002', '477002'],
  )
  for (const refused of [
    mapping([1, first?.id, { code: '477003' }], [1, other?.id, { code: '477004' }]),
    { code: '477003', ...mapping([1, first?.id, { code: '477004' }]) },
    mapping([1, first?.id, { company_id: second }]),
    mapping([2, other?.id]),
    mapping([6, 0, []]),
    mapping([0, 0, { code: '477003', account_id: 1 }]),
    mapping('477003'),
    { company_ids: 7, ...mapping([0, 0, { company_id: second }]) },
  ])
    assert.equal((await on('write', { ids, vals: refused })).status, 422, JSON.stringify(refused))
  assert.equal(
    (await call('clerk', 'account.account/write', { ids, vals: mapping([1, first?.id, { code: '477005' }]) }))
      .status,
    403,
  )
  assert.equal((await rows()).code, '477002')
  const both = { company_ids: [1], ...mapping([0, 0, { company_id: second }]) }
  assert.equal((await on('write', { ids, vals: both })).status, 200)
  assert.equal((await rows()).code_mapping_ids.length, 2)
})

test('a second company begins its books with a chart of its own, once', async () => {
  const [second] = (await call('admin', 'res.company/create', { vals_list: [{ name: 'Second' }] }))
    .body as number[]
  const before = only(
    (
      await call('admin', 'product.template/create', {
        vals_list: [{ name: 'From before', taxes_id: [[5]] }],
      })
    ).body as number[],
  )
  const load = (person: Person, template_code = 'generic_coa', company = second) =>
    call(person, 'account.chart.template/try_loading', { template_code, company })
  assert.equal((await load('clerk')).status, 403)
  assert.equal((await load('boss')).status, 403)
  assert.equal((await load('admin', 'of nobody')).status, 422)
  assert.equal((await load('admin', 'generic_coa', 987_654)).status, 403)
  assert.equal((await load('admin')).status, 200)
  assert.equal((await load('admin')).status, 200)
  await database.run(async (env) => {
    const secondEnv = env.withCompany(second as number)
    const company = await env
      .model('res.company')
      .browse([second as number])
      .one(['account_sale_tax_id', 'income_account_id', 'account_fiscal_country_id.code'])
    assert.equal(company.account_sale_tax_id?.id, await env.ref(`account.${second}_sale_tax_template`))
    const old = await secondEnv
      .model('product.template')
      .browse([before])
      .one(['taxes_id', 'supplier_taxes_id.company_id'])
    assert.deepEqual(
      old.taxes_id.map((t) => t.id),
      [company.account_sale_tax_id?.id],
    )
    assert.deepEqual(old.supplier_taxes_id.map((t) => t.company_id.id).sort(), [1, second])
    assert.equal(company.income_account_id?.id, await env.ref(`account.${second}_income`))
    assert.notEqual(await env.ref(`account.${second}_receivable`), await env.ref('account.1_receivable'))
    const products = await secondEnv
      .withContext({ allowed_company_ids: [second] })
      .model('product.template')
      .create([{ name: 'Sold there' }])
    assert.deepEqual(
      (await products.one(['taxes_id'])).taxes_id.map((t) => t.id),
      [company.account_sale_tax_id?.id],
    )
    const journals = await secondEnv.model('account.journal').search([['company_id', '=', second as number]])
    assert.equal(journals.length, 7)
  })
  const partner = only(
    (await call('admin', 'res.partner/create', { vals_list: [{ name: 'Owes both' }] })).body as number[],
  )
  const receivable = async (company: number) => {
    const body = {
      ids: [partner],
      fields: ['property_account_receivable_id'],
      load: null,
      context: { allowed_company_ids: [company] },
    }
    return only(
      (await call('admin', 'res.partner/read', body)).body as { property_account_receivable_id: number }[],
    ).property_account_receivable_id
  }
  const refs = await database.run(async (env) => [
    await env.ref('account.1_receivable'),
    await env.ref(`account.${second}_receivable`),
  ])
  assert.deepEqual([await receivable(1), await receivable(second as number)], refs)
  // Contacts without an account follow the company's default, and are found by it.
  const pos = await database.run((env) => env.ref('account.1_pos_receivable'))
  const name = { model_name: 'res.partner', field_name: 'property_account_receivable_id' }
  assert.equal((await call('admin', 'ir.default/set', { ...name, value: pos, company_id: 1 })).status, 200)
  assert.deepEqual([await receivable(1), await receivable(second as number)], [pos, refs[1]])
  const domain = [
    ['property_account_receivable_id', '=', pos],
    ['id', '=', partner],
  ]
  assert.deepEqual(
    (await call('admin', 'res.partner/search', { domain, context: { allowed_company_ids: [1] } })).body,
    [partner],
  )
  assert.equal(
    (await call('admin', 'ir.default/set', { ...name, value: refs[0], company_id: 1 })).status,
    200,
  )
})

test('a branch begins with what its company has', () =>
  database.run(async (env) => {
    const [branch, apart] = (
      await env
        .model('res.company')
        .create([
          { name: 'Branch', parent_id: 1, tax_calculation_rounding_method: 'round_per_line' },
          { name: 'Apart' },
        ])
    ).ids as [number, number]
    const companies = await env
      .model('res.company')
      .browse([1, branch, apart])
      .load(['account_sale_tax_id', 'chart_template', 'tax_calculation_rounding_method'])
    const [root, branchValues, other] = companies.map((c) => [
      c.account_sale_tax_id?.id,
      c.chart_template,
      c.tax_calculation_rounding_method,
    ])
    assert.deepEqual(branchValues, [root?.[0], 'generic_coa', 'round_per_line'])
    assert.deepEqual(other, [undefined, null, 'round_globally'])
    const kept = {
      model_name: 'res.partner',
      field_name: 'property_account_payable_id',
      user_id: false,
      condition: false,
    } as const
    const defaults = await Promise.all(
      [branch, apart].map((company_id) => env.model('ir.default').get({ ...kept, company_id })),
    )
    assert.deepEqual(defaults, [await env.ref('account.1_payable'), null])
  }))

test('a company that moves takes its domestic positions and taxes along', () =>
  database.run(async (env) => {
    const [company] = await env.model('res.company').create([{ name: 'Mover' }])
    const id = company?.ids[0] as number
    await env.model('account.chart.template').try_loading({ template_code: 'generic_coa', company: id })
    const be = await env.ref('base.be')
    await company?.write({ country_id: be } as never)
    const position = await env.ref(`account.${id}_template_generic_domestic_fiscal_position`)
    assert.equal(
      (await env.model('account.fiscal.position').browse([position]).one(['country_id'])).country_id?.id,
      be,
    )
    const tax = taxes(env).browse([await env.ref(`account.${id}_sale_tax_template`)])
    const { country_id, tax_group_id } = await tax.one(['country_id', 'tax_group_id.country_id'])
    assert.deepEqual([country_id?.id, tax_group_id.country_id?.id], [be, be])
  }))

test('a new bank has a code and an account of its own; codes of journals and accounts are not taken twice', async () => {
  await database.run(async (env) => {
    const createdJournals = await env.model('account.journal').create([
      { name: 'Second bank', type: 'bank' },
      { name: 'Third bank', type: 'bank' },
      { name: 'Odds', type: 'general' },
    ])
    const rows = await createdJournals.load([
      'code',
      'default_account_id.account_type',
      'default_account_id.name',
      'suspense_account_id',
    ])
    assert.deepEqual(
      rows.map((j) => [
        j.code,
        j.default_account_id?.name,
        j.default_account_id?.account_type,
        j.suspense_account_id !== null,
      ]),
      [
        ['BNK2', 'Second bank', 'asset_cash', true],
        ['BNK3', 'Third bank', 'asset_cash', true],
        ['MISC1', undefined, undefined, false],
      ],
    )
    const income = env.model('account.account').browse([await env.ref('account.1_income')])
    assert.deepEqual(
      (await (await income.copy()).load(['code', 'name'])).map((a) => [a.code, a.name]),
      [['400001', 'Product Sales (copy)']],
    )
    const accounts = env.model('account.account')
    const [first, second, third] = (
      await accounts.search([['company_ids', 'in', [env.companyId]]], { order: 'code', limit: 3 })
    ).ids
    const copied = async (ids: readonly number[]) => {
      let codes: readonly (string | null)[] = []
      const texts = await statementsOf(async () => {
        codes = (await (await accounts.browse(ids).copy()).load(['code'])).map((a) => a.code)
      })
      return { codes, statements: texts.length }
    }
    // Warm up: statements that the first call leaves for the next one belong to every call.
    await copied([first as number])
    const two = await copied([first as number, second as number])
    const three = await copied([first as number, second as number, third as number])
    assert.equal(new Set([...two.codes, ...three.codes]).size, 5)
    assert.equal(three.statements, two.statements, 'codes are found for all together')
  })
  for (const vals of [
    { code: '400000' },
    { code: 'no spaces' },
    { code: 'X9', account_type: 'asset_receivable' as const, reconcile: false },
  ]) {
    const values = { name: 'Again', account_type: 'income' as const, ...vals }
    await assert.rejects(
      database.run((env) => env.model('account.account').create([values])),
      ValidationError,
      JSON.stringify(vals),
    )
  }
})

test('codes of journals have room for numbers of two digits', async () => {
  await database.run(async (env) => {
    const journals = Array.from({ length: 12 }, (_, n) => ({ name: `Till ${n}`, type: 'general' as const }))
    const rows = await (await env.model('account.journal').create(journals)).load(['code'])
    const codes = rows.map(({ code }) => code)
    assert.equal(new Set(codes).size, 12)
    assert.equal(codes.includes('MIS10'), true)
  })
})

test('an account in use stays, whatever uses it', async () => {
  const used = await database.run(async (env) => {
    const createdAccounts = await env.model('account.account').create(
      ['a', 'b', 'c', 'd', 'e'].map((name) => ({
        name,
        code: `USED.${name}`,
        account_type: 'income' as const,
      })),
    )
    const [onProduct, onCategory, onTax, onJournal, free] = createdAccounts.ids as [
      number,
      number,
      number,
      number,
      number,
    ]
    await env.model('product.template').create([{ name: 'P', property_account_income_id: onProduct }])
    await env.model('product.category').create([{ name: 'C', property_account_income_categ_id: onCategory }])
    await taxes(env).create([
      { name: 'booked', invoice_repartition_line_ids: [...parts(), [0, 0, { account_id: onTax }]] },
    ])
    await env.model('account.journal').create([{ name: 'J', type: 'sale', default_account_id: onJournal }])
    await createdAccounts.browse([free]).unlink()
    return [
      onProduct,
      onCategory,
      onTax,
      onJournal,
      await env.ref('account.1_receivable'),
      await env.ref('account.1_income'),
    ]
  })
  for (const id of used) {
    const { status } = await call('boss', 'account.account/unlink', { ids: [id] })
    assert.equal(status, 422, `account ${id}`)
  }
})

test('terms share out the whole, and an early discount needs one line', async () => {
  const lines = (...shares: readonly number[]) =>
    shares.map((value_amount) => [0, 0, { value: 'percent', value_amount }] as const)
  await database.run(async (env) => {
    const terms = env.model('account.payment.term')
    const createdTerms = await terms.create([
      { name: 'at once' },
      { name: 'thirds', line_ids: lines(33.33, 33.33, 33.34) },
    ])
    assert.deepEqual(
      (await createdTerms.load(['line_ids.value_amount'])).map((t) => t.line_ids.map((l) => l.value_amount)),
      [[100], [33.33, 33.33, 33.34]],
    )
    const copy = await createdTerms.browse([createdTerms.ids[1] as number]).copy()
    assert.equal((await copy.one(['line_ids'])).line_ids.length, 3)
  })
  const wrong = [
    { line_ids: lines(50) },
    { line_ids: [[0, 0, { value: 'fixed' as const, value_amount: 10 }] as const] },
    { line_ids: lines(50, 50), early_discount: true },
    { early_discount: true, discount_percentage: 100 },
    { early_discount: true, discount_days: 0 },
    { discount_days: 2147483647 },
    { line_ids: [[0, 0, { value: 'percent' as const, value_amount: 100, nb_days: 2147483647 }] as const] },
  ]
  for (const vals of wrong) {
    const { status } = await call('boss', 'account.payment.term/create', {
      vals_list: [{ name: 'never', ...vals }],
    })
    assert.equal(status, 422, JSON.stringify(vals))
  }
})

test('a company shares its terms, position and accounts with its people', () =>
  database.run(async (env) => {
    const term = await env.ref('account.account_payment_term_21days')
    const company = await env
      .model('res.partner')
      .create([{ name: 'Firm', is_company: true, property_payment_term_id: term }])
    const person = await env.model('res.partner').create([{ name: 'Ann', parent_id: company.ensureOne() }])
    const paymentTermOf = async () =>
      (await person.one(['property_payment_term_id'])).property_payment_term_id?.id
    assert.equal(await paymentTermOf(), term)
    const other = await env.ref('account.account_payment_term_45days')
    await company.write({ property_payment_term_id: other })
    assert.equal(await paymentTermOf(), other)
    await env.model('account.payment.term').browse([other]).unlink()
    assert.equal(await paymentTermOf(), undefined)
  }))

test('who may do what: internal users look, billers see journals, administrators set up', async () => {
  const tax = { vals_list: [{ name: 'by whom', amount: 1 }] }
  const status = async (person: Person, path: string, body: object) => (await call(person, path, body)).status
  for (const model of [
    'account.tax',
    'account.account',
    'account.fiscal.position',
    'account.payment.term',
    'account.tax.group',
  ])
    assert.equal(
      await status('clerk', `${model}/search_read`, { domain: [], fields: ['display_name'] }),
      200,
      model,
    )
  assert.equal(await status('clerk', 'account.journal/search', { domain: [] }), 403)
  assert.equal(await status('biller', 'account.journal/search', { domain: [] }), 200)
  assert.equal(await status('clerk', 'account.tax/create', tax), 403)
  assert.equal(await status('biller', 'account.tax/create', tax), 403)
  assert.equal(await status('boss', 'account.tax/create', tax), 200)
})

test('accounting settings are written to the company', async () => {
  const body = { vals_list: [{ tax_calculation_rounding_method: 'round_per_line' }] }
  const form = only((await call('admin', 'res.config.settings/create', body)).body as number[])
  assert.equal((await call('admin', 'res.config.settings/execute', { ids: [form] })).status, 200)
  const read = async () =>
    (
      await database.run((env) =>
        env.model('res.company').browse([1]).one(['tax_calculation_rounding_method']),
      )
    ).tax_calculation_rounding_method
  assert.equal(await read(), 'round_per_line')
  await database.run((env) =>
    env.model('res.company').browse([1]).write({ tax_calculation_rounding_method: 'round_globally' }),
  )
})
