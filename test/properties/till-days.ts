// Days at a till, played over the wire: the same orders may be invoiced at once, later, or after closing, and
// goods may come back on the same day or on the next one.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { addDecimals } from '../../src/kit/rounding.ts'
import { idList, sql } from '../../src/sql/index.ts'
import type { Row, Till } from '../support/till.ts'
import { type Figures, figuresOf, type Goods, inFives, type Priced, type Sale } from './till-orders.ts'

/** The moments at which things are done to an order; 1 and 2 are days. */
export interface Course {
  readonly invoiced: 'with' | 'after' | 'late' | 'closed' | 'closed late' | 'end'
  readonly backOn: 1 | 2
  readonly creditNoted: 'with' | 'after' | 'end'
}

export const anyCourse: fc.Arbitrary<Course> = fc.record({
  invoiced: fc.constantFrom('with', 'after', 'late', 'closed', 'closed late', 'end'),
  backOn: fc.constantFrom(1, 2),
  creditNoted: fc.constantFrom('with', 'after', 'end'),
})

export interface Setup {
  readonly rounded: 'no' | 'all' | 'cash'
  readonly byProduct: boolean
  readonly foreign: boolean
  readonly method: 'round_per_line' | 'round_globally'
}
export const anySetup: fc.Arbitrary<Setup> = fc.record({
  rounded: fc.constantFrom('no', 'no', 'all', 'cash'),
  byProduct: fc.boolean(),
  foreign: fc.boolean(),
  method: fc.constantFrom('round_per_line', 'round_globally'),
})

interface Methods {
  readonly cash: number
  readonly card: number
  readonly account: number
  /** A card that tells customers apart. */
  readonly named: number
}

interface Placed {
  readonly sale: Sale
  readonly course: Course
  readonly figures: Figures
  readonly back: { readonly lines: readonly Priced[]; readonly figures: Figures } | null
  /** Lines of the sales order that it settles. */
  readonly settled: readonly number[]
}

const take = (uuid: string, payment_method_id: number, amount: number) => [
  0,
  0,
  { uuid, payment_method_id, amount },
]

/** Parts of what was sold that come back: half the goods of each line, or all. */
const backLines = ({ lines, back }: Sale): Priced[] =>
  lines.flatMap((line, i) =>
    back === 'some' && i % 2 === 1
      ? []
      : [{ ...line, qty: back === 'some' ? -Math.max(1, Math.floor(line.qty / 2)) : -line.qty }],
  )

const lineVals = (goods: Goods, lines: readonly (Priced & { product: number })[], figures: Figures) =>
  lines.map((line, i) => ({
    uuid: randomUUID(),
    product_id: goods.products[line.product],
    full_product_name: `Sold ${line.product}`,
    qty: line.qty,
    price_unit: line.price,
    discount: line.discount,
    tax_ids: [[6, 0, line.taxes.map((at) => goods.taxes[at])]],
    price_subtotal: figures.lines[i]?.untaxed,
    price_subtotal_incl: figures.lines[i]?.total,
  }))

const orderVals = (session_id: number, partner_id: number | undefined, total: number, figures: Figures) => ({
  uuid: randomUUID(),
  session_id,
  state: 'paid',
  partner_id,
  amount_total: total,
  amount_tax: figures.tax,
  amount_paid: total,
  amount_return: 0,
})

/** A till with sessions of its own, on which days are played. */
export async function openDays(till: Till, goods: Goods, { rounded, byProduct, foreign, method }: Setup) {
  await till.run(async (env) =>
    env.model('res.company').browse([env.companyId]).write({ tax_calculation_rounding_method: method }),
  )
  const money = foreign ? { currency_id: goods.foreign } : {}
  const journalOf = (type: string) => till.make('account.journal', { name: type, type, ...money })
  const [journal, bank] = [await journalOf('cash'), await journalOf('bank')]
  const pricelist = foreign ? await till.make('product.pricelist', { name: 'Abroad', ...money }) : null
  const abroad = foreign
    ? {
        journal_id: await journalOf('general'),
        invoice_journal_id: await journalOf('sale'),
        use_pricelist: true,
        available_pricelist_ids: [[6, 0, [pricelist]]],
        pricelist_id: pricelist,
      }
    : {}
  const [cash, card, named, account] = await till.ask<[number, number, number, number]>(
    'pos.payment.method/create',
    {
      vals_list: [
        { name: 'Cash', journal_id: journal },
        { name: 'Card', journal_id: bank, outstanding_account_id: goods.waiting },
        {
          name: 'Named card',
          journal_id: bank,
          outstanding_account_id: goods.waiting,
          split_transactions: true,
        },
        { name: 'Account', split_transactions: true },
      ],
    },
  )
  const config = await till.make('pos.config', {
    name: 'Days',
    payment_method_ids: [[6, 0, [cash, card, named, account]]],
    is_closing_entry_by_product: byProduct,
    ship_later: true,
    ...abroad,
    ...(rounded === 'no'
      ? {}
      : {
          cash_rounding: true,
          only_round_cash_method: rounded === 'cash',
          rounding_method: goods.coins,
        }),
  })
  const open = async (): Promise<number> => {
    const session = await till.make('pos.session', { config_id: config })
    await till.ask('pos.session/set_opening_control', { ids: [session], cashbox_value: 0, notes: '' })
    return session
  }
  return { config, methods: { cash, card, named, account } satisfies Methods, open }
}
export type Days = Awaited<ReturnType<typeof openDays>>

