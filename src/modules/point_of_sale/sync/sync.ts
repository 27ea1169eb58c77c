// Orders from tills (sync_from_ui): judged one by one, stored together. All of a call or none, unless the
// till takes what is right.
import { recordAudit } from '#engine'
import { assertAddsOnly, type Environment, type Records, tried } from '#models'
import { ServiceError, UserError } from '../../../errors.ts'
import { mapInTurns } from '../../../kit/pace.ts'
import { roundToScale } from '../../../kit/rounding.ts'
import { limits } from '../../../limits.ts'
import { assertAllowed } from '../../base/index.ts'
import { completePaid } from '../order/complete.ts'
import { answerOf } from './answer.ts'
import { type Facts, loadFacts } from './facts.ts'
import { type Incoming, idOf, oncePerUuid, parseOrder } from './incoming.ts'
import { type StoredOrder, storeOrders } from './store.ts'
import { type ValidOrder, validateOrder } from './validate.ts'

type Orders = Records<'pos.order'>

/** An order that was not taken, and why. */
interface Refused {
  readonly uuid: string | null
  readonly pos_reference: unknown
  readonly name: string
  readonly message: string
}

interface Stage {
  readonly partial: boolean
  readonly refused: Refused[]
  /**
   * When the remaining orders are refused untried: wrong orders of one till must not delay others for
   * long.
   */
  readonly until: number
  /** Whether they are no longer tried all together. */
  isSplit: boolean
}

const refusedAs = (uuid: unknown, reference: unknown, error: ServiceError): Refused => ({
  uuid: typeof uuid === 'string' ? uuid : null,
  pos_reference: reference ?? false,
  name: error.wireName,
  message: error.message,
})

/** Runs `work` for each; an error refuses that order alone if the till asked for it. */
async function each<T, R>(
  all: readonly T[],
  stage: Stage,
  about: (item: T) => readonly [unknown, unknown],
  work: (item: T) => R,
): Promise<R[]> {
  const results = await mapInTurns(all, (item): R[] => {
    try {
      return [work(item)]
    } catch (error) {
      if (!stage.partial || !(error instanceof ServiceError)) throw error
      stage.refused.push(refusedAs(...about(item), error))
      return []
    }
  })
  return results.flat()
}

const aboutRaw = (sent: unknown): readonly [unknown, unknown] => {
  const { uuid, pos_reference } = (typeof sent === 'object' && sent !== null ? sent : {}) as Record<
    string,
    unknown
  >
  return [uuid, pos_reference]
}
const about = (order: Incoming): readonly [unknown, unknown] => [order.uuid, order.vals.pos_reference]

/**
 * Takes the orders of a till. Throws UserError and ValidationError for orders that are refused,
 * PayloadTooLarge for more than a call may bring.
 */
export async function syncFromUi(
  orders: Orders,
  sent: readonly unknown[],
  partial: boolean,
): Promise<object> {
  const { env } = orders
  await assertAllowed(orders.browse([]), 'create')
  await assertAllowed(orders.browse([]), 'write')
  env.unit.quota.reserve('records', sent.length)
  const until = performance.now() + limits['batch-seconds'] * 1000
  const stage: Stage = { partial, refused: [], until, isSplit: false }
  const roundQuantity = quantityRounding(env)
  const parsed = await each(sent, stage, aboutRaw, (raw) => {
    const order = parseOrder(raw, roundQuantity)
    assertAddsOnly(env.def('pos.order'), order.vals)
    // Lines that a draft has change within the rights of the caller.
    for (const { id, vals } of order.lines) if (id === null) assertAddsOnly(env.def('pos.order.line'), vals)
    return order
  })
  const incoming = oncePerUuid(parsed)
  const answered: number[] = []
  const newOrders = new Map<number, { isLate: boolean }>()
  if (incoming.length) {
    await env.unit.turns.take(
      'till',
      incoming.map(({ session }) => session),
    )
    const facts = await loadFacts(env, incoming)
    await takeTurnsOfGoods(env, incoming, facts)
    const judged = await each(incoming, stage, about, (one) => ({ one, judged: validateOrder(one, facts) }))
    const stored = await store(
      env,
      judged.flatMap(({ judged: judgedOrder }) => judgedOrder ?? []),
      stage,
    )
    for (const { id, judged: judgedOrder } of stored)
      if (!judgedOrder.draft) newOrders.set(id, { isLate: judgedOrder.session.rescue })
    answered.push(
      ...answeredIds(
        judged.map(({ one }) => one),
        stored,
        facts,
      ),
    )
  }
  const answer = await answerOf(env, answered, newOrders)
  return partial ? { ...answer, refused: stage.refused } : answer
}

