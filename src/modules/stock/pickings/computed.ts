// Computed fields of transfers from their moves: state, dates, availability.
import { computed, computedFields } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { holdsGoods, isEndless } from '../places/usages.ts'
import { picking } from './picking.contract.ts'

interface Moved {
  readonly state: string | null
  readonly product_uom_qty: number
  readonly procure_method: string
}

type State = 'draft' | 'waiting' | 'confirmed' | 'assigned' | 'done' | 'cancel'

/**
 * The state of a transfer by those of its moves: with `together` all have to be ready, else any. A
 * transfer from a place with unlimited stock, such as a vendor, is always ready.
 */
function stateOf(moves: readonly Moved[], together: boolean, fromEndless: boolean): State {
  if (moves.length === 0 || moves.some((move) => move.state === 'draft')) return 'draft'
  if (moves.every((move) => move.state === 'cancel')) return 'cancel'
  const open = moves.filter((move) => move.state !== 'done' && move.state !== 'cancel')
  if (open.length === 0) return 'done'
  if (fromEndless && moves.every((move) => move.procure_method === 'make_to_stock')) return 'assigned'
  const ready = (move: Moved) =>
    move.state === 'assigned' || (move.state === 'confirmed' && move.product_uom_qty === 0)
  if (together) {
    if (open.every(ready)) return 'assigned'
    return open.some((row) => row.state === 'waiting') ? 'waiting' : 'confirmed'
  }
  if (open.some((row) => ready(row) || row.state === 'partially_available')) return 'assigned'
  return open.some((row) => row.state === 'confirmed') ? 'confirmed' : 'waiting'
}

export const pickingState = {
  state: computed(
    picking,
    [
      'move_type',
      'location_id.usage',
      'move_ids.state',
      'move_ids.product_uom_qty',
      'move_ids.procure_method',
    ],
    (picking) => stateOf(picking.move_ids, picking.move_type === 'one', isEndless(picking.location_id.usage)),
  ),
}

const sorted = (dates: readonly (string | null)[]) => dates.filter((date) => date !== null).toSorted()

export const pickingDates = {
  ...computedFields(
    picking,
    ['scheduled_date', 'date_deadline'],
    ['move_type', 'date', 'move_ids.state', 'move_ids.date', 'move_ids.date_deadline'],
    (pickings) =>
      new Map(
        pickings.map((picking) => {
          const open = picking.move_ids.filter((move) => move.state !== 'done' && move.state !== 'cancel')
          const at = picking.move_type === 'one' ? -1 : 0
          // A done transfer keeps its scheduled date.
          if (open.length === 0)
            return [picking.id, picking.move_ids.length ? {} : { scheduled_date: picking.date }]
          return [
            picking.id,
            {
              scheduled_date: sorted(open.map((move) => move.date)).at(at) ?? null,
              date_deadline: sorted(open.map((move) => move.date_deadline)).at(at) ?? null,
            },
          ]
        }),
      ),
    { editable: true },
  ),
  has_deadline_issue: computed(picking, ['date_deadline', 'scheduled_date'], (picking) =>
    Boolean(
      picking.date_deadline && picking.scheduled_date && picking.date_deadline < picking.scheduled_date,
    ),
  ),
}

interface Readiness {
  readonly products_availability: string | null
  readonly products_availability_state: string | null
}

const shown = { available: 'Available', expected: 'Exp', late: 'Not Available' } as const

/** Availability of deliveries: in stock, expected in time, or late. */
export const availability = computedFields(
  picking,
  ['products_availability', 'products_availability_state'],
  [
    'state',
    'scheduled_date',
    'picking_type_id.code',
    'move_ids.state',
    'move_ids.product_qty',
    'move_ids.forecast_availability',
    'move_ids.forecast_expected_date',
    'move_ids.location_id.usage',
  ],
  (pickings, env) =>
    new Map(
      pickings.map((picking): [number, Readiness] => {
        const nothing: Readiness = { products_availability: null, products_availability_state: null }
        const going =
          picking.picking_type_id.code !== 'incoming' &&
          ['waiting', 'confirmed', 'assigned'].includes(picking.state ?? '')
        if (!going) return [picking.id, nothing]
        const open = picking.move_ids.filter(
          (move) =>
            move.state !== 'done' &&
            move.state !== 'cancel' &&
            move.state !== 'draft' &&
            holdsGoods(move.location_id.usage),
        )
        if (open.some((move) => move.forecast_availability < move.product_qty))
          return [picking.id, { products_availability: shown.late, products_availability_state: 'late' }]
        const last = sorted(open.map((move) => move.forecast_expected_date)).at(-1)
        if (!last)
          return [
            picking.id,
            { products_availability: shown.available, products_availability_state: 'available' },
          ]
        const late = last > (picking.scheduled_date ?? nowUtc(env.now()))
        return [
          picking.id,
          {
            products_availability: `${shown.expected} ${last.slice(0, 10)}`,
            products_availability_state: late ? 'late' : 'expected',
          },
        ]
      }),
    ),
)
