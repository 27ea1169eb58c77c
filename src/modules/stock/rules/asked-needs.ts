// Needs as clients hand them in (`stock.rule/run`): lists of values, as `Procurement` makes them.
import type { Environment } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { isMoment, nowUtc } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { assertWithin } from '../../../limits.ts'
import { assertAllowed, assertNoneMissing, givenIds } from '../../base/index.ts'
import type { Need } from './procurement.ts'

const advice =
  'Each procurement must be a list of product, quantity, unit, location, name, origin, company and values.'

/** Throws InvalidValue for what is not a list of needs. */
export function needsIn(env: Environment, procurements: readonly unknown[]): Need[] {
  assertWithin('records', procurements.length)
  return procurements.map((procurement) => {
    if (!Array.isArray(procurement)) throw new InvalidValue(advice)
    const [product, quantity, unit, location, , origin, company, values] = procurement
    if (![product, unit, location, company].every((id) => isInteger(id) && id > 0))
      throw new InvalidValue(advice)
    if (typeof quantity !== 'number' || !Number.isFinite(quantity)) throw new InvalidValue(advice)
    const { date_planned: date, warehouse_id: warehouse, route_ids: routes } = Object(values ?? {})
    return {
      product,
      quantity,
      unit,
      location,
      company,
      origin: typeof origin === 'string' ? origin : null,
      date: typeof date === 'string' && isMoment(date) ? date : nowUtc(env.now()),
      warehouse: isInteger(warehouse) ? warehouse : null,
      routes: givenIds(routes),
    }
  })
}

/** Throws AccessError, or MissingError, for needs that name what the caller may not see. */
export async function assertSeen(env: Environment, needs: readonly Need[]): Promise<void> {
  const idsOf = (of: (need: Need) => readonly (number | null | undefined)[]) =>
    [...new Set(needs.flatMap(of))].filter(isInteger)
  const referenced = [
    ['product.product', idsOf((need) => [need.product])],
    ['uom.uom', idsOf((need) => [need.unit])],
    ['stock.location', idsOf((need) => [need.location])],
    ['stock.warehouse', idsOf((need) => [need.warehouse])],
    ['stock.route', idsOf((need) => need.routes ?? [])],
  ] as const
  for (const [model, ids] of referenced) {
    const records = env.model(model).browse(ids)
    await assertAllowed(records, 'read')
    assertNoneMissing(records, await records.load(['display_name']))
  }
  if (needs.some((need) => !env.companyIds.includes(need.company)))
    throw new InvalidValue('The company of each procurement must be one of your current companies.')
}
