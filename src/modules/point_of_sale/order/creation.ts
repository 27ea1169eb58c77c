// New orders of the back office: what they take from their session.

import type { Environment, Vals } from '#models'
import { nowUtc } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { drawGaplessTexts } from '../../base/index.ts'
import { holdSessions } from './session-of-order.ts'

type OrderVals = Vals<'pos.order'>

/**
 * Values with those of the session, and a number for receipts. Orders that tills sent bring all of it along.
 */
export async function withOrderValues(env: Environment, list: readonly OrderVals[]): Promise<OrderVals[]> {
  const isBare = (vals: OrderVals) => !env.su || vals.config_id === undefined
  const bare = list.filter(isBare)
  if (bare.length === 0) return [...list]
  const sessions = await env
    .sudo()
    .model('pos.session')
    .browse([...new Set(bare.flatMap(({ session_id: id }) => (isInteger(id) ? [id] : [])))])
    .load(['config_id.order_backend_seq_id', 'company_id', 'currency_id'])
  const sessionById = new Map(sessions.map((session) => [session.id, session]))
  await holdSessions(env, [...sessionById.keys()])
  const counts = new Map<number, number>()
  for (const { session_id } of bare) {
    const session = sessionById.get(session_id as number)
    const sequence = session?.config_id.order_backend_seq_id?.id
    if (sequence) counts.set(sequence, (counts.get(sequence) ?? 0) + 1)
  }
  const numbers = counts.size ? await drawGaplessTexts(env, counts) : new Map<number, string[]>()
  const year = nowUtc(env.now()).slice(2, 4)
  return list.map((vals) => {
    const session = isBare(vals) ? sessionById.get(vals.session_id as number) : undefined
    if (!session) return vals
    const number = numbers.get(session.config_id.order_backend_seq_id?.id ?? 0)?.shift() ?? '000000'
    return {
      pos_reference: `${year}0-${session.config_id.id}-${number}`,
      sequence_number: Number(number),
      tracking_number: number.slice(-3),
      ...vals,
      config_id: session.config_id.id,
      company_id: session.company_id?.id ?? false,
      currency_id: session.currency_id?.id ?? false,
    }
  })
}
