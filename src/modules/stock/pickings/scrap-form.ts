// The form that asks for confirmation if the stock is insufficient (stock.warn.insufficient.qty.scrap).
import {
  char,
  computedTogether,
  type Environment,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  transient,
} from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { assertNoneMissing, shownWindow } from '../../base/index.ts'
import { convertQuantity, type UnitFactor } from '../../uom/index.ts'

const form = transient('stock.warn.insufficient.qty.scrap', {
  label: 'Warn Insufficient Scrap Quantity',
  fields: {
    product_id: many2one('product.product', { label: 'Product', required: true }),
    location_id: many2one('stock.location', { label: 'Location', required: true }),
    scrap_id: many2one('stock.scrap', { label: 'Scrap', ondelete: 'cascade' }),
    quantity: float({ label: 'Quantity', precision: 'Product Unit', required: true }),
    product_uom_name: char({ label: 'Unit', required: true }),
    quant_ids: many2many('stock.quant', {
      label: 'Quant',
      computed: true,
      help: 'Stock of the product in internal locations.',
    }),
  },
  methods: {
    action_done: { doc: 'Scraps the goods although the stock is insufficient.', params: {} },
    action_cancel: { doc: 'Deletes the draft scrap.', params: {} },
  },
})

declare module '#models' {
  interface Models {
    'stock.warn.insufficient.qty.scrap': WarnInsufficientQtyScrap
  }
  interface WarnInsufficientQtyScrap extends Of<typeof form> {}
}

export const scrapForm = implement(form, {
  computed: {
    quant_ids: computedTogether(form, ['product_id'], async (forms, env) => {
      const rows = await env.rows(
        sql`SELECT q.product_id, q.id FROM stock_quant q JOIN stock_location l ON l.id = q.location_id AND l.usage = 'internal'
        WHERE q.product_id = ANY(${idList(forms.map((form) => form.product_id.id))}) ORDER BY q.id`,
        { reads: ['stock.quant', 'stock.location'], row: ['int', 'int'] },
      )
      const byProduct = Map.groupBy(rows, (row) => row[0])
      return new Map(
        forms.map((form) => [form.id, (byProduct.get(form.product_id.id) ?? []).map((row) => row[1])]),
      )
    }),
  },
  methods: {
    action_done: async (forms) => {
      const rows = await forms.load(['scrap_id'])
      assertNoneMissing(forms, rows)
      const scraps = rows.flatMap(({ scrap_id }) => (scrap_id ? [scrap_id.id] : []))
      await forms.env.model('stock.scrap').browse(scraps).do_scrap()
      return null
    },
    action_cancel: async (forms) => {
      const rows = await forms.load(['scrap_id'])
      assertNoneMissing(forms, rows)
      const scraps = rows.flatMap(({ scrap_id }) => (scrap_id ? [scrap_id.id] : []))
      await forms.env.model('stock.scrap').browse(scraps).unlink()
      return null
    },
  },
})

/** Goods that are to be scrapped. */
interface Scrapped {
  readonly id: number
  readonly product_id: {
    readonly id: number
    readonly product_tmpl_id: { readonly is_storable: boolean; readonly uom_id: UnitFactor }
  }
  readonly product_uom_id: UnitFactor & { readonly name: string | null }
  readonly location_id: { readonly id: number }
  readonly lot_id: { readonly id: number } | null
  readonly package_id: { readonly id: number } | null
  readonly owner_id: { readonly id: number } | null
  readonly scrap_qty: number
}

/**
 * The first scrap with more than its location holds of its lot, package and owner, reserved or not; locations
 * below do not count. Goods whose quantities are not tracked are always there.
 */
export async function firstLacking<S extends Scrapped>(
  env: Environment,
  scraps: readonly S[],
): Promise<S | undefined> {
  const tracked = scraps.filter((scrap) => scrap.product_id.product_tmpl_id.is_storable)
  if (tracked.length === 0) return undefined
  const quantAsks = tracked.map((line) => ({
    scrap: line.id,
    product: line.product_id.id,
    location: line.location_id.id,
    lot: line.lot_id?.id ?? null,
    package: line.package_id?.id ?? null,
    owner: line.owner_id?.id ?? null,
  }))
  const rows = await env.rows(
    sql`SELECT x.scrap, COALESCE(sum(q.quantity), 0)::float8
    FROM jsonb_to_recordset(${JSON.stringify(quantAsks)}::jsonb) AS x(scrap int, product int, location int, lot int, package int, owner int)
    LEFT JOIN stock_quant q ON q.product_id = x.product AND q.location_id = x.location AND q.lot_id IS NOT DISTINCT FROM x.lot
      AND q.package_id IS NOT DISTINCT FROM x.package AND q.owner_id IS NOT DISTINCT FROM x.owner GROUP BY 1`,
    { reads: ['stock.quant'], row: ['int', 'float'] },
  )
  const held = new Map(rows.map((row) => [row[0], row[1]]))
  return tracked.find(
    (line) =>
      (held.get(line.id) ?? 0) <
      convertQuantity(line.scrap_qty, line.product_uom_id, line.product_id.product_tmpl_id.uom_id),
  )
}

/** The action that opens the form for a scrap. */
export const openScrapForm = (env: Environment, scrap: Scrapped): object =>
  shownWindow({
    name: 'Insufficient Quantity To Scrap',
    res_model: 'stock.warn.insufficient.qty.scrap',
    view_mode: 'form',
    views: [[false, 'form']],
    target: 'new',
    context: {
      ...env.context,
      default_product_id: scrap.product_id.id,
      default_location_id: scrap.location_id.id,
      default_scrap_id: scrap.id,
      default_quantity: scrap.scrap_qty,
      default_product_uom_name: scrap.product_uom_id.name,
    },
  })
