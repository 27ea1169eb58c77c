// Names of documents from sequences: drawn together for all documents of a company that have none of their
// own.
import type { Environment } from '#models'
import { nextNumbers } from './ir-sequence-draw.ts'

const NEW = 'New'

/** Values of documents, each with a name: its own, else the next of its company's sequence. */
export async function withNumbers(
  env: Environment,
  list: readonly Readonly<Record<string, unknown>>[],
  code: string,
): Promise<Record<string, unknown>[]> {
  const all = list.map((vals): Record<string, unknown> => ({ ...vals }))
  const nameless = all.filter((vals) => !vals.name || vals.name === NEW)
  const companyOf = ({ company_id: company }: Record<string, unknown>) =>
    typeof company === 'number' ? company : null
  for (const [company, group] of Map.groupBy(nameless, companyOf)) {
    const numbers = await nextNumbers(
      company === null ? env : env.sudo().withCompany(company),
      code,
      group.length,
    )
    for (const [i, vals] of group.entries()) vals.name = numbers?.[i] ?? NEW
  }
  return all
}
