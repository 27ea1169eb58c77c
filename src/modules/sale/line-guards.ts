// What may not be done to lines of orders: changes of locked orders, products that were delivered, kinds of
// lines, lines of confirmed orders.
import type { Records, Scope, WriteChange } from '#models'
import { sql } from '../../sql/index.ts'
import { refuse } from '../base/index.ts'

type Lines = Records<'sale.order.line'>

/** Fields that a locked order keeps. */
const locked = [
  'product_id',
  'name',
  'price_unit',
  'product_uom_id',
  'product_uom_qty',
  'tax_ids',
  'discount',
] as const

const guarded = [...locked, 'display_type', 'order_id'] as const

/** Lines of confirmed orders that stay: all but headings and notes. */
const stays = (one: {
  readonly state: string | null
  readonly display_type: string | null
  readonly is_downpayment: boolean
}) => one.state === 'sale' && (!one.display_type || one.is_downpayment)

interface Standing {
  readonly state: string | null
  readonly is_downpayment: boolean
  readonly qty_delivered: number
  readonly qty_invoiced: number
  readonly order_id: { readonly locked: boolean }
}

interface Guarded extends Standing {
  readonly display_type: string | null
  readonly product_id: { readonly id: number } | null
  readonly order_id: { readonly id: number; readonly locked: boolean }
}

/** Whether the product of a line may change. */
export function updatable(one: Standing): boolean {
  if (one.is_downpayment || one.state === 'cancel') return false
  return one.state !== 'sale' || (!one.order_id.locked && one.qty_delivered <= 0 && one.qty_invoiced <= 0)
}

/** The same as SQL. */
export const updatableSql = (scope: Scope) =>
  sql`(${scope.column('is_downpayment')} IS NOT TRUE AND ${scope.column('state')} IS DISTINCT FROM 'cancel' AND (${scope.column('state')} IS DISTINCT FROM 'sale'
    OR (${scope.path('order_id.locked')} IS NOT TRUE AND COALESCE(${scope.column('qty_delivered')}, 0) <= 0 AND COALESCE(${scope.column('qty_invoiced')}, 0) <= 0)))`

export const updatablePaths = [
  'state',
  'is_downpayment',
  'qty_delivered',
  'qty_invoiced',
  'order_id.locked',
] as const

/** What a line is judged by before it changes. */
export const guardPaths = [...updatablePaths, 'display_type', 'product_id', 'order_id'] as const

/**
 * Throws UserError for changes that a line does not take. One query, and none for fields that nothing guards.
 */
export async function assertChanges(lines: Lines, changes: readonly WriteChange[]): Promise<void> {
  const concerned = changes.filter(({ vals }) => guarded.some((field) => field in vals))
  const ids = concerned.flatMap((change) => change.ids)
  if (ids.length === 0) return
  const rows = await lines
    .sudo()
    .browse(ids)
    .load([...guardPaths])
  const known = new Map(rows.map((one) => [one.id, one]))
  for (const { ids: own, vals } of concerned) {
    for (const id of own) {
      const one = known.get(id)
      // Posting an invoice changes prices of deposits, whatever is locked.
      const isDeposit = lines.env.su && one?.is_downpayment
      const against = one && !isDeposit && objection(one, vals)
      if (against) return refuse(lines, 'write', against)
    }
  }
}

/** Why a line does not take values, or null. */
function objection(one: Guarded, vals: WriteChange['vals']): string | null {
  if ('display_type' in vals && (vals.display_type || null) !== one.display_type)
    return 'The kind of a line does not change: delete it, and add a line of the kind that you want.'
  if ('order_id' in vals && vals.order_id !== one.order_id.id && (one.order_id.locked || stays(one)))
    return 'Lines of a confirmed order stay with it: they cannot move to another order.'
  if ('product_id' in vals && (vals.product_id || null) !== (one.product_id?.id ?? null) && !updatable(one))
    return 'The product of this line cannot change any more.'
  if (one.order_id.locked && locked.some((field) => field in vals))
    return 'The order is locked. Unlock it to change product, text, price, unit, quantity, taxes or discount of its lines.'
  return null
}

/** Throws UserError for lines of confirmed orders, sections and notes aside. */
export async function assertRemovable(lines: Lines): Promise<void> {
  const now = await lines.sudo().load(['state', 'display_type', 'is_downpayment'])
  if (now.some(stays))
    await refuse(
      lines,
      'unlink',
      'Lines of a confirmed order stay: set the quantity to 0 instead of removing a line.',
    )
}
