// Invoices and bills that orders make: as the company does, whatever the caller may do with documents.
import type { Environment, Records, Vals } from '#models'

/**
 * Creates drafts, each in its company, and gives their ids; where `final`, those that come to less than
 * nothing become credit notes.
 */
export async function createDocuments(
  env: Environment,
  vals: readonly Vals<'account.move'>[],
  final: boolean,
): Promise<number[]> {
  const createdMoves: number[] = []
  for (const [company, group] of Map.groupBy(vals, (values) => values.company_id)) {
    const companyEnv = typeof company === 'number' ? env.sudo().withCompany(company) : env.sudo()
    createdMoves.push(...(await companyEnv.model('account.move').create(group)).ids)
  }
  if (final) await turnNegatives(env.sudo().model('account.move').browse(createdMoves))
  return createdMoves
}

async function turnNegatives(moves: Records<'account.move'>): Promise<void> {
  const negative = (await moves.load(['amount_total'])).filter((move) => move.amount_total < 0)
  if (negative.length) await moves.browse(negative.map(({ id }) => id)).action_switch_move_type()
}

/** Texts of several orders as one: each once. */
export const joined = (texts: readonly (string | null)[]): string =>
  [...new Set(texts.filter((text) => text))].join(', ')