/** Closes with what is expected in the drawer. */
export async function close(till: Till, session: number): Promise<void> {
  const { default_cash_details: drawer } = await till.ask<{ default_cash_details: { amount: number } }>(
    'pos.session/get_closing_control_data',
    { ids: [session] },
  )
  await till.ask('pos.session/post_closing_cash_details', { ids: [session], counted_cash: drawer.amount })
  const closed = await till.ask<Row>('pos.session/close_session_from_ui', { ids: [session] })
  assert.deepEqual(closed, { successful: true })
}

/** Orders with what tills say of them; each settles a sales order where that is wanted. */
export async function place(
  till: Till,
  goods: Goods,
  sales: readonly Sale[],
  courses: readonly Course[],
  settling: boolean,
): Promise<Placed[]> {
  const backs = sales.map((sale) => (sale.back === 'nothing' ? [] : backLines(sale)))
  const figures = await figuresOf(till, goods, [...sales.map(({ lines }) => lines), ...backs])
  const settled = settling ? await quotations(till, goods, sales) : []
  return sales.map((sale, i) => ({
    sale,
    course: courses[i] as Course,
    figures: figures[i] as Figures,
    back: backs[i]?.length
      ? { lines: backs[i] as Priced[], figures: figures[sales.length + i] as Figures }
      : null,
    settled: settled[i] ?? [],
  }))
}

async function quotations(till: Till, goods: Goods, sales: readonly Sale[]): Promise<number[][]> {
  const orders = await till.ask<number[]>('sale.order/create', {
    vals_list: sales.map(({ lines, customer }) => ({
      partner_id: goods.customers[customer],
      order_line: lines.map((line) => [
        0,
        0,
        {
          product_id: goods.products[line.product],
          product_uom_qty: line.qty,
          price_unit: line.price,
          discount: line.discount,
          tax_ids: [[6, 0, line.taxes.map((at) => goods.taxes[at])]],
        },
      ]),
    })),
  })
  const rows = await till.ask<{ order_line: number[] }[]>('sale.order/read', {
    ids: orders,
    fields: ['order_line'],
  })
  return rows.map(({ order_line }) => order_line)
}

const NOTE = 10

/** Payments of an order, and the change that comes back. */
function paidWith({ payment, change, lines }: Sale, total: number, methods: Methods) {
  if (total === 0) return { payment_ids: [] }
  if (payment === 'cash' && change) {
    const noted = Math.ceil(total / NOTE) * NOTE
    return {
      payment_ids: [take(randomUUID(), methods.cash, noted)],
      amount_paid: noted,
      amount_return: addDecimals(total, -noted),
    }
  }
  if (payment !== 'both') return { payment_ids: [take(randomUUID(), methods[payment], total)] }
  const part = Math.round(total * 20 * (0.2 + 0.1 * lines.length)) / 20
  const rest = addDecimals(total, -part)
  return {
    payment_ids: [
      ...(part === 0 ? [] : [take(randomUUID(), methods.card, part)]),
      ...(rest === 0 ? [] : [take(randomUUID(), methods.cash, rest)]),
    ],
  }
}

