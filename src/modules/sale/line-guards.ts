// Guards of order lines, in addition to their writable fields (writable.ts): delivered lines keep their
// product, confirmed orders keep their lines.
import type { Records, Scope, WriteChange } from '#models'
import { sql } from '../../sql/index.ts'
import { refuse } from '../base/index.ts'

type Lines = Records<'sale.order.line'>

/** Lines of confirmed orders that stay: all but headings and notes. */
const stays = (record: {
  readonly state: string | null
  readonly display_type: string | null
  readonly is_downpayment: boolean
}) => record.state === 'sale' && (!record.display_type || record.is_downpayment)

interface Standing {
  readonly state: string | null
  readonly is_downpayment: boolean
  readonly qty_delivered: number
  readonly qty_invoiced: number
  readonly order_id: { readonly locked: boolean }
}

/** Whether the product of a line may change. */
export function updatable(row: Standing): boolean {
  if (row.is_downpayment || row.state === 'cancel') return false
  return row.state !== 'sale' || (!row.order_id.locked && row.qty_delivered <= 0 && row.qty_invoiced <= 0)
}

/** The same as SQL. */
export const updatableSql = (scope: Scope) =>
  sql`(${scope.column('is_downpayment')} IS NOT TRUE AND ${scope.column('state')} IS DISTINCT FROM 'cancel' AND (${scope.column('state')} IS DISTINCT FROM 'sale'
    OR (${scope.path('order_id.locked')} IS NOT TRUE AND COALESCE(${scope.column('qty_delivered')}, 0) <= 0 AND COALESCE(${scope.column('qty_invoiced')}, 0) <= 0)))`

/** Fields that `updatable` reads. */
export const updatablePaths = [
  'state',
  'is_downpayment',
  'qty_delivered',
  'qty_invoiced',
  'order_id.locked',
] as const

/** Paths that a line is judged by before its product changes. */
export const guardPaths = [...updatablePaths, 'product_id'] as const

/**
 * Throws UserError for other products of lines that keep theirs. One query, and none if no product is
 * named.
 */
export async function assertProducts(lines: Lines, changes: readonly WriteChange[]): Promise<void> {
  const concerned = changes.filter(({ vals }) => 'product_id' in vals)
  const ids = concerned.flatMap((change) => change.ids)
  if (ids.length === 0) return
  const rows = await lines.sudo().browse(ids).load(guardPaths)
  const lineById = new Map(rows.map((row) => [row.id, row]))
  for (const { ids: lineIds, vals } of concerned)
    for (const line of lineIds.flatMap((id) => lineById.get(id) ?? [])) {
      // Posting an invoice changes deposits, whatever is locked.
      if (lines.env.su && line.is_downpayment) continue
      if ((vals.product_id || null) !== (line.product_id?.id ?? null) && !updatable(line))
        return refuse(lines, 'write', 'The product of this line cannot change any more.')
    }
}

/** Throws UserError for lines of confirmed orders, sections and notes aside. */
export async function assertRemovable(lines: Lines): Promise<void> {
  const now = await lines.sudo().load(['state', 'display_type', 'is_downpayment'])
  if (now.some(stays))
    await refuse(
      lines,
      'unlink',
      'Lines of a confirmed order cannot be removed: set the quantity to 0 instead.',
    )
}
