// Cancelling: open moves want nothing any more. Moves after them that got all from them are cancelled too, as
// they say.
import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { asEngineWrite } from './engine-writes.ts'
import type { MoveVals } from './load.ts'

/** Cancels moves; those that are cancelled stay so. Throws UserError for moves that are done. */
export async function cancelMoves(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo()
  let wave = [...new Set(ids)]
  while (wave.length) {
    const rows = await su
      .model('stock.move')
      .browse(wave)
      .load([
        'state',
        'scrap_id',
        'move_line_ids',
        'propagate_cancel',
        'move_dest_ids.state',
        'move_dest_ids.move_orig_ids.state',
      ])
    if (rows.some((row) => row.state === 'done' && !row.scrap_id))
      throw new UserError('Done moves cannot be cancelled: return the goods instead.')
    const open = rows.filter((row) => row.state !== 'done' && row.state !== 'cancel')
    if (open.length === 0) return
    const lines = open.flatMap((row) => row.move_line_ids.map(({ id }) => id))
    const gone = new Set(open.map(({ id }) => id))
    await asEngineWrite(su, async () => {
      if (lines.length) await su.model('stock.move.line').browse(lines).unlink()
      await su
        .model('stock.move')
        .browse([...gone])
        .write({ state: 'cancel', procure_method: 'make_to_stock' })
    })
    const next: number[] = []
    const freed = new Map<number, MoveVals>()
    for (const row of open)
      for (const after of row.move_dest_ids) {
        if (after.state === 'done' || after.state === 'cancel') continue
        const others = after.move_orig_ids.filter(
          (before) => !gone.has(before.id) && before.state !== 'cancel',
        )
        if (others.length) continue
        if (row.propagate_cancel) next.push(after.id)
        else
          freed.set(after.id, {
            procure_method: 'make_to_stock',
            state: 'confirmed',
            move_orig_ids: [[3, row.id, 0]],
          })
      }
    if (freed.size) await asEngineWrite(su, () => su.model('stock.move').writeEach(freed))
    wave = [...new Set(next)]
  }
}
