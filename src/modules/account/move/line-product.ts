// Values that an invoice line takes from its product: text, unit, account, taxes, price; in sets, read
// as superuser.

import { computedFields, type Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { costsOf, pricedPaths, pricesOf } from '../../product/index.ts'
import { mapAccounts, mapTaxes } from '../fiscal-positions.ts'
import { priceUnderTaxes } from '../tax-engine/index.ts'
import { loadTaxes } from '../taxes.ts'
import { accountsOf, billAccountsOf } from '../variant.ts'
import { type Header, headersOf } from './headers.ts'
import { isInvoice, isPurchase, isSale } from './kinds.ts'
import { line } from './line.contract.ts'
import { usualAccounts } from './usual-accounts.ts'

type Link = { readonly id: number }
const editable = { editable: true } as const

interface Line {
  readonly id: number
  readonly display_type: string
  readonly product_id: Link | null
  readonly move_id: Link
}

/** Lines of invoices in groups that share header values, each group with the environment of its company. */
async function groups<L extends Line>(
  lines: readonly L[],
  env: Environment,
  key: (header: Header) => unknown,
) {
  const headers = await headersOf(env, lines)
  const concerned = lines.filter(
    (line) =>
      line.display_type === 'product' && isInvoice(headers.get(line.move_id.id)?.move_type ?? 'entry'),
  )
  const of = (line: L) => present(headers.get(line.move_id.id))
  const grouped = Map.groupBy(
    concerned,
    (record) => `${of(record).company}/${isSale(of(record).move_type)}/${key(of(record))}`,
  )
  return [...grouped.values()].map((group) => {
    const header = of(present(group[0]))
    return {
      header,
      headerOf: of,
      lines: group,
      companyEnv: env.sudo().withCompany(header.company),
      products: productsOf(group),
    }
  })
}

const productsOf = (lines: readonly Line[]) => [
  ...new Set(lines.flatMap((line) => line.product_id?.id ?? [])),
]

/** The product's name and what is said on documents of its side, in the language of the partner. */
/** Paths from a product, as those of a line. */
const ofProduct = (paths: readonly string[]): string[] => paths.map((path) => `product_id.${path}`)

const namePaths = [
  'display_name',
  'product_tmpl_id.description_sale',
  'product_tmpl_id.description_purchase',
] as const

export const lineName = computedFields(
  line,
  ['name'],
  ['product_id', 'display_type', 'move_id'],
  async (lines, env) => {
    const values = new Map<number, { name?: string }>()
    for (const { header, lines: group, companyEnv, products } of await groups(
      lines,
      env,
      ({ lang }) => lang,
    )) {
      const spoken = header.lang && env.unit.rights.languages.has(header.lang) ? header.lang : undefined
      const coded = 'display_default_code' in env.context ? { display_default_code: true } : {}
      const rows = await companyEnv
        .withContext({ lang: spoken, ...coded })
        .model('product.product')
        .browse(products)
        .load(namePaths)
      const texts = new Map(
        rows.map(({ id, display_name, product_tmpl_id: about }) => {
          const description = isSale(header.move_type) ? about.description_sale : about.description_purchase
          return [id, description ? `${display_name}\n${description}` : display_name]
        }),
      )
      for (const member of group)
        if (member.product_id) values.set(member.id, { name: texts.get(member.product_id.id) ?? '' })
    }
    return values
  },
  { ...editable, asks: ofProduct(namePaths) },
)

export const lineUnit = computedFields(
  line,
  ['product_uom_id'],
  ['product_id'],
  async (lines, env) => {
    const ids = [...new Set(lines.flatMap((line) => line.product_id?.id ?? []))]
    const rows = await env.sudo().model('product.product').browse(ids).load(['product_tmpl_id.uom_id'])
    const units = new Map(rows.map((row) => [row.id, row.product_tmpl_id.uom_id]))
    return new Map(
      lines.map((line) => [
        line.id,
        { product_uom_id: line.product_id ? (units.get(line.product_id.id) ?? null) : null },
      ]),
    )
  },
  { ...editable, asks: ofProduct(['product_tmpl_id.uom_id']) },
)

/**
 * Accounts of products by their own, their category's, the company's; then as the fiscal position has them;
 * lines without a product are on what the partner's documents are usually booked on, else the journal's.
 */
export const lineAccount = computedFields(
  line,
  ['account_id'],
  ['product_id', 'display_type', 'move_id'],
  async (lines, env) => {
    const values = new Map<number, { account_id?: number | null }>()
    const all = await groups(lines, env, (h) => `${h.position}/${h.journalAccount}`)
    const usual = await usualAccounts(
      env,
      all.flatMap((group) => group.lines.filter((line) => !line.product_id).map(group.headerOf)),
    )
    for (const { header, headerOf, lines: group, companyEnv, products } of all) {
      const accounts = await accountsOf(companyEnv, products, isSale(header.move_type) ? 'income' : 'expense')
      if (isPurchase(header.move_type))
        for (const [product, account] of await billAccountsOf(companyEnv, products))
          accounts.set(product, account)
      const mapped = await mapAccounts(companyEnv, header.position)
      for (const member of group) {
        const account = (member.product_id && accounts.get(member.product_id.id)) ?? header.journalAccount
        const usualAccount = member.product_id ? null : usual(headerOf(member))
        values.set(member.id, { account_id: usualAccount ?? (account === null ? null : mapped(account)) })
      }
    }
    return values
  },
  {
    ...editable,
    asks: ofProduct([
      'product_tmpl_id.property_account_income_id',
      'product_tmpl_id.categ_id.property_account_income_categ_id',
    ]),
  },
)

/**
 * Taxes of the products in the company, or of their account, as the fiscal position has them; lines without
 * either keep theirs.
 */
export const lineTaxes = computedFields(
  line,
  ['tax_ids'],
  ['product_id', 'account_id', 'display_type', 'move_id'],
  async (lines, env, fresh) => {
    const values = new Map<number, { tax_ids?: readonly number[] }>()
    for (const { header, lines: group, companyEnv, products } of await groups(
      lines,
      env,
      ({ position }) => position,
    )) {
      const ofProducts = await taxesOf(companyEnv, products, isPurchase(header.move_type))
      const ofAccounts = await taxesOfAccounts(
        companyEnv,
        group.flatMap((member) => member.account_id?.id ?? []),
        isPurchase(header.move_type),
      )
      const mapped = await mapTaxes(companyEnv, header.position)
      for (const member of group) {
        const ownTaxes =
          (member.product_id && ofProducts.get(member.product_id.id)) ??
          ofAccounts.get(member.account_id?.id ?? 0)
        if (ownTaxes || fresh || member.product_id) values.set(member.id, { tax_ids: mapped(ownTaxes ?? []) })
      }
    }
    return values
  },
  editable,
)

/** Taxes by product, of the current company and those above it. */
export async function taxesOf(
  companyEnv: Environment,
  products: readonly number[],
  purchase: boolean,
): Promise<Map<number, number[]>> {
  if (products.length === 0) return new Map()
  const table = purchase ? sql`product_supplier_taxes_rel` : sql`product_taxes_rel`
  const rows = await companyEnv.rows(
    sql`SELECT p.id, array_agg(t.id ORDER BY t.sequence, t.id) FROM product_product p
    JOIN ${table} r ON r.prod_id = p.product_tmpl_id JOIN account_tax t ON t.id = r.tax_id AND t.active
    JOIN res_company c ON c.id = (SELECT ${companyEnv.companyId}::int) AND t.company_id = ANY(string_to_array(rtrim(c.parent_path, '/'), '/')::int[])
    WHERE p.id = ANY(${idList([...products])}) GROUP BY p.id`,
    {
      reads: ['product.product', 'account.tax', 'res.company'],
      row: ['int', 'ints'],
      kept: ['product.template'],
    },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

async function taxesOfAccounts(
  companyEnv: Environment,
  accounts: readonly number[],
  purchase: boolean,
): Promise<Map<number, number[]>> {
  if (accounts.length === 0) return new Map()
  const use = purchase ? 'purchase' : 'sale'
  const rows = await companyEnv.rows(
    sql`SELECT r.account_id, array_agg(t.id ORDER BY t.sequence, t.id) FROM account_account_tax_default_rel r
    JOIN account_tax t ON t.id = r.tax_id AND t.active AND t.type_tax_use = ${use}
    JOIN res_company c ON c.id = (SELECT ${companyEnv.companyId}::int) AND t.company_id = ANY(string_to_array(rtrim(c.parent_path, '/'), '/')::int[])
    WHERE r.account_id = ANY(${idList([...new Set(accounts)])}) GROUP BY 1`,
    { reads: ['account.tax', 'res.company'], row: ['int', 'ints'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

/**
 * The list price, or the cost of what is bought, per unit of the line in the currency of the document; typed
 * where there is no product.
 */
export const linePrice = computedFields(
  line,
  ['price_unit'],
  ['product_id', 'product_uom_id', 'display_type', 'move_id'],
  async (lines, env, fresh) => {
    const values = new Map<number, { price_unit?: number }>(
      fresh ? lines.map((line) => [line.id, { price_unit: 0 }]) : [],
    )
    const all = await groups(lines, env, (h) =>
      [h.currency, h.currency === h.companyCurrency ? '' : h.day, h.position].join(),
    )
    for (const { header, lines: group, companyEnv, products } of all) {
      const sold = group.filter((member) => member.product_id)
      const prices = isSale(header.move_type)
        ? await listPrices(companyEnv, sold, header)
        : await costs(companyEnv, sold, header)
      const taxes = await taxesOf(companyEnv, products, isPurchase(header.move_type))
      const mapped = await mapTaxes(companyEnv, header.position)
      const taxesOfIds = await loadTaxes(
        companyEnv,
        [...taxes.values()].flatMap((ids) => [...ids, ...mapped(ids)]),
      )
      for (const [i, line] of sold.entries()) {
        const before = taxes.get(present(line.product_id).id) ?? []
        const price = prices[i] ?? 0
        values.set(line.id, {
          price_unit: header.position
            ? priceUnderTaxes(price, taxesOfIds(before), taxesOfIds(mapped(before)))
            : price,
        })
      }
    }
    return values
  },
  { ...editable, asks: ofProduct(pricedPaths) },
)

type Sold = Line & { readonly product_uom_id: Link | null }

async function listPrices(
  companyEnv: Environment,
  lines: readonly Sold[],
  header: Header,
): Promise<number[]> {
  const asks = lines.map((line) => ({
    product: present(line.product_id).id,
    quantity: 1,
    unit: line.product_uom_id?.id ?? null,
  }))
  const options = {
    pricelist: null,
    date: `${header.day} 00:00:00`,
    ...(header.currency ? { currency: header.currency } : {}),
  }
  return (await pricesOf(companyEnv, asks, options)).map(({ price }) => price)
}

async function costs(companyEnv: Environment, lines: readonly Sold[], header: Header): Promise<number[]> {
  const asks = lines.map((line) => ({
    product: present(line.product_id).id,
    unit: line.product_uom_id?.id ?? null,
  }))
  return (await costsOf(companyEnv, asks)).map((cost) => cost * header.rate)
}
