// Moments between which no price changes: neither does a rule begin or end there, nor is there another rate.
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'

/**
 * For moments (`YYYY-MM-DD HH:MM:SS`, UTC) a key that is the same for those under which everything costs the
 * same. One statement, and none for a single moment.
 */
export async function priceEpochs(
  env: Environment,
  moments: Iterable<string>,
): Promise<(moment: string | null) => string> {
  const all = [...new Set(moments)]
  if (all.length < 2) return (moment) => moment ?? ''
  // A rule holds at its last moment; a rate holds from its day on.
  const rows = await env.rows(
    sql`SELECT m.said, (SELECT max(i.date_start) FROM product_pricelist_item i WHERE i.date_start <= m.said::timestamp)::text,
      (SELECT max(i.date_end) FROM product_pricelist_item i WHERE i.date_end < m.said::timestamp)::text,
      (SELECT max(r.name) FROM res_currency_rate r WHERE r.name <= m.said::timestamp::date)::text
    FROM unnest(${all}::text[]) AS m(said)`,
    { reads: ['product.pricelist.item', 'res.currency.rate'], row: ['text', 'text?', 'text?', 'text?'] },
  )
  const epochs = new Map(rows.map(([moment, ...bounds]) => [moment, bounds.join()]))
  return (moment) => (moment === null ? '' : (epochs.get(moment) ?? moment))
}
