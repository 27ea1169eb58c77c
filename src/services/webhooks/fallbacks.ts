// Fallbacks where creating all deliveries at once failed: smaller parts, without values, one endpoint at a
// time. Only an endpoint for which even that fails is disabled, and the others go on.
import { PayloadTooLarge, ServiceError, ServiceUnavailable } from '../../errors.ts'
import type { Environment } from '../../models/language/environment.ts'
import { sqlState, translate } from '../../postgres/index.ts'
import type { Item } from '../changes/rows.ts'
import { deliveriesFor, type Facts } from './payloads.ts'
import { FEW } from './portions.ts'
import { disable, type Endpoint, type NewDelivery } from './rows.ts'

/** Makes what is to be sent of a portion of changes. */
export type Making = typeof deliveriesFor

/** Changes of one portion, the endpoints to notify of them, and facts about both. */
type Part = readonly [endpoints: readonly Endpoint[], items: readonly Item[], facts: Facts]

/** Everything at once; what fails fails as a whole. */
export const atOnce: Making = deliveriesFor

/**
 * Creates the deliveries that are possible, for one fan-out. Values that others wrote may be too long to be
 * read together, or even alone: that is no fault of an endpoint's.
 */
export function withFallbacks(make: Making = deliveriesFor): Making {
  /** Endpoints that were disabled in this fan-out. */
  const over = new Set<Endpoint>()
  const making: Making = async (env, all, items, facts) => {
    const endpoints = all.filter((endpoint) => !over.has(endpoint))
    if (endpoints.length === 0) return []
    try {
      return await env.unit.savepoint(() => make(env, endpoints, items, facts))
    } catch (error) {
      const cause = translate(error)
      // The moment's fault: it is tried again as a whole.
      if (cause instanceof ServiceUnavailable) throw error
      const parts = partsOf(cause, sqlState(error) === TIMEOUT, [endpoints, items, facts])
      if (!parts) for (const endpoint of endpoints) disableEndpoint(env, over, endpoint, cause)
      return inTurn(env, making, parts ?? [])
    }
  }
  return making
}

/** Of a statement that took too long: each attempt costs as much again, so there are few. */
const TIMEOUT = '57014'

/** Smaller parts to try instead; null where no smaller part exists. */
function partsOf(cause: unknown, late: boolean, [endpoints, items, facts]: Part): Part[] | null {
  const isTooMuch = cause instanceof PayloadTooLarge
  if (isTooMuch && !late && items.length > 1) {
    const half = Math.ceil(items.length / 2)
    return [items.slice(0, half), items.slice(half)].map((some) => [endpoints, some, facts])
  }
  if (endpoints.length > 1) return endpoints.map((endpoint) => [[endpoint], items, facts])
  if (!isTooMuch || facts.thin) return null
  const tens = Array.from({ length: Math.ceil(items.length / FEW) }, (_, at) =>
    items.slice(at * FEW, (at + 1) * FEW),
  )
  return tens.map((some) => [endpoints, some, { ...facts, thin: true }])
}

async function inTurn(env: Environment, make: Making, parts: readonly Part[]): Promise<NewDelivery[]> {
  const deliveries: NewDelivery[] = []
  for (const part of parts) deliveries.push(...(await make(env, ...part)))
  return deliveries
}

function disableEndpoint(env: Environment, over: Set<Endpoint>, endpoint: Endpoint, cause: unknown): void {
  const words = cause instanceof ServiceError ? cause.message.slice(0, 300) : 'an unexpected failure'
  over.add(endpoint)
  env.unit.send(disable(endpoint.id, `The payload cannot be created: ${words}`, true))
}
