// Documents by their company: what they take from companies and contacts is asked in the company's own
// environment.
import type { Environment } from '#models'

/** Groups of records by company, each with a superuser environment of that company. */
export function byCompany<R extends { readonly company_id: { readonly id: number } }>(
  records: readonly R[],
  env: Environment,
): [Environment, R[]][] {
  return [...Map.groupBy(records, (record) => record.company_id.id)].map(([company, group]) => [
    env.sudo().withCompany(company),
    group,
  ])
}
