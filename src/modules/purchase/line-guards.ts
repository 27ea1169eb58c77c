// Guards of order lines, in addition to their writable fields (writable.ts): lines that were partly
// received or billed keep their product, confirmed orders keep their lines. A lock keeps an order from
// being cancelled; its lines still take changes (recorded).
import type { Records, WriteChange } from '#models'
import { refuse } from '../base/index.ts'

type Lines = Records<'purchase.order.line'>

const paths = ['state', 'display_type', 'product_id', 'qty_received', 'qty_invoiced'] as const

const load = (lines: Lines) => lines.load([...paths])
type Standing = Awaited<ReturnType<typeof load>>[number]

/** Lines of confirmed orders that stay: all but headings and notes. */
const stays = (one: Pick<Standing, 'state' | 'display_type'>) => one.state === 'purchase' && !one.display_type

/**
 * Throws UserError for other products of lines that keep theirs. One query, and none if no product is
 * named.
 */
export async function assertProducts(lines: Lines, changes: readonly WriteChange[]): Promise<void> {
  const concerned = changes.filter(({ vals }) => 'product_id' in vals)
  const ids = concerned.flatMap((change) => change.ids)
  if (ids.length === 0) return
  const lineById = new Map((await load(lines.sudo().browse(ids))).map((row) => [row.id, row]))
  for (const { ids: lineIds, vals } of concerned) {
    for (const id of lineIds) {
      const line = lineById.get(id)
      const against = line && objection(line, vals)
      if (against) return refuse(lines, 'write', against)
    }
  }
}

/** Why a line does not take values, or null. */
function objection(row: Standing, vals: WriteChange['vals']): string | null {
  const other = (vals.product_id || null) !== (row.product_id?.id ?? null)
  if (other && stays(row) && (row.qty_received !== 0 || row.qty_invoiced !== 0))
    return 'The product of this line cannot change: some of it was received or billed.'
  return null
}

/** Throws UserError for lines of confirmed orders, sections and notes aside. */
export async function assertRemovable(lines: Lines): Promise<void> {
  const now = await lines.sudo().load(['state', 'display_type'])
  if (now.some(stays))
    await refuse(
      lines,
      'unlink',
      'Lines of a confirmed order cannot be removed: set the quantity to 0 instead.',
    )
}
