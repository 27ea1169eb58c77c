// Places (stock.location): shelves, rooms, and the virtual places that goods come from and go to; a tree.
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  html,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  returns,
  type Scope,
  selection,
  type WriteChange,
} from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { keptOnceIssued, markCopies } from '../../base/index.ts'
import { holdsGoods, usages } from './usages.ts'

export const location = model('stock.location', {
  label: 'Inventory Locations',
  formsBySaving: true,
  order: 'complete_name, id',
  recName: 'complete_name',
  recNamesSearch: ['complete_name', 'barcode'],
  parent: 'location_id',
  parentStore: true,
  rules: {
    barcode_company_uniq: {
      unique: ['barcode', 'company_id'],
      message: 'The barcode for a location must be unique per company!',
    },
  },
  fields: {
    name: char({ label: 'Location Name', required: true }),
    complete_name: char({ label: 'Full Location Name', computed: true, stored: true }),
    active: boolean({ label: 'Active', default: true }),
    usage: selection(usages, {
      label: 'Location Type',
      required: true,
      default: 'internal',
      index: true,
      help: 'Stock is held in internal locations, and in transit locations while it is moved. All other types represent vendors, customers, production and losses.',
    }),
    location_id: many2one('stock.location', {
      label: 'Parent Location',
      index: true,
      checkCompany: true,
      ondelete: 'cascade',
    }),
    child_ids: one2many('stock.location', 'location_id', { label: 'Contains' }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
    comment: html({ label: 'Additional Information' }),
    company_id: many2one('res.company', {
      label: 'Company',
      index: true,
      ondelete: 'cascade',
      help: 'Empty for a place that companies share.',
    }),
    replenish_location: boolean({ label: 'Replenishments', help: 'Its shortages are replenished.' }),
    barcode: char({ label: 'Barcode', copy: false }),
    removal_strategy_id: many2one('product.removal', {
      label: 'Removal Strategy',
      help: 'Order in which goods are removed. Empty: that of the parent location.',
    }),
    cyclic_inventory_frequency: integer({
      label: 'Inventory Frequency',
      help: 'Days between two counts; 0 for none.',
    }),
    storage_category_id: many2one('stock.storage.category', {
      label: 'Storage Category',
      ondelete: 'set null',
      index: true,
    }),
    quant_ids: one2many('stock.quant', 'location_id', { label: 'Quants' }),
    warehouse_id: many2one('stock.warehouse', { label: 'Warehouse', asStored: true, computed: true }),
    is_empty: boolean({ label: 'Is Empty', computed: true }),
  },
  methods: {
    should_bypass_reservation: {
      doc: 'Whether moves from the location need no reservation.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'stock.location': StockLocation
  }
  interface StockLocation extends Of<typeof location> {}
}

/** The warehouse whose view is the place or stands closest above it. */
const warehouseSql = (
  scope: Scope,
) => sql`(SELECT w.id FROM stock_warehouse w JOIN stock_location v ON v.id = w.view_location_id
  WHERE starts_with(${scope.column('parent_path')}, v.parent_path) ORDER BY length(v.parent_path) DESC LIMIT 1)`

async function warehousesOf(
  env: Environment,
  ids: readonly number[],
): Promise<Map<number, { readonly id: number } | null>> {
  const rows = await env.rows(
    sql`SELECT DISTINCT ON (l.id) l.id, w.id FROM stock_location l
    JOIN stock_location v ON starts_with(l.parent_path, v.parent_path) JOIN stock_warehouse w ON w.view_location_id = v.id
    WHERE l.id = ANY(${idList(ids)}) ORDER BY l.id, length(v.parent_path) DESC`,
    { reads: ['stock.location', 'stock.warehouse'], row: ['int', 'int'] },
  )
  const warehouseOf = new Map(rows.map((row) => [row[0], { id: row[1] }]))
  return new Map(ids.map((id) => [id, warehouseOf.get(id) ?? null]))
}

/** Throws UserError for places that hold goods, and for those that warehouses work with. */
async function assertArchivable(locations: Records<'stock.location'>): Promise<void> {
  const ids = idList(locations.ids)
  const rows = await locations.env.rows(
    sql`SELECT l.complete_name FROM stock_location l
    WHERE l.id = ANY(${ids}) AND EXISTS (SELECT FROM stock_location below JOIN stock_quant q ON q.location_id = below.id
      WHERE starts_with(below.parent_path, l.parent_path) AND below.usage IN ('internal', 'transit')
        AND (q.quantity <> 0 OR q.reserved_quantity <> 0)) LIMIT 1`,
    { reads: ['stock.location', 'stock.quant'], row: ['text'] },
  )
  if (rows.length)
    throw new UserError(`${rows[0]?.[0]} contains goods: move them before you archive the location.`)
  const used = await locations.env.rows(
    sql`SELECT w.name FROM stock_warehouse w
    WHERE w.active AND (w.view_location_id = ANY(${ids}) OR w.lot_stock_id = ANY(${ids})) LIMIT 1`,
    { reads: ['stock.warehouse'], row: ['text'] },
  )
  if (used.length)
    throw new UserError(`The warehouse ${used[0]?.[0]} uses this location: archive the warehouse instead.`)
}

/** Throws UserError for a place with goods that becomes one of another kind. */
async function assertUsages(
  locations: Records<'stock.location'>,
  changes: readonly WriteChange[],
): Promise<void> {
  const views = changes.filter(({ vals }) => vals.usage === 'view').flatMap(({ ids }) => ids)
  if (views.length === 0) return
  const rows = await locations.env.rows(
    sql`SELECT 1 FROM stock_quant WHERE location_id = ANY(${idList(views)}) AND quantity <> 0 LIMIT 1`,
    { reads: ['stock.quant'], row: ['int'] },
  )
  if (rows.length)
    throw new UserError('A location that contains goods cannot become a view: move the goods first.')
}

/** Another usage would take the goods off the stock, and change what orders count as delivered. */
const keepUsage = keptOnceIssued<'stock.location'>(['usage'])

export default implement(location, {
  defaults: { company_id: (env) => env.companyId },
  displayName: computed(
    location,
    ['complete_name', 'name'],
    (location) => location.complete_name ?? location.name,
    {
      sql: (scope) => scope.column('complete_name'),
    },
  ),
  computed: {
    complete_name: computed(location, ['name', 'usage', 'location_id.complete_name'], (location) =>
      location.location_id && location.usage !== 'view'
        ? `${location.location_id.complete_name}/${location.name}`
        : location.name,
    ),
    warehouse_id: computedTogether(
      location,
      [],
      (locations, env) =>
        warehousesOf(
          env,
          locations.map(({ id }) => id),
        ),
      { sql: warehouseSql },
    ),
    is_empty: computedTogether(
      location,
      [],
      async (locations, env) => {
        const ids = locations.map(({ id }) => id)
        const rows = await env.rows(
          sql`SELECT DISTINCT location_id FROM stock_quant WHERE location_id = ANY(${idList(ids)}) AND quantity > 0`,
          { reads: ['stock.quant'], row: ['int'] },
        )
        const full = new Set(rows.map((row) => row[0]))
        return new Map(ids.map((id) => [id, !full.has(id)]))
      },
      {
        sql: (scope) =>
          sql`NOT EXISTS (SELECT FROM stock_quant q WHERE q.location_id = ${scope.id} AND q.quantity > 0)`,
      },
    ),
  },
  checks: {
    'The parent of a location must belong to the same company, or to none.': computed(
      location,
      ['company_id', 'location_id.company_id'],
      (location) =>
        !location.location_id?.company_id || location.location_id.company_id.id === location.company_id?.id,
    ),
  },
  methods: {
    should_bypass_reservation: async (locations) => !holdsGoods((await locations.one(['usage'])).usage),
  },
  wrapWrite: (next) => async (locations, changes) => {
    const archived = changes.filter(({ vals }) => 'active' in vals && !vals.active).flatMap(({ ids }) => ids)
    if (archived.length) await assertArchivable(locations.browse(archived))
    await assertUsages(locations, changes)
    await keepUsage(next)(locations, changes)
  },
  wrapGeneric: { copy_data: markCopies },
})
