// The rate of an invoice's currency on its day, whatever rate was agreed.
import { computedTogether } from '#models'
import { headerPaths, loadHeaders } from './headers.ts'
import { move } from './move.contract.ts'

export const expectedRate = computedTogether(move, headerPaths, async (moves, env) => {
  const headers = await loadHeaders(
    env,
    moves.map(({ id }) => id),
  )
  return new Map(moves.map(({ id }) => [id, headers.get(id)?.rate ?? 1]))
})