/** Plays two days of orders, and what is done after them. */
export async function play(till: Till, goods: Goods, days: Days, setup: Setup, placed: readonly Placed[]) {
  const inCoins = (total: number, byCash: boolean) =>
    setup.rounded === 'all' || (setup.rounded === 'cash' && byCash) ? inFives(total) : total
  const sync = async (orders: readonly Row[]): Promise<Map<string, Row>> => {
    if (orders.length === 0) return new Map()
    const { status, body } = await till.sync(orders, 'admin')
    assert.equal(status, 200, JSON.stringify(body))
    const rows = (body as { 'pos.order': Row[] })['pos.order']
    return new Map(rows.map((row) => [row.uuid as string, row]))
  }
  const invoice = async (ids: readonly number[]) => {
    if (ids.length) await till.ask('pos.order/action_pos_order_invoice', { ids })
  }
  const first = await days.open()
  const sold = placed.map(({ sale, figures, course, settled }) => {
    const byCash = sale.payment === 'cash' || sale.payment === 'both'
    const total = inCoins(figures.total, byCash)
    const lines = lineVals(goods, sale.lines, figures)
    return {
      ...orderVals(first, goods.customers[sale.customer], total, figures),
      to_invoice: sale.invoiced && course.invoiced === 'with',
      lines: lines.map((line, i) => [
        0,
        0,
        { ...line, ...(settled[i] ? { sale_order_line_id: settled[i] } : {}) },
      ]),
      ...(sale.later ? { shipping_date: '2030-01-01' } : {}),
      ...paidWith(sale, total, days.methods),
    }
  })
  const rows = await sync(sold)
  const ids = sold.map(({ uuid }) => rows.get(uuid)?.id as number)
  const linesOf = new Map(
    (await till.ask<{ id: number; lines: number[] }[]>('pos.order/read', { ids, fields: ['lines'] })).map(
      (row) => [row.id, row.lines],
    ),
  )
  const at = (moment: Course['invoiced']) =>
    invoice(ids.filter((_, i) => placed[i]?.sale.invoiced && placed[i]?.course.invoiced === moment))
  const backs: { readonly id: number; readonly of: Placed }[] = []
  const takeBack = async (session: number, day: 1 | 2) => {
    const coming = placed.flatMap((order, i) => {
      const { back, course, sale } = order
      if (!back || course.backOn !== day) return []
      const lineIds = linesOf.get(ids[i] as number) ?? []
      const kept = sale.lines.flatMap((_, n) => (sale.back === 'some' && n % 2 === 1 ? [] : [n]))
      const total = inCoins(back.figures.total, sale.backBy === 'cash')
      const lines = lineVals(
        goods,
        back.lines.map((line, n) => ({ ...line, product: sale.lines[kept[n] as number]?.product as number })),
        back.figures,
      )
      const returned = {
        ...orderVals(session, goods.customers[sale.customer], total, back.figures),
        to_invoice: sale.creditNoted && course.creditNoted === 'with',
        lines: lines.map((line, n) => [0, 0, { ...line, refunded_orderline_id: lineIds[kept[n] as number] }]),
        payment_ids: total === 0 ? [] : [take(randomUUID(), days.methods[sale.backBy], total)],
      }
      return [{ returned, of: order }]
    })
    const answered = await sync(coming.map(({ returned }) => returned))
    for (const { returned, of } of coming) backs.push({ id: answered.get(returned.uuid)?.id as number, of })
  }
  const noteAt = (moment: Course['creditNoted'], day?: 1 | 2) =>
    invoice(
      backs
        .filter(
          ({ of: { sale, course } }) =>
            sale.creditNoted && course.creditNoted === moment && (day === undefined || course.backOn === day),
        )
        .map(({ id }) => id),
    )
  await at('after')
  await takeBack(first, 1)
  await noteAt('after', 1)
  await at('late')
  await close(till, first)
  const second = await days.open()
  await at('closed')
  await takeBack(second, 2)
  await noteAt('after', 2)
  await at('closed late')
  await close(till, second)
  await at('end')
  await noteAt('end')
  return { sessions: [first, second], ids: [...ids, ...backs.map(({ id }) => id)] }
}

/** Flaws of closed days, none if they are right: amounts left over, and sessions that are not closed. */
export async function flaws(
  till: Till,
  sessions: readonly number[],
  { rounded }: Setup,
): Promise<readonly unknown[]> {
  const rows = await till.ask<Row[]>('pos.session/read', {
    ids: sessions,
    fields: ['state', 'move_id', 'cash_register_difference', 'cash_register_balance_end_real'],
    load: null,
  })
  const items = await till.run((env) =>
    env.query(sql`SELECT m.name, l.name, l.balance, l.amount_residual, l.amount_residual_currency FROM account_move_line l
      JOIN account_move m ON m.id = l.move_id JOIN account_account a ON a.id = l.account_id
      WHERE l.parent_state = 'posted' AND (a.account_type = 'asset_receivable' AND l.partner_id IS NULL
          AND (l.amount_residual <> 0 OR l.amount_residual_currency <> 0)
        OR l.name LIKE 'Difference%' OR (${rounded === 'no'} AND l.name = 'Rounding' AND m.id = ANY(${idList(rows.flatMap(({ move_id }) => (typeof move_id === 'number' ? [move_id] : [])))})))`),
  )
  return [...rows.filter((row) => row.state !== 'closed' || row.cash_register_difference !== 0), ...items]
}

/** Posted amounts in cents, by account, contact for receivables, taxes and currency. */
export async function books(till: Till): Promise<Map<string, number>> {
  const rows = await till.run((env) =>
    env.query(sql`SELECT CASE WHEN a.account_type <> 'asset_cash' THEN a.code || ' ' ELSE '' END || a.account_type || ' partner ' || COALESCE(CASE WHEN a.account_type = 'asset_receivable' THEN l.partner_id END, 0)
        || ' tax ' || COALESCE(l.tax_line_id, 0) || ' on ' || COALESCE((SELECT string_agg(t.account_tax_id::text, '+' ORDER BY t.account_tax_id)
          FROM account_move_line_account_tax_rel t WHERE t.account_move_line_id = l.id), 'none') || ' in ' || l.currency_id, round(sum(l.amount_currency) * 100)::int
      FROM account_move_line l JOIN account_account a ON a.id = l.account_id WHERE l.parent_state = 'posted' GROUP BY 1`),
  )
  return new Map(rows.map((row) => [row[0] as string, Number(row[1])]))
}

/** Amounts that the books gained between two readings, without zeros. */
export const added = (before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>) =>
  Object.fromEntries(
    [...now]
      .map(([key, cents]) => [key, cents - (before.get(key) ?? 0)] as const)
      .filter(([, cents]) => cents !== 0)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  )
