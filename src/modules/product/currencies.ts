// The currency that a product's prices are in: its company's, else that of the company one works for.
import type { Environment } from '#models'
import { type Sql, sql } from '../../sql/index.ts'

/** Currency of the current company, as a subquery. */
export const companyCurrency = (env: Environment): Sql =>
  sql`(SELECT c.currency_id FROM res_company c WHERE c.id = ${env.companyId}::int)`

/** Currency of the company in a column, else of the current company. */
export const ownCurrency = (env: Environment, company: Sql): Sql =>
  sql`COALESCE((SELECT c.currency_id FROM res_company c WHERE c.id = ${company}), ${companyCurrency(env)})`
