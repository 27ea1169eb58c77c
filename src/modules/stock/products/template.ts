// Products (product.template): whether their quantities are tracked, by lots or serial numbers, which routes
// they follow, and how much there is.
import {
  boolean,
  computedFields,
  extend,
  float,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  type Records,
  selection,
  text,
  type WriteChange,
} from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { settled } from '../quants/ledger.ts'
import { type Figure, figures, searchable, valuesOf } from './figures.ts'
import { contextKeys, NOTHING, type Quantities, quantitiesOf } from './quantities.ts'
import { trackings } from './trackings.ts'

const figure = (label: string) => float({ label, precision: 'Product Unit', computed: true })
const place = (label: string, usage: string, help: string) =>
  many2one('stock.location', { label, companyDependent: true, domain: [['usage', '=', usage]], help })

const template = extend('product.template', {
  fields: {
    is_storable: boolean({ label: 'Track Inventory', default: false, help: 'Quantities are tracked.' }),
    tracking: selection(trackings, {
      label: 'Tracking',
      required: true,
      default: 'none',
      help: 'Whether goods are told apart by lots or by serial numbers.',
    }),
    responsible_id: many2one('res.users', { label: 'Responsible', companyDependent: true }),
    property_stock_production: place(
      'Production Location',
      'production',
      'Goods that are made come from it.',
    ),
    property_stock_inventory: place(
      'Inventory Location',
      'inventory',
      'Differences of counts come from it and go to it.',
    ),
    sale_delay: integer({
      label: 'Customer Lead Time',
      default: 0,
      help: 'Days between the confirmation of an order and its delivery.',
    }),
    qty_available: figure('Quantity On Hand'),
    free_qty: figure('Free To Use Quantity'),
    incoming_qty: figure('Incoming'),
    outgoing_qty: figure('Outgoing'),
    virtual_available: figure('Forecasted Quantity'),
    route_ids: many2many('stock.route', {
      label: 'Routes',
      relation: { table: 'stock_route_product', column: 'product_id', other: 'route_id' },
      domain: [['product_selectable', '=', true]],
    }),
    description_picking: text({ label: 'Description on Picking', translate: true }),
    description_pickingout: text({ label: 'Description on Delivery Orders', translate: true }),
    description_pickingin: text({ label: 'Description on Receptions', translate: true }),
    lot_sequence_id: many2one('ir.sequence', { label: 'Serial/Lot Numbers Sequence', copy: false }),
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
}

const sum = (a: Quantities, b: Quantities): Quantities => ({
  onHand: settled(a.onHand + b.onHand),
  free: settled(a.free + b.free),
  incoming: settled(a.incoming + b.incoming),
  outgoing: settled(a.outgoing + b.outgoing),
  forecast: settled(a.forecast + b.forecast),
})

const shared = computedFields(
  template,
  Object.keys(figures) as Figure[],
  ['product_variant_ids'],
  async (templates, env) => {
    const variants = templates.flatMap((template) => template.product_variant_ids.map(({ id }) => id))
    const quantities = await quantitiesOf(env, variants)
    return new Map(
      templates.map((template) => [
        template.id,
        valuesOf(
          template.product_variant_ids.map(({ id }) => quantities.get(id) ?? NOTHING).reduce(sum, NOTHING),
        ),
      ]),
    )
  },
  { context: contextKeys },
)

/** Throws UserError for a unit that changes once goods were moved. */
async function assertUnits(
  templates: Records<'product.template'>,
  changes: readonly WriteChange[],
): Promise<void> {
  const unitChanges = changes.filter(({ vals }) => Number.isInteger(vals.uom_id))
  for (const { ids, vals } of unitChanges) {
    const rows = await templates.env.rows(
      sql`SELECT 1 FROM product_template t JOIN product_product p ON p.product_tmpl_id = t.id
      JOIN stock_move_line l ON l.product_id = p.id AND l.state <> 'cancel'
      WHERE t.id = ANY(${idList([...ids])}) AND t.uom_id <> ${vals.uom_id as number}::int LIMIT 1`,
      { reads: ['product.template', 'product.product', 'stock.move.line'], row: ['int'] },
    )
    if (rows.length)
      throw new UserError(
        'The unit of a product with moves cannot change: archive the product, and create a new one.',
      )
  }
}

/**
 * Throws UserError for goods that are reserved: what is reserved was written down, or was not, by whether
 * they are tracked.
 */
async function assertTracking(
  templates: Records<'product.template'>,
  changes: readonly WriteChange[],
): Promise<void> {
  for (const { ids, vals } of changes.filter((change) => 'is_storable' in change.vals)) {
    const rows = await templates.env.rows(
      sql`SELECT 1 FROM product_template t JOIN product_product p ON p.product_tmpl_id = t.id
      JOIN stock_move_line l ON l.product_id = p.id AND l.state NOT IN ('done', 'cancel') AND l.quantity <> 0
      WHERE t.id = ANY(${idList([...ids])}) AND COALESCE(t.is_storable, FALSE) <> ${Boolean(vals.is_storable)}::bool LIMIT 1`,
      { reads: ['product.template', 'product.product', 'stock.move.line'], row: ['int'] },
    )
    if (rows.length)
      throw new UserError('The tracking of reserved goods cannot change: unreserve them first.')
  }
}

export default implement(template, {
  defaults: {
    responsible_id: (env) => env.uid,
    lot_sequence_id: (env) => env.find('stock.sequence_production_lots'),
  },
  computed: { ...searchable(shared, 'template') },
  wrapWrite: (next) => async (templates, changes) => {
    await assertUnits(templates, changes)
    await assertTracking(templates, changes)
    await next(templates, changes)
  },
})
