// Parts of transfers that are made and done in one go: goods, places and kinds of operations.
import { atOnce, type Environment, type Vals } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import type { UnitFactor } from '../../uom/index.ts'

/** Goods that change places together. */
export interface Handover {
  /** Values of the transfer, without its goods, its number and its state. */
  readonly picking: Vals<'stock.picking'>
  readonly type: number
  readonly source: number
  readonly destination: number
  readonly company: number
  /** Products without lots, each in its own unit and more than none of it. */
  readonly goods: readonly { readonly product: number; readonly quantity: number }[]
}

interface Product {
  readonly storable: boolean
  readonly unit: UnitFactor
  readonly method: string | null
}

interface Place {
  readonly usage: string
  readonly path: string
  readonly method: string | null
  /** Whether rules push on what arrives. */
  readonly pushes: boolean
}

export interface Facts {
  readonly products: ReadonlyMap<number, Product>
  readonly places: ReadonlyMap<number, Place>
  readonly types: ReadonlyMap<number, 'direct' | 'one'>
}

/**
 * Facts that decide of goods and places: by the engine, so that what is made of them afterwards, and their
 * companies, is known.
 */
export async function loadFacts(env: Environment, handovers: readonly Handover[]): Promise<Facts> {
  const products = [...new Set(handovers.flatMap(({ goods }) => goods.map(({ product }) => product)))]
  const places = [...new Set(handovers.flatMap(({ source, destination }) => [source, destination]))]
  const types = [...new Set(handovers.map(({ type }) => type))]
  const [goods, ends, kinds, pushing] = await atOnce(
    env,
    () =>
      env
        .model('product.product')
        .browse(products)
        .load([
          'product_tmpl_id.is_storable',
          'product_tmpl_id.company_id',
          'product_tmpl_id.uom_id.factor',
          'product_tmpl_id.categ_id.removal_strategy_id.method',
        ]),
    () =>
      env
        .model('stock.location')
        .browse(places)
        .load(['usage', 'parent_path', 'company_id', 'removal_strategy_id.method']),
    () =>
      env
        .model('stock.picking.type')
        .browse(types)
        .load(['move_type', 'company_id', 'picking_properties_definition']),
    () =>
      env.rows(
        sql`SELECT DISTINCT r.location_src_id FROM stock_rule r
          WHERE r.active AND r.action IN ('push', 'pull_push') AND r.location_src_id = ANY(${idList(places)})`,
        { reads: ['stock.rule'], row: ['int'], kept: [] },
      ),
  )
  const pushes = new Set(pushing.map(([place]) => place))
  return {
    products: new Map(
      goods.map(({ id, product_tmpl_id: template }) => [
        id,
        {
          storable: template.is_storable,
          unit: template.uom_id,
          method: template.categ_id?.removal_strategy_id?.method ?? null,
        },
      ]),
    ),
    places: new Map(
      ends.map((end) => [
        end.id,
        {
          usage: end.usage,
          path: end.parent_path ?? '',
          method: end.removal_strategy_id?.method ?? null,
          pushes: pushes.has(end.id),
        },
      ]),
    ),
    types: new Map(kinds.map((kind) => [kind.id, kind.move_type])),
  }
}
