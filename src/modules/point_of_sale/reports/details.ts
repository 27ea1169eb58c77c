// Details of sales (get_sale_details): products by category, taxes, payments, discounts; of sessions, or of a
// span of time.

import type { Environment } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { type SoldOrder, soldOrders } from '../closing/sales.ts'
import { type Share, sharesOf } from '../closing/shares.ts'
import { paymentRows } from './payments.ts'

export interface Range {
  readonly sessions: readonly number[]
  readonly configs: readonly number[]
  readonly from: string | null
  readonly to: string | null
}

/**
 * Paid orders that are asked for, under the caller's rules, the newest first. Throws InvalidValue where
 * nothing narrows them.
 */
async function ordersAsked(env: Environment, { sessions, configs, from, to }: Range): Promise<number[]> {
  if (sessions.length === 0 && from === null)
    throw new InvalidValue('Specify the sessions, or the date to start from.')
  const orders = await env
    .model('pos.order')
    .search([
      ['state', 'in', ['paid', 'done']],
      ...(sessions.length ? [['session_id', 'in', [...sessions]] as const] : []),
      ...(sessions.length === 0 && configs.length ? [['config_id', 'in', [...configs]] as const] : []),
      ...(sessions.length === 0 && from ? [['date_order', '>=', from] as const] : []),
      ...(sessions.length === 0 && to ? [['date_order', '<=', to] as const] : []),
    ])
  return [...orders.ids]
}

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => addDecimals(total, amount), 0)

interface ProductFacts {
  readonly name: string
  readonly code: string | false
  readonly barcode: string | false
  readonly unit: string
  readonly category: string
}

async function productFacts(
  env: Environment,
  products: readonly number[],
): Promise<Map<number, ProductFacts>> {
  const rows = await env.rows(
    sql`SELECT p.id, COALESCE(t.name->>${env.lang}, t.name->>'en_US'), p.default_code, p.barcode,
      COALESCE(u.name->>${env.lang}, u.name->>'en_US'),
      (SELECT COALESCE(c.name->>${env.lang}, c.name->>'en_US') FROM pos_category_product_template_rel r JOIN pos_category c ON c.id = r.pos_category_id
        WHERE r.product_template_id = t.id ORDER BY c.sequence, c.id LIMIT 1)
    FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id JOIN uom_uom u ON u.id = t.uom_id
    WHERE p.id = ANY(${idList([...products])})`,
    {
      reads: ['pos.category', 'product.product', 'product.template', 'uom.uom'],
      row: ['int', 'text', 'text?', 'text?', 'text', 'text?'],
    },
  )
  return new Map(
    rows.map((row) => {
      const [id, name, code, barcode, unit, category] = row
      return [
        id,
        {
          name,
          code: code ?? false,
          barcode: barcode ?? false,
          unit,
          category: category ?? 'Not Categorized',
        },
      ]
    }),
  )
}

/** Sales by category and product, at each price and discount. */
function categoriesOf(
  shares: readonly Share[],
  facts: ReadonlyMap<number, ProductFacts>,
  lang: string,
): object[] {
  const category = ({ line }: Share) => facts.get(line.product)?.category ?? 'Not Categorized'
  return [...Map.groupBy(shares, category)]
    .toSorted(([a], [b]) => a.localeCompare(b, lang.replace('_', '-')))
    .map(([name, group]) => {
      const rows = [
        ...Map.groupBy(group, ({ line }) => `${line.product}/${line.price}/${line.discount}`).values(),
      ].map((same) => {
        const { line } = present(same[0])
        const product = facts.get(line.product)
        const amount = sum(same.map((row) => -row.amount))
        return {
          product_id: line.product,
          product_name: product?.name ?? line.name,
          code: product?.code ?? false,
          barcode: product?.barcode ?? false,
          quantity: Math.abs(sum(same.map((row) => row.line.qty))),
          price_unit: line.price,
          discount: line.discount,
          uom: product?.unit ?? '',
          total_paid: amount,
          base_amount: amount,
        }
      })
      const products = rows.toSorted((a, b) => a.product_name.localeCompare(b.product_name))
      return {
        name,
        products,
        qty: sum(rows.map(({ quantity }) => quantity)),
        total: sum(rows.map((row) => row.base_amount)),
      }
    })
}

async function taxesOf(
  env: Environment,
  shares: readonly Share[],
): Promise<{ rows: object[]; info: object }> {
  const taxed = shares.filter(({ kind }) => kind === 'tax')
  const ids = [...new Set(taxed.flatMap(({ tax }) => tax ?? []))]
  const names = await env.rows(
    sql`SELECT id, COALESCE(name->>${env.lang}, name->>'en_US') FROM account_tax WHERE id = ANY(${idList(ids)})`,
    { reads: ['account.tax'], row: ['int', 'text'] },
  )
  const nameOf = new Map(names.map((row) => [row[0], row[1]]))
  const rows = [...Map.groupBy(taxed, ({ tax }) => tax)].map(([tax, group]) => {
    // A tax of several parts counts its base once.
    const bases = new Map(group.map((member) => [member.line.id, member.base]))
    return {
      name: nameOf.get(tax ?? 0),
      tax_amount: sum(group.map((member) => -member.amount)),
      base_amount: sum([...bases.values()]),
    }
  })
  const lines = new Set(taxed.map(({ line }) => line.id))
  const base = sum(
    shares.filter(({ kind, line }) => kind === 'sale' && lines.has(line.id)).map((share) => -share.amount),
  )
  return { rows, info: { tax_amount: sum(rows.map((row) => row.tax_amount)), base_amount: base } }
}

