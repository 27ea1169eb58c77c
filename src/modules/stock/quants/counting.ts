// Counting: what somebody counted in a place is noted on its row, and applied by moves from or to the place
// of differences.

import { recordAudit } from '#engine'
import type { Environment, Records } from '#models'
import { AccessError, UserError, ValidationError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { type MoveSpec, moveNow } from '../engine.ts'
import { holdsGoods } from '../places/usages.ts'
import { nextCountAfter } from './count-dates.ts'
import { forgetQuants, keyOf, type QuantKey, quantRow, settled, takeTurns } from './ledger.ts'

type Given = Readonly<Record<string, unknown>>
type Quants = Records<'stock.quant'>

interface Count extends QuantKey {
  readonly counted: number | null
  readonly user: number | null
  /** Whether what was counted is to be what there is, at once. */
  readonly isApplied: boolean
}

const idIn = (value: unknown): number | null => (isInteger(value) ? value : null)

/** A row of the ledger as values name it. Throws ValidationError without product or place. */
function countOf(vals: Given, uid: number): Count {
  const [product, location] = [idIn(vals.product_id), idIn(vals.location_id)]
  if (product === null || location === null)
    throw new ValidationError('A count requires a product and a location.')
  const counted = vals.inventory_quantity ?? vals.inventory_quantity_auto_apply
  if (counted !== undefined && counted !== null && typeof counted !== 'number')
    throw new ValidationError('The counted quantity must be a number.')
  return {
    product,
    location,
    lot: idIn(vals.lot_id),
    package: idIn(vals.package_id),
    owner: idIn(vals.owner_id),
    counted: typeof counted === 'number' ? counted : null,
    user: idIn(vals.user_id) ?? uid,
    isApplied: 'inventory_quantity_auto_apply' in vals,
  }
}

/** Throws ValidationError for goods that are not counted, and for places that hold none. */
async function assertCountable(env: Environment, counts: readonly Count[]): Promise<void> {
  const products = await env
    .model('product.product')
    .browse([...new Set(counts.map((count) => count.product))])
    .load(['display_name', 'product_tmpl_id.is_storable', 'product_tmpl_id.type'])
  const loose = products.find(
    (product) => !product.product_tmpl_id.is_storable || product.product_tmpl_id.type !== 'consu',
  )
  if (loose)
    throw new ValidationError(
      `Quantities of ${loose.display_name} are not tracked, so the product cannot be counted.`,
    )
  const places = await env
    .model('stock.location')
    .browse([...new Set(counts.map((count) => count.location))])
    .load(['complete_name', 'usage'])
  const virtual = places.find((place) => !holdsGoods(place.usage))
  if (virtual)
    throw new ValidationError(
      `${virtual.complete_name} is not a stock location: choose an internal or transit location.`,
    )
  if (products.length < new Set(counts.map((count) => count.product)).size)
    throw new ValidationError('A product no longer exists: reload the list.')
}

/**
 * Notes counts on the rows of the ledger, and makes those that are not there. Answers their ids in the order
 * given. Throws PayloadTooLarge where very many of them wait for each other.
 */
export async function noteCounts(quants: Quants, list: readonly Given[]): Promise<number[]> {
  const { env } = quants
  await assertAllowed(quants.browse([]), 'create')
  const rounds = roundsOf(list.map((vals) => countOf(vals, env.uid)))
  if (rounds.length > 1) env.unit.quota.charge('rounds', rounds.length)
  const ids: number[] = []
  for (const round of rounds) ids.push(...(await noteRound(quants, round)))
  return ids
}

/** Counts in parts, in their order: one that is applied at once stands before the next one of its row. */
function roundsOf(counts: readonly Count[]): Count[][] {
  const rounds: Count[][] = []
  const applied = new Set<string>()
  for (const count of counts) {
    const key = keyOf(count)
    if (rounds.length === 0 || applied.has(key)) {
      applied.clear()
      rounds.push([])
    }
    if (count.isApplied) applied.add(key)
    rounds.at(-1)?.push(count)
  }
  return rounds
}

/** Keeps a single count for each row: the last quantity, and the last user. */
function rowsOf(counts: readonly Count[]): Count[] {
  const rows = new Map<string, Count>()
  for (const count of counts) {
    const key = keyOf(count)
    rows.set(key, { ...count, counted: count.counted ?? rows.get(key)?.counted ?? null })
  }
  return [...rows.values()]
}

async function noteRound(quants: Quants, counts: readonly Count[]): Promise<number[]> {
  const { env } = quants
  await takeTurns(
    env,
    counts.map(({ product }) => product),
  )
  await assertCountable(env, counts)
  const notedRows = await env.rows(
    sql`INSERT INTO stock_quant (product_id, location_id, lot_id, package_id, owner_id, company_id, quantity,
      reserved_quantity, in_date, inventory_quantity, inventory_diff_quantity, inventory_quantity_set, user_id, inventory_date, create_uid, create_date, write_uid, write_date)
    SELECT x.product, x.location, x.lot, x.package, x.owner, l.company_id, 0, 0, now() AT TIME ZONE 'UTC', COALESCE(x.counted, 0), COALESCE(x.counted, 0),
      x.counted IS NOT NULL, x."user", ${nextCountAfter(today(env.tz, env.now()))}, ${env.uid}::int, now() AT TIME ZONE 'UTC', ${env.uid}::int, now() AT TIME ZONE 'UTC'
    FROM jsonb_to_recordset(${JSON.stringify(rowsOf(counts))}::jsonb)
      AS x(product int, location int, lot int, package int, owner int, counted numeric, "user" int) JOIN stock_location l ON l.id = x.location
    ORDER BY x.product, x.location, COALESCE(x.lot, 0), COALESCE(x.package, 0), COALESCE(x.owner, 0)
    ON CONFLICT (product_id, location_id, COALESCE(lot_id, 0), COALESCE(package_id, 0), COALESCE(owner_id, 0)) DO UPDATE SET
      inventory_quantity = CASE WHEN EXCLUDED.inventory_quantity_set THEN EXCLUDED.inventory_quantity ELSE stock_quant.inventory_quantity END,
      inventory_diff_quantity = CASE WHEN EXCLUDED.inventory_quantity_set THEN EXCLUDED.inventory_quantity - stock_quant.quantity
        ELSE stock_quant.inventory_diff_quantity END,
      inventory_quantity_set = EXCLUDED.inventory_quantity_set OR stock_quant.inventory_quantity_set,
      user_id = EXCLUDED.user_id, write_uid = EXCLUDED.write_uid, write_date = EXCLUDED.write_date
    RETURNING id, product_id, location_id, lot_id, package_id, owner_id`,
    { reads: ['stock.location', 'res.company'], row: quantRow },
  )
  forgetQuants(env)
  const quantIds = new Map(
    notedRows.map(([id, product, location, lot, pack, owner]) => [
      keyOf({ product, location, lot, package: pack, owner }),
      id,
    ]),
  )
  const ids = counts.map((count) => present(quantIds.get(keyOf(count))))
  const atOnce = counts.flatMap(({ isApplied }, i) => (isApplied ? [present(ids[i])] : []))
  if (atOnce.length) await applyCounts(quants.browse(atOnce))
  return ids
}

/**
 * Makes what was counted what there is. Throws AccessError for who may not, UserError for who may count
 * alone.
 */
export async function applyCounts(quants: Quants): Promise<null> {
  const { env } = quants
  await assertAllowed(quants, 'write')
  if (!env.su && !env.hasGroup('stock.group_stock_manager'))
    throw new UserError('Only stock managers may apply counts.')
  await takeTurns(env, sql`SELECT product_id FROM stock_quant WHERE id = ANY(${idList(quants.ids)})`)
  await env.execute(
    sql`SELECT id FROM stock_quant WHERE id = ANY(${idList(quants.ids)})
    ORDER BY product_id, location_id, COALESCE(lot_id, 0), COALESCE(package_id, 0), COALESCE(owner_id, 0) FOR UPDATE`,
    { reads: ['stock.quant'] },
  )
  // A row that is named twice is applied once.
  const rows = await loadCounted(quants.sudo().browse([...new Set(quants.ids)]))
  const counted = rows.filter((row) => row.inventory_quantity_set)
  const losses = await lossPlaces(env, counted)
  const specs = counted.flatMap((row): MoveSpec[] => {
    const diff = settled(row.inventory_quantity - row.quantity)
    const loss = losses.get(row.id)
    if (loss === undefined) throw new UserError('The company has no inventory adjustment location.')
    return [correction(env, row, diff, loss)]
  })
  const day = today(env.tz, env.now())
  await env.execute(
    sql`UPDATE stock_quant SET inventory_quantity = 0, inventory_diff_quantity = 0, inventory_quantity_set = false, user_id = NULL,
    last_count_date = ${day}::date,
    inventory_date = (SELECT ${nextCountAfter(day)} FROM stock_location l WHERE l.id = stock_quant.location_id), write_date = now() AT TIME ZONE 'UTC', write_uid = ${env.uid}::int
    WHERE id = ANY(${idList(counted.map(({ id }) => id))})`,
    { reads: ['stock.quant', 'stock.location', 'res.company'] },
  )
  forgetQuants(env)
  await moveNow(env, specs)
  noteAdjusted(env, counted)
  return null
}

/** Notes adjusted quantities in the audit log, as the ledger is written by SQL of its own. */
function noteAdjusted(env: Environment, counted: readonly Counted[]): void {
  for (const { id, product_id, location_id, quantity, inventory_quantity } of counted)
    if (inventory_quantity !== quantity)
      recordAudit(env, {
        event: 'stock.count',
        model: 'stock.quant',
        record: id,
        detail: {
          product_id: product_id.id,
          location_id: location_id.id,
          quantity: [quantity, inventory_quantity],
        },
      })
}

type Counted = Awaited<ReturnType<typeof loadCounted>>[number]

const loadCounted = (quants: Quants) =>
  quants.load([
    'product_id.product_tmpl_id.uom_id',
    'location_id.company_id',
    'lot_id',
    'package_id',
    'owner_id',
    'quantity',
    'inventory_quantity',
    'inventory_quantity_set',
  ])

/** The move that brings in from the place of differences what was found, or takes there what was lost. */
function correction(env: Environment, row: Counted, diff: number, loss: number): MoveSpec {
  const [from, to] = diff > 0 ? [loss, row.location_id.id] : [row.location_id.id, loss]
  const pack = row.package_id?.id ?? null
  return {
    product_id: row.product_id.id,
    product_uom: row.product_id.product_tmpl_id.uom_id.id,
    product_uom_qty: Math.abs(diff),
    location_id: from,
    location_dest_id: to,
    company_id: row.location_id.company_id?.id ?? env.companyId,
    is_inventory: true,
    inventory_name:
      typeof env.context.inventory_name === 'string'
        ? env.context.inventory_name
        : 'Product Quantity Updated',
    lines: [
      {
        quantity: Math.abs(diff),
        lot: row.lot_id?.id ?? null,
        owner: row.owner_id?.id ?? null,
        ...(diff > 0 ? { result: pack } : { package: pack }),
      },
    ],
  }
}

/** Where what is found or lost comes from and goes to: the place that the company of each row has for it. */
async function lossPlaces(
  env: Environment,
  rows: readonly {
    readonly id: number
    readonly product_id: { readonly product_tmpl_id: { readonly id: number } }
    readonly location_id: { readonly company_id: { readonly id: number } | null }
  }[],
): Promise<Map<number, number>> {
  const adjustmentPlaces = new Map<number, number>()
  const companyOf = (row: (typeof rows)[number]) => row.location_id.company_id?.id ?? env.companyId
  for (const [company, companyRows] of Map.groupBy(rows, companyOf)) {
    const templates = [...new Set(companyRows.map((row) => row.product_id.product_tmpl_id.id))]
    const places = await env
      .sudo()
      .withCompany(company)
      .model('product.template')
      .browse(templates)
      .load(['property_stock_inventory'])
    const inventoryPlaceOf = new Map(places.map((place) => [place.id, place.property_stock_inventory?.id]))
    for (const row of companyRows) {
      const place = inventoryPlaceOf.get(row.product_id.product_tmpl_id.id)
      if (place !== undefined) adjustmentPlaces.set(row.id, place)
    }
  }
  return adjustmentPlaces
}

/** Throws AccessError: rows of the ledger follow moves and counts alone. */
export function refuseDirectEdit(): never {
  throw new AccessError(
    'Stock quantities cannot be edited directly: set `inventory_quantity` and apply the inventory.',
  )
}
