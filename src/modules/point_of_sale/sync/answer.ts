// What tills are told of orders: flat lists by model, with bare ids. A number of statements that does not
// grow with the orders.
import { atOnce, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { fieldsOf, type TillModel } from '../load/fields.ts'

type Rows = Record<string, unknown>[]
type Answer = Record<string, Rows>

async function rowsOf(env: Environment, model: TillModel, ids: readonly number[]): Promise<Rows> {
  if (ids.length === 0) return []
  return env.model(model).browse(ids).read(fieldsOf(env, model), null)
}

/** Orders in the order of `ids`, with all that hangs on them. */
export async function answerOf(env: Environment, ids: readonly number[]): Promise<Answer> {
  const empty = { 'product.attribute.custom.value': [] }
  if (ids.length === 0)
    return {
      'pos.order': [],
      'pos.session': [],
      'pos.payment': [],
      'pos.order.line': [],
      'pos.pack.operation.lot': [],
      ...empty,
      'account.move': [],
    }
  const [row] =
    await env.query(sql`WITH o AS (SELECT x.id, x.at FROM unnest(${idList([...ids])}) WITH ORDINALITY AS x(id, at))
    SELECT ARRAY(SELECT l.id FROM o JOIN pos_order_line l ON l.order_id = o.id ORDER BY o.at, l.id),
      ARRAY(SELECT p.id FROM o JOIN pos_payment p ON p.pos_order_id = o.id ORDER BY o.at, p.id),
      ARRAY(SELECT t.id FROM o JOIN pos_order_line l ON l.order_id = o.id JOIN pos_pack_operation_lot t ON t.pos_order_line_id = l.id ORDER BY t.id),
      ARRAY(SELECT DISTINCT r.session_id FROM o JOIN pos_order r ON r.id = o.id),
      ARRAY(SELECT DISTINCT r.account_move FROM o JOIN pos_order r ON r.id = o.id WHERE r.account_move IS NOT NULL)`)
  const [lines, payments, lots, sessions, moves] = (row ?? []) as readonly (readonly number[])[]
  const [orders, ofLines, ofPayments, ofLots, ofSessions, ofMoves] = await atOnce(
    env,
    () => rowsOf(env, 'pos.order', ids),
    () => rowsOf(env, 'pos.order.line', lines ?? []),
    () => rowsOf(env, 'pos.payment', payments ?? []),
    () => rowsOf(env, 'pos.pack.operation.lot', lots ?? []),
    () => rowsOf(env, 'pos.session', sessions ?? []),
    // A cashier sees no books: of invoices of their orders they are told what stands on receipts.
    () => rowsOf(env.sudo(), 'account.move', moves ?? []),
  )
  return {
    'pos.order': orders,
    'pos.session': ofSessions,
    'pos.payment': ofPayments,
    'pos.order.line': ofLines,
    'pos.pack.operation.lot': ofLots,
    ...empty,
    'account.move': ofMoves,
  }
}
