// Costs that documents booked for goods sold: by their lines, for documents that bill more of the same goods,
// and by product, for credit notes that take them back.
import type { Environment } from '#models'
import { convertQuantity } from '../uom/index.ts'
import type { Parcel } from './parcels.ts'

/** Costs that lines of documents booked, by line; what credit notes took back is negative. */
export async function costsByLine(
  companyEnv: Environment,
  lines: readonly number[],
): Promise<Map<number, Parcel>> {
  const items = await itemsBy(companyEnv, 'cogs_origin_id', lines)
  return new Map(
    items.flatMap(({ origin, quantity, balance, isNote }) =>
      origin === null ? [] : [[origin, { quantity: isNote ? -quantity : quantity, value: balance }]],
    ),
  )
}

/** Costs that documents booked, by document and product (`costKey`), in the order of their lines. */
export async function costsByProduct(
  companyEnv: Environment,
  entries: readonly number[],
): Promise<Map<string, Parcel[]>> {
  const booked = new Map<string, Parcel[]>()
  for (const { entry, product, quantity, balance, isNote } of await itemsBy(companyEnv, 'move_id', entries)) {
    if (quantity === 0) continue
    const key = costKey(entry, product)
    // A correction may take cost off, which its reversal books again.
    const sign = Math.sign(quantity) * (isNote ? -1 : 1)
    const parcel = { quantity: Math.abs(quantity), value: balance * sign }
    booked.set(key, [...(booked.get(key) ?? []), parcel])
  }
  return booked
}

export const costKey = (entry: number, product: number) => `${entry}/${product}`

/** Items of goods sold, one for each line: quantities in the unit of the product, costs as balances. */
async function itemsBy(companyEnv: Environment, field: 'cogs_origin_id' | 'move_id', ids: readonly number[]) {
  if (ids.length === 0) return []
  const cogsItems = await companyEnv.model('account.move.line').search(
    [
      [field, 'in', [...ids]],
      ['display_type', '=', 'cogs'],
    ],
    { order: 'move_id, id' },
  )
  const items = await cogsItems.load([
    'move_id.move_type',
    'product_id.product_tmpl_id.uom_id.factor',
    'product_uom_id.factor',
    'quantity',
    'balance',
    'cogs_origin_id',
  ])
  const seen = new Set<number>()
  return items.flatMap(({ move_id, product_id, product_uom_id, cogs_origin_id: origin, ...item }) => {
    // Two items a line, with opposite balances: the first says what was booked.
    if (!product_id || (origin && seen.has(origin.id))) return []
    if (origin) seen.add(origin.id)
    const unit = product_id.product_tmpl_id.uom_id
    return {
      entry: move_id.id,
      isNote: move_id.move_type === 'out_refund',
      product: product_id.id,
      origin: origin?.id ?? null,
      quantity: convertQuantity(item.quantity, product_uom_id ?? unit, unit, 'half-up'),
      balance: item.balance,
    }
  })
}