/** Rounds quantities to the decimals that lines of orders store. */
function quantityRounding(env: Environment): (quantity: number) => number {
  const field = env.def('pos.order.line').fields.get('qty')
  const digits = field?.kind === 'float' ? field.options.digits : undefined
  return (quantity) => (digits ? roundToScale(quantity, digits[1]) : quantity)
}

/** Writes down what managers ask for later: goods taken back, and prices that somebody typed. */
function note(env: Environment, { id, judged, reference }: StoredOrder): void {
  const about = { model: 'pos.order', record: id, name: reference }
  if (judged.refunded || judged.order.total < 0)
    recordAudit(env, {
      ...about,
      event: 'pos.refund',
      detail: { of: judged.refunded?.order ?? null, amount_total: judged.order.total },
    })
  const typed = judged.newLines.filter(({ vals }) => vals.price_type === 'manual')
  if (typed.length)
    recordAudit(env, {
      ...about,
      event: 'pos.price',
      detail: { prices: typed.slice(0, 50).map(({ vals }) => [vals.product_id, vals.price_unit]) },
    })
}

/**
 * Orders that sell the same goods go one after the other, unless goods leave at the closing: a transaction
 * that meets others would lose at its end, with all its work done.
 */
async function takeTurnsOfGoods(
  env: Environment,
  incoming: readonly Incoming[],
  facts: Facts,
): Promise<void> {
  const moving = incoming.filter(({ paid, session }) => paid && !facts.sessions.get(session)?.stockAtClosing)
  await env.unit.turns.take(
    'goods',
    moving.flatMap(({ lines }) => lines.flatMap(({ vals }) => idOf(vals.product_id) ?? [])),
  )
}

/** Together; where one of several is refused, the till that asked for it gets the others one by one. */
async function store(env: Environment, judged: readonly ValidOrder[], stage: Stage): Promise<StoredOrder[]> {
  const work = async (some: readonly ValidOrder[]) => {
    const stored = await storeOrders(env, some)
    await completePaid(
      env,
      stored
        .filter(({ paid }) => paid)
        .map(({ id, reference, judged: { order, toInvoice, refunded, session } }) => ({
          id,
          name: reference,
          total: order.total,
          toInvoice,
          refunds: refunded?.order ?? null,
          isLimited: session.isLimited,
        })),
    )
    for (const row of stored) if (row.paid) note(env, row)
    return stored
  }
  if (!stage.partial || judged.length === 0) return work(judged)
  if (stage.isSplit && performance.now() > stage.until) {
    for (const { order } of judged) stage.refused.push(refusedAs(...about(order), untried()))
    return []
  }
  const outcome = await tried(env, () => work(judged))
  if ('result' in outcome) return outcome.result
  const [first] = judged
  if (judged.length === 1 && first) {
    stage.refused.push(refusedAs(...about(first.order), outcome.refusal))
    return []
  }
  stage.isSplit = true
  const middle = Math.ceil(judged.length / 2)
  return [
    ...(await store(env, judged.slice(0, middle), stage)),
    ...(await store(env, judged.slice(middle), stage)),
  ]
}

const untried = () =>
  new UserError('The order was not processed because too many orders before it were refused. Send it again.')

/** Orders that goods came back from first, then those that were sent, in their order. */
function answeredIds(incoming: readonly Incoming[], stored: readonly StoredOrder[], facts: Facts): number[] {
  const idByOrder = new Map(stored.map(({ judged, id }) => [judged.order, id]))
  const ids = incoming.flatMap(
    (order) => idByOrder.get(order) ?? facts.orders.get(order.uuid ?? '')?.id ?? [],
  )
  return [...new Set([...stored.flatMap(({ judged }) => judged.refunded?.order ?? []), ...ids])]
}
