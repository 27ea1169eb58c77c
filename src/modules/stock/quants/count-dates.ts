// Days on which counts of places are due, as SQL: the yearly count of the company, or that of the place if it
// comes first.
import { type Sql, sql } from '../../../sql/index.ts'

/** The next count of the place `l` (stock_location) after a day; null for places without counts. */
export const nextCountAfter = (
  day: string,
): Sql => sql`CASE WHEN l.usage IN ('internal', 'transit') THEN LEAST(
  CASE WHEN l.cyclic_inventory_frequency > 0 THEN ${day}::date + l.cyclic_inventory_frequency END,
  (SELECT min(LEAST(m.first + GREATEST(c.annual_inventory_day, 1) - 1, (m.first + interval '1 month -1 day')::date))
    FILTER (WHERE LEAST(m.first + GREATEST(c.annual_inventory_day, 1) - 1, (m.first + interval '1 month -1 day')::date) > ${day}::date)
    FROM res_company c, LATERAL (SELECT make_date(extract(year FROM ${day}::date)::int + y, c.annual_inventory_month::int, 1) AS first
      FROM generate_series(0, 1) AS y) m WHERE c.id = l.company_id)) END`
