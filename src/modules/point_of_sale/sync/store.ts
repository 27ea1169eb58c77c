// Storing what tills sent: new orders with all that is on them, and drafts brought up to date, in a number of
// statements that does not grow with them.

import { atOnce, type Environment, reserveIds, type Vals } from '#models'
import { ValidationError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { loadTaxes, type Tax } from '../../account/index.ts'
import { assertAllowed, drawGaplessTexts } from '../../base/index.ts'
import { assertTakes, moveOrders } from '../order/session-of-order.ts'
import { idOf, numeric } from './incoming.ts'
import { assertPayments, changeOf, type ValidOrder } from './validate.ts'
import { lineVals, linkedIds, orderVals, paidLine, paymentVals, settled } from './values.ts'

export interface StoredOrder {
  readonly judged: ValidOrder
  readonly id: number
  readonly paid: boolean
  /** The name that people know it by. */
  readonly reference: string
}

/** Further input of storing, next to the facts: numbers, taxes and costs. */
interface Means {
  readonly taxesOf: (ids: readonly number[]) => readonly Tax[]
  readonly costOf: (company: number) => (product: number) => number
  readonly lineNumber: (judged: ValidOrder) => string | undefined
  readonly orderNumber: (judged: ValidOrder) => string | undefined
}

const moment = (env: Environment) => nowUtc(env.now())

async function loadMeans(env: Environment, orders: readonly ValidOrder[]): Promise<Means> {
  const counts = new Map<number, number>()
  const count = (sequence: number, by: number) =>
    void (by > 0 && counts.set(sequence, (counts.get(sequence) ?? 0) + by))
  for (const { session, newLines, order, draft } of orders) {
    count(session.lineNumbers, newLines.length)
    count(session.orderNumbers, !draft && !order.vals.pos_reference ? 1 : 0)
  }
  const entries = orders.flatMap(({ newLines, changedLines }) => [...newLines, ...changedLines])
  const taxes = [...new Set(entries.flatMap(({ vals }) => linkedIds(vals.tax_ids)))]
  const products = [...new Set(entries.flatMap(({ vals }) => idOf(vals.product_id) ?? []))]
  const companies = [...new Set(orders.map(({ session }) => session.company))]
  const su = env.sudo()
  const sessions = [...new Set(orders.map(({ session }) => session.id))]
  const drafts = orders.flatMap(({ draft }) => draft?.id ?? [])
  const [, , , numbers, taxesOf, ...costs] = await atOnce(
    env,
    // All that follows is stored as superuser, for sessions that the caller may see.
    () => assertAllowed(env.model('pos.session').browse(sessions), 'read'),
    // Drafts were looked up by their uuids, past all rules.
    () => assertAllowed(env.model('pos.order').browse(drafts), 'write'),
    () => reserveIds(env, idsOf(orders)),
    () => (counts.size ? drawGaplessTexts(env, counts) : Promise.resolve(new Map<number, string[]>())),
    () => loadTaxes(env, taxes),
    ...companies.map(
      (company) => () =>
        su.withCompany(company).model('product.product').browse(products).load(['standard_price']),
    ),
  )
  const byCompany = new Map(
    companies.map((company, i) => [
      company,
      new Map((costs[i] ?? []).map((cost) => [cost.id, cost.standard_price])),
    ]),
  )
  const productIds = new Set(costs.flatMap((rows) => rows.map(({ id }) => id)))
  if (products.some((id) => !productIds.has(id)))
    throw new ValidationError('A product on an order does not exist.')
  return {
    taxesOf,
    costOf: (company) => (product) => byCompany.get(company)?.get(product) ?? 0,
    lineNumber: ({ session }) => numbers.get(session.lineNumbers)?.shift(),
    orderNumber: ({ session }) => numbers.get(session.orderNumbers)?.shift(),
  }
}

/** Numbers of records of each model that will be created. */
const idsOf = (orders: readonly ValidOrder[]) => {
  const sum = (of: (judged: ValidOrder) => number) => orders.reduce((total, order) => total + of(order), 0)
  return new Map([
    ['pos.order', sum(({ draft }) => (draft ? 0 : 1))],
    ['pos.order.line', sum(({ newLines }) => newLines.length)],
    ['pos.payment', sum((one) => one.newPayments.length + changeOf(one).length)],
  ] as const)
}

/** Stores orders of sessions that the caller may see and gives their ids in the order of `orders`. */
export async function storeOrders(env: Environment, orders: readonly ValidOrder[]): Promise<StoredOrder[]> {
  if (orders.length === 0) return []
  const means = await loadMeans(env, orders)
  const fresh = await storeFresh(
    env,
    orders.filter(({ draft }) => !draft),
    means,
  )
  const updated = await storeDrafts(
    env,
    orders.filter(({ draft }) => draft),
    means,
  )
  const ids = new Map([...fresh, ...updated].map((row) => [row.judged, row]))
  return orders.flatMap((judged) => ids.get(judged) ?? [])
}

async function storeFresh(
  env: Environment,
  orders: readonly ValidOrder[],
  means: Means,
): Promise<StoredOrder[]> {
  if (orders.length === 0) return []
  const year = moment(env).slice(2, 4)
  const values = orders.map((judged) => {
    const number = judged.order.vals.pos_reference ? undefined : means.orderNumber(judged)
    const reference = String(judged.order.vals.pos_reference || `${year}0-${judged.session.config}-${number}`)
    const {
      name = '/',
      state,
      vals,
    } = settled(
      judged,
      reference,
      judged.newLines.map((line) => paidLine(line, means.taxesOf)),
      judged.newPayments.map((payment) => numeric(payment.vals.amount)),
    )
    const sequence = numeric(judged.order.vals.sequence_number) || Number(number ?? 0)
    return {
      date_order: moment(env),
      amount_paid: 0,
      tracking_number: String(sequence % 1000).padStart(3, '0'),
      ...orderVals(judged, env.uid),
      sequence_number: sequence,
      pos_reference: reference,
      name: judged.refunded && state === 'draft' ? `${judged.refunded.name} REFUND` : name,
      state,
      ...vals,
    } as Vals<'pos.order'>
  })
  const createdOrders = await env.sudo().model('pos.order').create(values)
  const stored = orders.map((judged, i) => ({
    judged,
    id: present(createdOrders.ids[i]),
    paid: judged.order.paid,
    reference: String(values[i]?.pos_reference),
  }))
  await storeLines(env, stored, means)
  await storePayments(env, stored)
  return stored
}

async function storeLines(env: Environment, stored: readonly StoredOrder[], means: Means): Promise<void> {
  const rows = stored.flatMap(({ judged, id }) =>
    judged.newLines.map((entry) => ({
      uuid: entry.uuid,
      parent: entry.uuid === null ? undefined : judged.order.comboParents.get(entry.uuid),
      vals: lineVals(
        entry,
        judged,
        id,
        means.lineNumber(judged),
        means.costOf(judged.session.company),
      ) as Vals<'pos.order.line'>,
    })),
  )
  if (rows.length === 0) return
  const createdLines = await env
    .sudo()
    .model('pos.order.line')
    .create(rows.map(({ vals }) => vals))
  const byUuid = new Map(
    rows.flatMap(({ uuid }, i) => (uuid === null ? [] : [[uuid, present(createdLines.ids[i])] as const])),
  )
  const parts = rows.flatMap(({ parent }, i) => {
    const combo_parent_id = parent === undefined ? undefined : byUuid.get(parent)
    return combo_parent_id === undefined ? [] : [[present(createdLines.ids[i]), { combo_parent_id }] as const]
  })
  if (parts.length)
    await env
      .sudo()
      .model('pos.order.line')
      .browse(parts.map(([id]) => id))
      .writeEach(new Map(parts))
}

async function storePayments(env: Environment, stored: readonly StoredOrder[]): Promise<void> {
  const values = stored.flatMap(({ judged, id }) =>
    [
      ...judged.newPayments.map(({ vals, uuid }) => ({ ...vals, uuid: uuid ?? false })),
      ...changeOf(judged),
    ].map((vals) => paymentVals(vals, judged, id, moment(env)) as Vals<'pos.payment'>),
  )
  if (values.length) await env.sudo().model('pos.payment').create(values)
}

const linePaths = ['order_id', 'price_unit', 'qty', 'discount', 'tax_ids'] as const

/**
 * Brings drafts up to date: their lines and payments first, then, from what is there now, whether they are
 * paid.
 */
async function storeDrafts(
  env: Environment,
  orders: readonly ValidOrder[],
  means: Means,
): Promise<StoredOrder[]> {
  if (orders.length === 0) return []
  const stored = orders.map((judged) => ({
    judged,
    id: present(judged.draft?.id),
    paid: judged.order.paid,
    reference: judged.draft?.reference ?? '',
  }))
  await changeEntries(env, stored)
  await storeLines(env, stored, means)
  const ids = stored.map(({ id }) => id)
  const lineRecords = await env
    .sudo()
    .model('pos.order.line')
    .search([['order_id', 'in', ids]])
  const lines = Map.groupBy(await lineRecords.load(linePaths), (line) => line.order_id.id)
  const taxesOf = await loadTaxes(
    env,
    [...lines.values()].flatMap((orderLines) =>
      orderLines.flatMap((line) => line.tax_ids.map(({ id }) => id)),
    ),
  )
  const before = await env
    .sudo()
    .model('pos.payment')
    .search([['pos_order_id', 'in', ids]])
  const payments = Map.groupBy(
    await before.load(['pos_order_id', 'amount', 'payment_method_id', 'is_change']),
    (payment) => payment.pos_order_id.id,
  )
  for (const { judged, id } of stored) {
    const stays = payments.get(id) ?? []
    assertTakes(
      judged.session.methods,
      stays.map(({ payment_method_id: method }) => method.id),
    )
    assertPayments(judged, stays)
  }
  await storePayments(env, stored)
  const values = stored.map(({ judged, id }): [number, Vals<'pos.order'>] => {
    const amounts = [
      ...(payments.get(id) ?? []).map(({ amount }) => amount),
      ...judged.newPayments.map(({ vals }) => numeric(vals.amount)),
    ]
    const orderLines = (lines.get(id) ?? []).map((line) => ({
      ...line,
      taxes: taxesOf(line.tax_ids.map((tax) => tax.id)),
    }))
    const { name, state, vals } = settled(judged, judged.draft?.reference ?? null, orderLines, amounts)
    const { uuid: _, pos_reference: __, ...draftVals } = orderVals(judged, env.uid)
    return [id, { ...draftVals, ...vals, state, ...(name ? { name } : {}) } as Vals<'pos.order'>]
  })
  await env.sudo().model('pos.order').browse(ids).writeEach(new Map(values))
  return stored
}

/**
 * Sessions of drafts that another till goes on with, and their lines and payments: changed, or deleted as it
 * asks for.
 */
async function changeEntries(env: Environment, stored: readonly StoredOrder[]): Promise<void> {
  await moveOrders(env, stored)
  const lines = stored.flatMap(({ judged }) => judged.changedLines)
  const payments = stored.flatMap(({ judged }) => judged.changedPayments)
  const others = stored.filter(
    ({ judged: { order } }) => order.otherLines.length + order.otherPayments.length > 0,
  )
  if (lines.length)
    await env
      .model('pos.order.line')
      .browse(lines.map(({ id }) => id))
      .writeEach(new Map(lines.map(({ id, vals }) => [id, vals as Vals<'pos.order.line'>])))
  if (payments.length)
    await env
      .model('pos.payment')
      .browse(payments.map(({ id }) => id))
      .writeEach(new Map(payments.map(({ id, vals }) => [id, vals as Vals<'pos.payment'>])))
  if (others.length)
    await env
      .model('pos.order')
      .browse(others.map(({ id }) => id))
      .writeEach(
        new Map(
          others.map(({ id, judged: { order } }) => [
            id,
            { lines: order.otherLines, payment_ids: order.otherPayments } as unknown as Vals<'pos.order'>,
          ]),
        ),
      )
}
