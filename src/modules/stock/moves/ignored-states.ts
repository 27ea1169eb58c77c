// The state of a transfer, a move or a line follows from what is done with it: it is not written.
import type { Environment, Records, WriteChange } from '#models'
import { UserError } from '../../../errors.ts'

type Stated = 'stock.picking' | 'stock.move' | 'stock.move.line'

/** Throws UserError for states that people write, unless they are there already. */
export async function assertStates(records: Records<Stated>, changes: readonly WriteChange[]): Promise<void> {
  if (records.env.su) return
  const stateChanges = changes.filter(({ vals }) => 'state' in vals)
  if (stateChanges.length === 0) return
  const ids = stateChanges.flatMap((change) => change.ids)
  const rows = await records.sudo().browse(ids).load(['state'])
  const stateOf = new Map(rows.map((row) => [row.id, row.state]))
  if (stateChanges.some(({ ids: moveIds, vals }) => moveIds.some((id) => stateOf.get(id) !== vals.state)))
    throw new UserError('The state cannot be written: confirm, validate or cancel instead.')
}

/** Values to create with: nothing was done yet with what people make, whatever they say. */
export const dropGivenStates = <V extends Readonly<Record<string, unknown>>>(
  env: Environment,
  list: readonly V[],
): readonly Readonly<Record<string, unknown>>[] => (env.su ? list : list.map(({ state: _, ...vals }) => vals))
