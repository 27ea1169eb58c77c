// Loading a chart: accounts, tax groups, fiscal positions, taxes and journals of one company, and what the
// company takes from them.
import {
  type Command,
  type DataSet,
  type DataSetOf,
  type DataVals,
  type Environment,
  loadData,
  type ModelName,
  ref,
} from '#models'
import { id, sql } from '../../../sql/index.ts'
import { type Chart, chartOf } from './charts.ts'

/**
 * Begins a company's books, once: a company that has a chart keeps it. Throws Error for a chart that is not
 * there.
 */
export async function loadChart(env: Environment, code: string, companyId: number): Promise<void> {
  const chart = chartOf(code)
  if (!chart) throw new Error(`Unknown chart of accounts ${code}.`)
  const companyEnv = env.sudo().withCompany(companyId)
  const company = companyEnv.model('res.company').browse([companyId])
  const { chart_template, account_fiscal_country_id } = await company.one([
    'chart_template',
    'account_fiscal_country_id',
  ])
  if (chart_template) return
  const country = account_fiscal_country_id?.id ?? (await companyEnv.ref(chart.country))
  await company.write({ account_fiscal_country_id: country, chart_template: code })
  const name = (id: string) => `${companyId}_${id}`
  await loadData(companyEnv, 'account', accounts(chart, companyId, name))
  // A journal takes accounts from the company: those first.
  await company.write(
    await settings(companyEnv, chart, name, (value) => chart.accounts.some(({ id }) => id === value)),
  )
  for (const set of sets(chart, companyId, country, name)) await loadData(companyEnv, 'account', set)
  await company.write(await settings(companyEnv, chart, name, () => true))
  await taxProducts(companyEnv, companyId)
  for (const [model_name, fields] of Object.entries(chart.properties))
    for (const [field_name, account] of Object.entries(fields))
      await companyEnv.model('ir.default').set({
        model_name,
        field_name,
        value: await companyEnv.ref(`account.${name(account)}`),
        user_id: false,
        company_id: companyId,
        condition: false,
      })
}

/**
 * Products from before the chart begin with the company's default taxes, as later ones do; those that have
 * taxes of the company keep them.
 */
async function taxProducts(env: Environment, companyId: number): Promise<void> {
  const company = await env
    .model('res.company')
    .browse([companyId])
    .one(['account_sale_tax_id', 'account_purchase_tax_id'])
  const all = [
    { field: 'taxes_id', table: 'product_taxes_rel', tax: company.account_sale_tax_id },
    { field: 'supplier_taxes_id', table: 'product_supplier_taxes_rel', tax: company.account_purchase_tax_id },
  ]
  for (const { field, table, tax } of all) {
    if (!tax) continue
    const rows = await env.rows(
      sql`SELECT p.id FROM product_template p WHERE (p.company_id IS NULL OR p.company_id = ${companyId}::int)
      AND NOT EXISTS (SELECT FROM ${id(table)} r JOIN account_tax t ON t.id = r.tax_id WHERE r.prod_id = p.id AND t.company_id = ${companyId}::int)`,
      { reads: ['product.template', 'account.tax'], row: ['int'] },
    )
    const products = env.model('product.template').browse(rows.map((row) => row[0]))
    if (products.length) await products.write({ [field]: [[4, tax.id]] })
  }
}

type Name = (id: string) => string

const rowsOf = <N extends ModelName, R extends { readonly id: string }>(
  model: N,
  rows: readonly R[],
  name: Name,
  values: (row: R) => DataVals<N>,
): DataSetOf<N> => ({
  model,
  noupdate: true,
  records: Object.fromEntries(rows.map((row) => [name(row.id), values(row)])),
})

function accounts(chart: Chart, companyId: number, name: Name): DataSet {
  return rowsOf(
    'account.account',
    chart.accounts,
    name,
    ({ type, id: _, ...row }): DataVals<'account.account'> => ({
      ...row,
      account_type: type,
      company_ids: [[6, 0, [companyId]]],
    }),
  )
}

/** In the order of loading: each refers to those before it. */
function sets(chart: Chart, company_id: number, country_id: number, name: Name): DataSet[] {
  const all = (ids: readonly string[] = []): Command[] => [[6, 0, ids.map((id) => ref(name(id)))]]
  const parts = (account: string): Command[] => [
    [0, 0, { repartition_type: 'base' }],
    [0, 0, { repartition_type: 'tax', account_id: ref(name(account)) }],
  ]
  return [
    rowsOf('account.tax.group', chart.groups, name, ({ id: _, ...row }) => ({
      ...row,
      company_id,
      country_id,
    })),
    rowsOf('account.fiscal.position', chart.positions, name, ({ id: _, domestic, ...row }) => ({
      ...row,
      company_id,
      auto_apply: true,
      ...(domestic ? { country_id } : {}),
    })),
    rowsOf('account.tax', chart.taxes, name, (tax) => ({
      name: tax.name,
      type_tax_use: tax.use,
      amount: tax.amount,
      company_id,
      country_id,
      tax_group_id: ref(name(tax.group)),
      invoice_repartition_line_ids: parts(tax.account),
      refund_repartition_line_ids: parts(tax.account),
      fiscal_position_ids: all(tax.positions),
      original_tax_ids: all(tax.replaces),
    })),
    rowsOf('account.journal', chart.journals, name, ({ id: _, account, hidden, ...row }) => ({
      ...row,
      company_id,
      show_on_dashboard: !hidden,
      ...(account ? { default_account_id: ref(name(account)) } : {}),
    })),
  ]
}

/** Values of the company's fields; those that name a record of the chart become its id. */
async function settings(
  env: Environment,
  chart: Chart,
  name: Name,
  wanted: (value: string) => boolean,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(chart.company)) {
    if (typeof value !== 'string' || !field.endsWith('_id')) values[field] = value
    else if (wanted(value)) values[field] = await env.ref(`account.${name(value)}`)
  }
  return values
}
