// Taxes of sessions by tax: what they are raised on and what they come to, each order rounded as a document
// of its own.

import type { Environment } from '#models'
import { present } from '../../../../kit/present.ts'
import { addDecimals } from '../../../../kit/rounding.ts'
import { idList, sql } from '../../../../sql/index.ts'
import { soldOrders } from '../../closing/sales.ts'
import { type Share, sharesOf } from '../../closing/shares.ts'

export interface Taxed {
  readonly name: string
  readonly base: number
  readonly tax: number
}

/** Of tax parts, what each tax comes to; a tax of several parts counts its base once. */
function taxedBy(shares: readonly Share[], nameOf: (tax: number) => string): Taxed[] {
  return [...Map.groupBy(shares, ({ tax }) => tax ?? 0)]
    .map(([tax, group]): Taxed => {
      const bases = new Map(group.map((member) => [member.line.id, member.base]))
      return {
        name: nameOf(tax),
        base: [...bases.values()].reduce((sum, base) => addDecimals(sum, base), 0),
        tax: group.reduce((sum, { amount }) => addDecimals(sum, -amount), 0),
      }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Taxes of sessions' paid orders, refunds taken off; as many statements as there are ways to round. */
export async function taxesBySession(
  env: Environment,
  sessions: readonly number[],
): Promise<Map<number, Taxed[]>> {
  const rows = await env.rows(
    sql`SELECT o.id, s.id, c.rounding::float8, m.tax_calculation_rounding_method FROM pos_order o
    JOIN pos_session s ON s.id = o.session_id JOIN res_currency c ON c.id = s.currency_id JOIN res_company m ON m.id = s.company_id
    WHERE s.id = ANY(${idList([...sessions])}) AND o.state IN ('paid', 'done')`,
    {
      reads: ['pos.order', 'pos.session', 'res.currency', 'res.company'],
      row: ['int', 'int', 'float', ['round_per_line', 'round_globally']],
    },
  )
  const sessionOf = new Map(rows.map((row) => [row[0], row[1]]))
  const parts: Share[] = []
  for (const group of Map.groupBy(rows, ([, , rounding, method]) => `${rounding} ${method}`).values()) {
    const [, , rounding, method] = present(group[0])
    const orders = await soldOrders(env, { orders: group.map(([id]) => id) })
    const shares = await sharesOf(env, orders, { rounding, method })
    parts.push(...shares.filter(({ kind }) => kind === 'tax'))
  }
  const taxes = [...new Set(parts.flatMap(({ tax }) => tax ?? []))]
  const names = await env.rows(
    sql`SELECT id, COALESCE(name->>${env.lang}, name->>'en_US') FROM account_tax WHERE id = ANY(${idList(taxes)})`,
    { reads: ['account.tax'], row: ['int', 'text'] },
  )
  const nameOf = new Map(names.map((row) => [row[0], row[1]]))
  const bySession = Map.groupBy(parts, ({ order }) => sessionOf.get(order.id) ?? 0)
  return new Map(
    [...bySession].map(([session, shares]) => [session, taxedBy(shares, (tax) => nameOf.get(tax) ?? '')]),
  )
}