async function part(env: Environment, shares: readonly Share[], facts: ReadonlyMap<number, ProductFacts>) {
  const sales = shares.filter(({ kind }) => kind === 'sale')
  const { rows, info } = await taxesOf(env, shares)
  const total = {
    total: sum(sales.map((sale) => -sale.amount)),
    qty: Math.abs(sum(sales.map(({ line }) => line.qty))),
  }
  return { products: categoriesOf(sales, facts, env.lang), total, taxes: rows, taxesInfo: info }
}

interface Frame {
  readonly currency: {
    readonly symbol: string
    readonly position: string | null
    readonly rounding: number
    readonly decimal_places: number
  }
  readonly method: 'round_per_line' | 'round_globally'
}

async function frameOf(env: Environment, request: Range): Promise<Frame> {
  const su = env.sudo()
  const { currency_id: currency, tax_calculation_rounding_method: method } = await su
    .model('res.company')
    .browse([env.companyId])
    .one([
      'currency_id.symbol',
      'currency_id.position',
      'currency_id.rounding',
      'currency_id.decimal_places',
      'tax_calculation_rounding_method',
    ])
  const [first] = request.sessions
  const sessionRow = first
    ? (
        await su
          .model('pos.session')
          .browse([first])
          .load([
            'currency_id.symbol',
            'currency_id.position',
            'currency_id.rounding',
            'currency_id.decimal_places',
          ])
      )[0]
    : undefined
  return { currency: sessionRow?.currency_id ?? currency, method }
}

/** Sales of the requested orders. Throws AccessError for users who may not see orders. */
export async function saleDetails(env: Environment, request: Range): Promise<Record<string, unknown>> {
  const ids = await ordersAsked(env, request)
  const su = env.sudo()
  const { currency, method } = await frameOf(env, request)
  const place = new Map(ids.map((id, i) => [id, i]))
  const orders = (await soldOrders(su, { orders: ids })).toSorted(
    (a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0),
  )
  const shares = await sharesOf(su, orders, { rounding: currency.rounding, method })
  const facts = await productFacts(env, [...new Set(shares.map(({ line }) => line.product))])
  const sold = await part(
    env,
    shares.filter(({ isRefund }) => !isRefund),
    facts,
  )
  const back = await part(
    env,
    shares.filter(({ isRefund }) => isRefund),
    facts,
  )
  const total = sum(orders.map((order) => order.total))
  const sessions = await sessionsOf(env, request, ids)
  return {
    date_start: sessions.start ?? request.from ?? false,
    date_stop: sessions.stop ?? request.to ?? false,
    session_name: sessions.name ?? false,
    config_names: sessions.configs,
    opening_note: sessions.opening ?? '',
    closing_note: sessions.closing ?? '',
    state: sessions.state ?? '',
    currency: {
      symbol: currency.symbol,
      position: currency.position === 'after',
      total_paid: total,
      precision: currency.decimal_places,
    },
    nbr_orders: orders.length,
    total_paid: total,
    products: sold.products,
    products_info: sold.total,
    taxes: sold.taxes,
    taxes_info: sold.taxesInfo,
    refund_products: back.products,
    refund_info: back.total,
    refund_taxes: back.taxes,
    refund_taxes_info: back.taxesInfo,
    ...discountsOf(orders, await discounts(env, ids)),
    payments: await paymentRows(env, request.sessions, ids),
  }
}

/** Total of the discounts of orders, taxes included. */
async function discounts(env: Environment, orders: readonly number[]): Promise<number> {
  const sessions = await env.rows(
    sql`SELECT DISTINCT session_id FROM pos_order WHERE id = ANY(${idList([...orders])})`,
    { reads: ['pos.order'], row: ['int'] },
  )
  const ids = sessions.map((row) => row[0])
  return ids.length ? env.model('pos.session').browse(ids).get_total_discount() : 0
}

const discountsOf = (orders: readonly SoldOrder[], discount_amount: number) => ({
  discount_number: orders.filter((order) => order.lines.some((line) => line.discount > 0)).length,
  discount_amount,
})

interface Named {
  readonly name: string | null
  readonly start: string | null
  readonly stop: string | null
  readonly opening: string | null
  readonly closing: string | null
  readonly state: string | null
  readonly configs: readonly string[]
}

async function sessionsOf(env: Environment, { sessions }: Range, orders: readonly number[]): Promise<Named> {
  const sessionIds = sessions.length
    ? sessions
    : (
        await env.rows(
          sql`SELECT DISTINCT session_id FROM pos_order WHERE id = ANY(${idList([...orders])})`,
          { reads: ['pos.order'], row: ['int'] },
        )
      ).map((row) => row[0])
  const rows = await env
    .model('pos.session')
    .browse(sessionIds)
    .load(['name', 'start_at', 'stop_at', 'opening_notes', 'closing_notes', 'state', 'config_id.name'])
  const [only] = rows.length === 1 ? rows : []
  return {
    name: only?.name ?? null,
    start: only?.start_at ?? null,
    stop: only?.stop_at ?? null,
    opening: only?.opening_notes ?? null,
    closing: only?.closing_notes ?? null,
    state: only?.state ?? null,
    configs: [...new Set(rows.map((row) => row.config_id.name))],
  }
}
