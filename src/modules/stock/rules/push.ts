// Rules that push: what arrived in a place goes on to the next, as receipts and deliveries in several steps
// do.
import type { Environment } from '#models'
import { addDays } from '../../../kit/dates.ts'
import { idList, sql } from '../../../sql/index.ts'
import { confirmMoves } from '../moves/confirm.ts'
import type { MoveVals } from '../moves/load.ts'
import { loadChains, loadRoutes, loadRules, type Rule, ruleFor } from './procurement.ts'

const paths = [
  'product_id',
  'product_uom',
  'quantity',
  'company_id',
  'origin',
  'date',
  'partner_id',
  'priority',
  'location_dest_id',
  'location_dest_id.warehouse_id',
  'location_final_id.usage',
  'date_deadline',
  'route_ids',
  'warehouse_id',
  'move_dest_ids',
  'is_inventory',
  'origin_returned_move_id',
  'location_id.usage',
] as const

/** Makes the next moves for goods that done moves brought, by the rules that push on from where they are. */
export async function applyPushRules(env: Environment, ids: readonly number[]): Promise<void> {
  const pushed = await env.rows(
    sql`SELECT m.id FROM stock_move m WHERE m.id = ANY(${idList([...ids])})
    AND EXISTS (SELECT FROM stock_rule r WHERE r.active AND r.action IN ('push', 'pull_push') AND r.location_src_id = m.location_dest_id)
    AND NOT EXISTS (SELECT FROM stock_move_move_rel n WHERE n.move_orig_id = m.id)`,
    { reads: ['stock.move', 'stock.rule'], row: ['int'] },
  )
  if (pushed.length === 0) return
  const rows = await env
    .model('stock.move')
    .browse(pushed.map((row) => row[0]))
    .load(paths)
  const moves = rows.filter((row) => !row.is_inventory && !row.origin_returned_move_id)
  if (moves.length === 0) return
  const [rules, chains, routes] = await Promise.all([
    loadRules(env, 'push'),
    loadChains(
      env,
      moves.map((move) => move.location_dest_id.id),
    ),
    loadRoutes(
      env,
      moves.map((move) => move.product_id.id),
    ),
  ])
  const links = await linksOf(env, moves)
  const next: MoveVals[] = []
  for (const move of moves) {
    const need = {
      product: move.product_id.id,
      location: move.location_dest_id.id,
      company: move.company_id.id,
      warehouse: move.warehouse_id?.id ?? move.location_dest_id.warehouse_id?.id ?? null,
      routes: move.route_ids.map(({ id }) => id),
    }
    const rule = ruleFor(
      need,
      rules,
      routes,
      (chains.get(need.location) ?? []).slice(0, 1),
      (rule) => rule.source,
    )
    // Goods that no customer waits for stay at the gate.
    if (rule?.isLast && move.location_final_id?.usage !== 'customer') continue
    if (rule) next.push({ ...links.get(move.id), ...valsOf(move, rule) })
  }
  if (next.length === 0) return
  const createdMoves = await env.model('stock.move').create(next)
  await confirmMoves(env, createdMoves.ids)
}

/**
 * Facts that other modules know of moves on their way to a customer, such as the line of an order: the next
 * step delivers the same. Receipts that are put away are another matter than the order they came by.
 */
async function linksOf(env: Environment, moves: readonly Done[]): Promise<ReadonlyMap<number, MoveVals>> {
  const leaving = moves.filter((move) => move.location_final_id?.usage === 'customer')
  const names = [...env.def('stock.move').fields.values()].flatMap((field) =>
    field.kind === 'many2one' && field.column && field.module !== 'stock' && !field.automatic
      ? [field.name]
      : [],
  )
  if (leaving.length === 0 || names.length === 0) return new Map()
  const rows = (await env
    .model('stock.move')
    .browse(leaving.map(({ id }) => id))
    .load(names as never)) as unknown as readonly Linked[]
  return new Map(
    rows.map((row) => [
      row.id,
      Object.fromEntries(names.map((name) => [name, row[name]?.id ?? null])) as MoveVals,
    ]),
  )
}

type Linked = { readonly id: number } & Readonly<Record<string, { readonly id: number } | null>>

type Done = {
  readonly id: number
  readonly product_id: { readonly id: number }
  readonly product_uom: { readonly id: number }
  readonly quantity: number
  readonly company_id: { readonly id: number }
  readonly origin: string | null
  readonly date: string
  readonly partner_id: { readonly id: number } | null
  readonly priority: '0' | '1' | null
  readonly location_dest_id: { readonly id: number }
  readonly location_final_id: { readonly id: number; readonly usage: string | null } | null
  readonly date_deadline: string | null
}

/**
 * Goods on their way to a customer end where that customer wants them: the place of the rule is a default.
 */
const destinationOf = ({ location_final_id: final }: Done, rule: Rule): number =>
  rule.isLast && final ? final.id : rule.dest

const valsOf = (move: Done, rule: Rule): MoveVals => ({
  product_id: move.product_id.id,
  product_uom: move.product_uom.id,
  product_uom_qty: move.quantity,
  location_id: move.location_dest_id.id,
  location_dest_id: destinationOf(move, rule),
  location_final_id: move.location_final_id?.id ?? null,
  date_deadline: move.date_deadline,
  picking_type_id: rule.type,
  company_id: move.company_id.id,
  partner_id: move.partner_id?.id ?? null,
  rule_id: rule.id,
  warehouse_id: rule.warehouse,
  origin: move.origin,
  date: addDays(move.date, rule.delay),
  priority: move.priority ?? '0',
  propagate_cancel: rule.propagate,
  move_orig_ids: [[4, move.id, 0]],
})
