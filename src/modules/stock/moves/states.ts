// The state of an open move follows from what is reserved of it and from the moves before it.
import type { Environment } from '#models'
import { asEngineWrite } from './engine-writes.ts'
import type { MoveVals } from './load.ts'

interface Standing {
  readonly state: string | null
  readonly product_uom_qty: number
  readonly quantity: number
  readonly procure_method: string
  readonly move_orig_ids: readonly { readonly state: string | null }[]
}

export type OpenState = 'waiting' | 'confirmed' | 'partially_available' | 'assigned'

/** The state of a confirmed move that is not done. */
export function stateOf(row: Standing): OpenState {
  if (row.quantity > 0) return row.quantity >= row.product_uom_qty ? 'assigned' : 'partially_available'
  if (row.move_orig_ids.some((before) => before.state !== 'done' && before.state !== 'cancel'))
    return 'waiting'
  if (row.procure_method === 'make_to_order' && row.move_orig_ids.length === 0) return 'waiting'
  return 'confirmed'
}

/** Brings the states of open, confirmed moves up to date. */
export async function refreshStates(env: Environment, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const su = env.sudo()
  const rows = await su
    .model('stock.move')
    .browse([...new Set(ids)])
    .load(['state', 'product_uom_qty', 'quantity', 'procure_method', 'move_orig_ids.state'])
  const values = new Map<number, MoveVals>()
  for (const row of rows) {
    if (row.state === 'draft' || row.state === 'done' || row.state === 'cancel') continue
    const state = stateOf(row)
    if (state !== row.state) values.set(row.id, { state })
  }
  if (values.size) await asEngineWrite(env, () => su.model('stock.move').writeEach(values))
}

/** Writes states of open moves where they differ from what the moves were loaded with. */
export async function setStates(
  env: Environment,
  moves: readonly { readonly id: number; readonly state: string | null }[],
  states: ReadonlyMap<number, OpenState>,
): Promise<void> {
  const values = new Map<number, MoveVals>()
  for (const { id, state: before } of moves) {
    const state = states.get(id)
    if (state && state !== before) values.set(id, { state })
  }
  if (values.size) await asEngineWrite(env, () => env.sudo().model('stock.move').writeEach(values))
}
