// Back orders: what is left of transfers that are done in part goes into transfers of their own.

import type { Environment, Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { asEngineWrite } from '../moves/engine-writes.ts'
import type { MoveVals } from '../moves/load.ts'

/**
 * Puts open moves of transfers that are otherwise done into new ones, with their lines. Answers the new
 * transfers.
 */
export async function makeBackorders(env: Environment, moves: readonly number[]): Promise<number[]> {
  const rows = await env.model('stock.move').browse(moves).load(['picking_id', 'move_line_ids'])
  const groups = Map.groupBy(
    rows.filter((row) => row.picking_id),
    (row) => present(row.picking_id?.id),
  )
  const pickings = env.model('stock.picking').browse([...groups.keys()])
  const copies = (await pickings.invoke('copy_data', { default: null })) as Vals<'stock.picking'>[]
  const createdPickings = await env.model('stock.picking').create(
    copies.map((vals, i) => {
      const { move_ids: _, move_line_ids: __, scheduled_date: ___, ...kept } = vals
      return { ...kept, backorder_id: present(pickings.ids[i]) }
    }),
  )
  const values = new Map<number, MoveVals>()
  const lines = new Map<number, Vals<'stock.move.line'>>()
  for (const [i, group] of [...groups.values()].entries())
    for (const member of group) {
      values.set(member.id, { picking_id: present(createdPickings.ids[i]) })
      for (const line of member.move_line_ids)
        lines.set(line.id, { picking_id: present(createdPickings.ids[i]) })
    }
  await asEngineWrite(env, async () => {
    await env.model('stock.move').writeEach(values)
    if (lines.size) await env.model('stock.move.line').writeEach(lines)
  })
  return [...createdPickings.ids]
}
