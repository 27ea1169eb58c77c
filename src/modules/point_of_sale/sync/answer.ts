// Answers to tills about their orders: flat lists by model, with bare ids. Queries do not grow with the
// number of orders.
import { atOnce, type Environment, isTouched } from '#models'
import { fieldsOf, type TillModel } from '../load/fields.ts'
import { type Rows, rowsIn } from '../load/rows.ts'

type Answer = Record<string, Rows>

/** Further conditions on rows, in addition to the field that links them to records, and their order. */
interface Further {
  readonly domain?: readonly unknown[]
  /** The place of the order of each row, where rows follow the orders. */
  readonly place?: (row: Rows[number]) => number
}

/** Rows of a model whose field leads to some of `ids`. */
async function rowsOf(
  env: Environment,
  model: TillModel,
  field: string,
  ids: readonly number[],
  { domain = [], place = () => 0 }: Further = {},
): Promise<Rows> {
  if (ids.length === 0) return []
  const rows = rowsIn(
    await env.model(model).invoke('search_read', {
      domain: [[field, 'in', ids], ...domain],
      fields: fieldsOf(env, model),
      load: null,
    }),
  )
  return rows.toSorted((a, b) => place(a) - place(b) || Number(a.id) - Number(b.id))
}

/**
 * Orders in the order of `ids`, with their related records. Orders that this call stored (`storedOrders`,
 * with whether a rescue session took them) have no lots and no invoices unless the call created some.
 */
export async function answerOf(
  env: Environment,
  ids: readonly number[],
  storedOrders: ReadonlyMap<number, { readonly isLate: boolean }> = new Map(),
): Promise<Answer> {
  const wanted = [...ids]
  const before = wanted.filter((id) => !storedOrders.has(id))
  const withSome = (model: TillModel) => (isTouched(env, model) ? wanted : before)
  const late = wanted.filter((id) => storedOrders.get(id)?.isLate ?? true)
  const places = new Map(wanted.map((id, i) => [id, i]))
  const by = (field: string) => (row: Rows[number]) => places.get(row[field] as number) ?? 0
  const [orders, lines, payments, lots, sessions, moves] =
    wanted.length === 0
      ? [[], [], [], [], [], []]
      : await atOnce(
          env,
          async () =>
            (await env.model('pos.order').browse(wanted).read(fieldsOf(env, 'pos.order'), null)) as Rows,
          () => rowsOf(env, 'pos.order.line', 'order_id', wanted, { place: by('order_id') }),
          () => rowsOf(env, 'pos.payment', 'pos_order_id', wanted, { place: by('pos_order_id') }),
          () =>
            rowsOf(
              env,
              'pos.pack.operation.lot',
              'pos_order_line_id.order_id',
              withSome('pos.pack.operation.lot'),
            ),
          // A till knows its own session; it gets the rescue sessions that took late orders.
          () => rowsOf(env, 'pos.session', 'order_ids', late, { domain: [['rescue', '=', true]] }),
          // Cashiers do not see the books: of the invoices of their orders they get what receipts show.
          () => rowsOf(env.sudo(), 'account.move', 'pos_order_ids', withSome('account.move')),
        )
  return {
    'pos.order': orders,
    'pos.session': sessions,
    'pos.payment': payments,
    'pos.order.line': lines,
    'pos.pack.operation.lot': lots,
    'product.attribute.custom.value': [],
    'account.move': moves,
  }
}
