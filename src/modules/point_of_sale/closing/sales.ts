// Reads the sales and payments of a session in a number of statements that does not grow with its
// orders.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'

export interface SoldLine {
  readonly id: number
  readonly product: number
  readonly name: string
  readonly qty: number
  readonly price: number
  readonly discount: number
  readonly taxes: readonly number[]
}

export interface SoldOrder {
  readonly id: number
  readonly name: string
  readonly total: number
  readonly position: number | null
  readonly invoiced: boolean
  readonly partner: number | null
  readonly lines: readonly SoldLine[]
}

export interface Taken {
  readonly id: number
  readonly order: number
  readonly method: number
  readonly amount: number
  readonly isChange: boolean
  readonly invoiced: boolean
  /** The commercial company of the customer. */
  readonly partner: number | null
  readonly entry: number | null
}

/** Paid orders, of a session or by id; `state` of those that count. */
export async function soldOrders(
  env: Environment,
  { session, orders }: { session?: number; orders?: readonly number[] },
): Promise<SoldOrder[]> {
  const which =
    session === undefined
      ? sql`o.id = ANY(${idList([...(orders ?? [])])})`
      : sql`o.session_id = ${session}::int`
  const rows = await env.rows(
    sql`SELECT o.id, o.name, COALESCE(o.amount_total, 0)::float8, o.fiscal_position_id, o.account_move IS NOT NULL,
      COALESCE(p.commercial_partner_id, p.id), CASE WHEN ${session === undefined} OR o.account_move IS NULL THEN (
        SELECT COALESCE(jsonb_agg(jsonb_build_array(l.id, l.product_id, l.full_product_name, l.qty, l.price_unit, l.discount,
          (SELECT COALESCE(jsonb_agg(t.account_tax_id ORDER BY t.account_tax_id), '[]') FROM account_tax_pos_order_line_rel t
            WHERE t.pos_order_line_id = l.id)) ORDER BY l.id), '[]')
        FROM pos_order_line l WHERE l.order_id = o.id) ELSE '[]' END
    FROM pos_order o LEFT JOIN res_partner p ON p.id = o.partner_id
    WHERE ${which} AND o.state IN ('paid', 'done') ORDER BY o.id`,
    {
      reads: ['pos.order.line', 'pos.order', 'res.partner'],
      row: ['int', 'text', 'float', 'int?', 'bool', 'int?', 'text'],
    },
  )
  type Line = readonly [number, number, string | null, number, number, number, readonly number[]]
  return rows.map((row) => {
    const [id, name, total, position, invoiced, partner, lines] = row
    return {
      id,
      name,
      total,
      position,
      invoiced,
      partner,
      lines: (JSON.parse(lines) as readonly Line[]).map(
        ([line, product, text, qty, price, discount, taxes]) => ({
          id: line,
          product,
          name: text ?? '',
          qty: qty ?? 0,
          price: price ?? 0,
          discount: discount ?? 0,
          taxes,
        }),
      ),
    }
  })
}

/** Payments of paid orders that are more or less than nothing. */
export async function takenPayments(
  env: Environment,
  { session, orders }: { session?: number; orders?: readonly number[] },
): Promise<Taken[]> {
  const which =
    session === undefined
      ? sql`o.id = ANY(${idList([...(orders ?? [])])})`
      : sql`o.session_id = ${session}::int`
  const rows = await env.rows(
    sql`SELECT p.id, o.id, p.payment_method_id, p.amount::float8, COALESCE(p.is_change, FALSE), o.account_move IS NOT NULL,
      COALESCE(c.commercial_partner_id, c.id), p.account_move_id
    FROM pos_payment p JOIN pos_order o ON o.id = p.pos_order_id LEFT JOIN res_partner c ON c.id = o.partner_id
    WHERE ${which} AND o.state IN ('paid', 'done') AND p.amount <> 0 ORDER BY p.id`,
    {
      reads: ['pos.payment', 'pos.order', 'res.partner'],
      row: ['int', 'int', 'int', 'float', 'bool', 'bool', 'int?', 'int?'],
    },
  )
  return rows.map((row) => {
    const [id, order, method, amount, isChange, invoiced, partner, entry] = row
    return { id, order, method, amount, isChange, invoiced, partner, entry }
  })
}

export interface MethodFacts {
  readonly id: number
  readonly name: string
  readonly kind: 'cash' | 'bank' | 'pay_later'
  readonly split: boolean
  readonly journal: number | null
  readonly receivable: number
  readonly outstanding: number | null
}

/** Methods by id, with the accounts they fall back to. */
export async function methodFacts(
  env: Environment,
  methods: readonly number[],
): Promise<Map<number, MethodFacts>> {
  const rows = await env.rows(
    sql`SELECT m.id, COALESCE(m.name->>${env.lang}, m.name->>'en_US'),
      CASE WHEN j.type IN ('cash', 'bank') THEN j.type ELSE 'pay_later' END, COALESCE(m.split_transactions, FALSE), m.journal_id,
      COALESCE(m.receivable_account_id, c.account_default_pos_receivable_account_id), m.outstanding_account_id
    FROM pos_payment_method m JOIN res_company c ON c.id = m.company_id LEFT JOIN account_journal j ON j.id = m.journal_id
    WHERE m.id = ANY(${idList([...new Set(methods)])})`,
    {
      reads: ['pos.payment.method', 'res.company', 'account.journal'],
      row: ['int', 'text', ['cash', 'bank', 'pay_later'], 'bool', 'int?', 'int', 'int?'],
    },
  )
  return new Map(
    rows.map((row) => {
      const [id, name, kind, split, journal, receivable, outstanding] = row
      return [id, { id, name, kind, split, journal, receivable, outstanding }]
    }),
  )
}
