// What may not be done to lines of orders: changes of locked orders, products that were delivered, kinds of lines, lines of confirmed orders.
import type { Environment, WriteChange } from '#models'
import { UserError } from '../../errors.ts'

/** Fields that a locked order keeps. */
const locked = ['product_id', 'name', 'price_unit', 'product_uom_id', 'product_uom_qty', 'tax_ids', 'discount'] as const

const guarded = [...locked, 'display_type', 'order_id'] as const

interface Standing {
  readonly state: string | null
  readonly is_downpayment: boolean
  readonly qty_delivered: number
  readonly qty_invoiced: number
  readonly order_id: { readonly locked: boolean }
}

/** Whether the product of a line may change. */
export function updatable(one: Standing): boolean {
  if (one.is_downpayment || one.state === 'cancel') return false
  return one.state !== 'sale' || (!one.order_id.locked && one.qty_delivered <= 0 && one.qty_invoiced <= 0)
}

export const updatablePaths = ['state', 'is_downpayment', 'qty_delivered', 'qty_invoiced', 'order_id.locked'] as const

/** Throws UserError for changes that a line does not take. One query, and none for fields that nothing guards. */
export async function assertChanges(env: Environment, changes: readonly WriteChange[]): Promise<void> {
  const concerned = changes.filter(({ vals }) => guarded.some((field) => field in vals))
  const ids = concerned.flatMap((change) => change.ids)
  if (ids.length === 0) return
  const rows = await env
    .sudo()
    .model('sale.order.line')
    .browse(ids)
    .load([...updatablePaths, 'display_type', 'product_id'])
  const lines = new Map(rows.map((one) => [one.id, one]))
  for (const { ids: own, vals } of concerned) {
    for (const id of own) {
      const one = lines.get(id)
      if (!one) continue
      if ('display_type' in vals && (vals.display_type || null) !== one.display_type) {
        throw new UserError('The kind of a line does not change: delete it, and add a line of the kind that you want.')
      }
      if ('product_id' in vals && (vals.product_id || null) !== (one.product_id?.id ?? null) && !updatable(one)) {
        throw new UserError('The product of this line cannot change any more.')
      }
      if (one.order_id.locked && locked.some((field) => field in vals)) {
        throw new UserError(
          'The order is locked. Unlock it to change product, text, price, unit, quantity, taxes or discount of its lines.',
        )
      }
    }
  }
}

/** Throws UserError for lines of confirmed orders, sections and notes aside. */
export async function assertRemovable(env: Environment, ids: readonly number[]): Promise<void> {
  const lines = await env.sudo().model('sale.order.line').browse(ids).load(['state', 'display_type', 'is_downpayment', 'qty_invoiced'])
  const kept = lines.some((one) => one.state === 'sale' && !(one.display_type && !one.is_downpayment))
  if (kept) throw new UserError('Lines of a confirmed order stay: set the quantity to 0 instead of removing a line.')
}
