// Fields of a transfer that also apply to its moves: places, contact, day.
import type { Records, Vals, WriteChange } from '#models'

const handed = ['location_id', 'location_dest_id', 'partner_id', 'scheduled_date', 'picking_type_id'] as const

/** Open moves take the places, the contact and the day of their transfer when these are written. */
export async function followHeader(
  pickings: Records<'stock.picking'>,
  changes: readonly WriteChange[],
): Promise<void> {
  for (const { ids, vals } of changes) {
    const handedOn = handed.filter((field) => field in vals)
    if (handedOn.length === 0) continue
    const env = pickings.env.sudo()
    const moves = await env.model('stock.move').search([
      ['picking_id', 'in', ids],
      ['state', 'not in', ['done', 'cancel']],
      ['scrap_id', '=', false],
    ])
    if (moves.length === 0) continue
    const values = Object.fromEntries(
      handedOn.map((field) => [field === 'scheduled_date' ? 'date' : field, vals[field]]),
    )
    if (values.date === false || values.date === null) delete values.date
    if (Object.keys(values).length) await moves.write(values as Vals<'stock.move'>)
  }
}
