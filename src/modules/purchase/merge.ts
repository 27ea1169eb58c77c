// Requests for quotation of one vendor become one (purchase.order); figures of a buyer's day, orders from
// files, and the catalog of products.
import { atOnce, extend, implement, type Of, type Records, required, returns, type Vals } from '#models'
import { UserError } from '../../errors.ts'
import { addDays, nowUtc, today } from '../../kit/dates.ts'
import { addDecimals, roundHalfUp } from '../../kit/rounding.ts'
import { documentsFromFiles } from '../account/index.ts'
import { assertAllowed } from '../base/index.ts'
import { catalogMethods, openCatalog } from '../product/index.ts'
import { loadStates } from './order-states.ts'

const order = extend('purchase.order', {
  fields: {},
  methods: {
    action_merge: {
      doc: 'Takes lines of requests of the same vendor and currency over into the earliest, and cancels the others.',
      params: {},
    },
    retrieve_dashboard: {
      doc: 'Numbers of requests that are to be sent, wait or are late, of all buyers and of the caller, and sums.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    create_document_from_attachment: {
      doc: 'Creates an order for each file, with the file, and shows them. The vendor is default_partner_id of the context.',
      params: { attachment_ids: required<readonly number[]>('ids', { annotation: 'list[int]' }) },
      returns: returns<object>('object', 'dict'),
    },
  },
})
const line = extend('purchase.order.line', { fields: {}, methods: catalogMethods })

declare module '#models' {
  interface PurchaseOrder extends Of<typeof order> {}
  interface PurchaseOrderLine extends Of<typeof line> {}
}

type Orders = Records<'purchase.order'>

const paths = [
  'partner_id',
  'currency_id',
  'company_id',
  'origin',
  'partner_ref',
  'order_line.display_type',
  'order_line.product_id',
  'order_line.product_uom_id',
  'order_line.product_qty',
  'order_line.price_unit',
  'order_line.discount',
  'order_line.tax_ids',
  'order_line.date_planned',
] as const
const loadRequests = (orders: Orders) => orders.load([...paths])
type Request = Awaited<ReturnType<typeof loadRequests>>[number]
type Line = Request['order_line'][number]

/** Values that lines of one product share to become one line by a merge; null for notes and sections. */
const likeness = (item: Line): string | null =>
  item.display_type || !item.product_id
    ? null
    : JSON.stringify([
        item.product_id.id,
        item.product_uom_id?.id,
        item.price_unit,
        item.discount,
        item.tax_ids.map(({ id }) => id).toSorted(),
        item.date_planned?.slice(0, 10),
      ])

const joined = (texts: readonly (string | null)[]) =>
  [...new Set(texts.flatMap((text) => text?.split(', ') ?? []))].filter(Boolean).join(', ') || false

async function mergeGroup(orders: Orders, requests: readonly Request[]): Promise<void> {
  const [kept, ...others] = requests
  if (!kept || others.length === 0) return
  const { env } = orders
  const keptLines = new Map<string, Line>()
  for (const item of kept.order_line) {
    const key = likeness(item)
    if (key && !keptLines.has(key)) keptLines.set(key, item)
  }
  const raised = new Map<number, { product_qty: number }>()
  const copied: number[] = []
  for (const item of others.flatMap((request) => request.order_line)) {
    const same = keptLines.get(likeness(item) ?? '')
    if (same) {
      const quantity = raised.get(same.id)?.product_qty ?? same.product_qty
      raised.set(same.id, { product_qty: addDecimals(quantity, item.product_qty) })
    } else copied.push(item.id)
  }
  const lines = env.model('purchase.order.line')
  // A write of a quantity prices its line anew: lines that get nothing more are left alone.
  if (raised.size) await lines.browse([...raised.keys()]).writeEach(raised)
  const values = copied.length
    ? ((await lines.browse(copied).invoke('copy_data', {
        default: { order_id: kept.id },
      })) as Vals<'purchase.order.line'>[])
    : []
  if (values.length) await lines.create(values)
  await orders.browse([kept.id]).write({
    origin: joined(requests.map(({ origin }) => origin)),
    partner_ref: joined(requests.map(({ partner_ref: reference }) => reference)),
  })
  await orders.browse(others.map(({ id }) => id)).button_cancel()
}

/** Throws UserError for orders, and where no two requests are of the same vendor and currency. */
async function merge(orders: Orders): Promise<null> {
  const now = await loadStates(orders)
  await assertAllowed(orders, 'write')
  if (now.some(({ state }) => !['draft', 'sent'].includes(state ?? '')))
    throw new UserError(
      'Requests for quotation are merged: leave orders out that were confirmed or cancelled.',
    )
  const requests = (await loadRequests(orders)).toSorted((a, b) => a.id - b.id)
  const groups = Map.groupBy(requests, (request) =>
    [request.partner_id.id, request.currency_id.id, request.company_id.id].join(),
  )
  if (![...groups.values()].some((group) => group.length > 1))
    throw new UserError('Choose two requests at least of the same vendor, in the same currency.')
  for (const group of groups.values()) await mergeGroup(orders, group)
  return null
}

/** Figures under the rights of the caller: of all that it may read, and of its own. */
async function dashboard(orders: Orders): Promise<object> {
  const { env } = orders
  const mine = [['user_id', '=', env.uid]] as const
  const late = ['date_order', '<', nowUtc(env.now())] as const
  const states = {
    to_send: [['state', '=', 'draft']],
    waiting: [
      ['state', '=', 'sent'],
      ['date_order', '>=', late[2]],
    ],
    late: [['state', 'in', ['draft', 'sent', 'to approve']], late],
  } as const
  const counts = await atOnce(
    env,
    ...Object.entries(states).flatMap(([name, domain]) => [
      async () => [`all_${name}`, await orders.searchCount([...domain])] as const,
      async () => [`my_${name}`, await orders.searchCount([...domain, ...mine])] as const,
    ]),
    async () => ['all_sent_rfqs', await orders.searchCount([['state', '=', 'sent']])] as const,
  )
  const company = await env.model('res.company').browse([env.companyId]).one(['currency_id.rounding'])
  const week = addDays(today(env.tz, env.now()), -7)
  const bought = await (
    await orders.search([
      ['state', '=', 'purchase'],
      ['company_id', '=', env.companyId],
      ['date_approve', '>=', week],
    ])
  ).load(['amount_total', 'currency_rate', 'create_date', 'date_approve'])
  const total = bought.reduce((sum, row) => sum + row.amount_total / (row.currency_rate || 1), 0)
  const days = bought.map((row) => daysBetween(row.create_date, row.date_approve))
  const mean = (sum: number, step: number) => roundHalfUp(sum / (bought.length || 1), step)
  return {
    ...Object.fromEntries(counts),
    all_total_last_7_days: roundHalfUp(total, company.currency_id.rounding),
    all_avg_order_value: mean(total, company.currency_id.rounding),
    all_avg_days_to_purchase: mean(
      days.reduce((sum, day) => sum + day, 0),
      0.01,
    ),
  }
}

const daysBetween = (from: string | null, to: string | null): number =>
  from && to ? (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 86_400_000 : 0

export const mergedOrder = implement(order, {
  methods: {
    action_merge: merge,
    retrieve_dashboard: dashboard,
    create_document_from_attachment: ({ env }, { attachment_ids }) =>
      documentsFromFiles(env, attachment_ids, (count) =>
        env.model('purchase.order').create(Array.from({ length: count }, () => ({}))),
      ),
  },
})
export const catalogLine = implement(line, {
  methods: {
    action_add_from_catalog: async (lines) => {
      const rows = await lines.load(['order_id'])
      const documents = rows.map(({ order_id: document }) => ({ document: document.id }))
      return openCatalog(lines.env.model('purchase.order'), documents, 'purchase_ok')
    },
  },
})
