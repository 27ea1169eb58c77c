// Products and their categories as forms ask for them: moves and rules in figures, routes, and views of them.
import {
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  extend,
  float,
  implement,
  integer,
  many2many,
  many2one,
  type Of,
  one2many,
  propertiesDefinition,
  type Records,
  returns,
  selection,
} from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, assertNoneMissing, shownWindow } from '../../base/index.ts'
import { isEncoded } from '../barcodes/patterns.ts'

const object = returns<object>('object', 'dict')
const shows = (doc: string) => ({ doc, readonly: true, params: {}, returns: object }) as const
const chosen = { computed: true, readonly: false } as const
const computedFlag = (label: string) => boolean({ label, computed: true })
const count = (label: string, help: string) => integer({ label, computed: true, help })
const sum = (label: string) => float({ label, precision: 'Product Unit', computed: true })
const moved = {
  nbr_moves_in: count('Receipts', 'Lines of receipts of the last year.'),
  nbr_moves_out: count('Deliveries', 'Lines of deliveries of the last year.'),
  reordering_min_qty: sum('Least Quantity of Reordering Rules'),
  reordering_max_qty: sum('Highest Quantity of Reordering Rules'),
} as const

const category = extend('product.category', {
  fields: {
    packaging_reserve_method: selection(
      { full: 'Whole packagings alone', partial: 'Parts of packagings too' },
      { label: 'Reserve Packagings', default: 'partial' },
    ),
    parent_route_ids: many2many('stock.route', { label: 'Routes of Parents', computed: true }),
    total_route_ids: many2many('stock.route', { label: 'All Routes', computed: true }),
    putaway_rule_ids: one2many('stock.putaway.rule', 'category_id', { label: 'Put-away Rules' }),
  },
})
const template = extend('product.template', {
  fields: {
    ...moved,
    nbr_reordering_rules: integer({ label: 'Reordering Rules', computed: true }),
    next_serial: char({ label: 'Next Number of Lots', computed: true }),
    has_available_route_ids: computedFlag('Routes Can Be Chosen'),
    route_from_categ_ids: many2many('stock.route', {
      label: 'Routes of the Category',
      related: 'categ_id.total_route_ids',
    }),
    location_id: many2one('stock.location', { label: 'Place', ...chosen, help: 'From the context.' }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      ...chosen,
      help: 'Named in the context, where figures are those of one warehouse.',
    }),
    show_on_hand_qty_status_button: computedFlag('Quantity on Hand Is Shown'),
    show_forecasted_qty_status_button: computedFlag('Forecast Is Shown'),
    show_qty_update_button: computedFlag('Quantity Is Typed on the Product'),
  },
  methods: {
    compute_is_storable: {
      doc: 'Quantities of products that are not goods are not tracked.',
      params: {},
    },
    action_view_stock_move_lines: shows('Shows what was moved of products.'),
  },
})
const product = extend('product.product', {
  fields: {
    ...moved,
    putaway_rule_ids: one2many('stock.putaway.rule', 'product_id', { label: 'Put-away Rules' }),
    storage_category_capacity_ids: one2many('stock.storage.category.capacity', 'product_id', {
      label: 'Capacities of Storage Categories',
    }),
    valid_ean: boolean({ label: 'Barcode Is an EAN', computed: true }),
    lot_properties_definition: propertiesDefinition({ label: 'Properties of Lots' }),
  },
  methods: {
    get_components: {
      doc: 'Returns the products delivered for a product: the product itself.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    filter_has_routes: {
      doc: 'Returns the products with routes of their own or of their category.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    get_total_routes: {
      doc: 'Routes of products and of their categories.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    action_view_orderpoints: shows('Shows reordering rules of products.'),
    action_open_quants: shows('Shows where products are.'),
    action_product_forecast_report: shows('Shows what is expected to come and to leave.'),
  },
})

declare module '#models' {
  interface ProductCategory extends Of<typeof category> {}
  interface ProductTemplate extends Of<typeof template> {}
  interface ProductProduct extends Of<typeof product> {}
}

interface Known {
  readonly id: number
}

/** Moves and reordering rules by product, or by template as the sums of its variants. */
async function figuresOf(
  env: Records<'product.product'>['env'],
  records: readonly Known[],
  areTemplates: boolean,
) {
  const key = areTemplates ? sql`p.product_tmpl_id` : sql`p.id`
  const rows = await env.rows(
    sql`SELECT ${key}, COALESCE(sum(l.came), 0)::int, COALESCE(sum(l.gone), 0)::int, COALESCE(sum(o.rules), 0)::int,
      COALESCE(sum(o.least), 0)::float8, COALESCE(sum(o.most), 0)::float8 FROM product_product p
    LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE t.code = 'incoming') AS came, count(*) FILTER (WHERE t.code = 'outgoing') AS gone
      FROM stock_move_line m JOIN stock_picking k ON k.id = m.picking_id JOIN stock_picking_type t ON t.id = k.picking_type_id
      WHERE m.product_id = p.id AND m.state = 'done' AND m.company_id = ANY(${idList([...env.companyIds])})
        AND m.date >= now() AT TIME ZONE 'UTC' - interval '365 days') l ON true
    LEFT JOIN LATERAL (SELECT count(*) AS rules, sum(r.product_min_qty) AS least, sum(r.product_max_qty) AS most
      FROM stock_warehouse_orderpoint r WHERE r.product_id = p.id AND r.active AND r.company_id = ANY(${idList([...env.companyIds])})) o ON true
    WHERE ${key} = ANY(${idList(records.map(({ id }) => id))}) GROUP BY 1`,
    {
      reads: [
        'product.product',
        'stock.move.line',
        'stock.picking',
        'stock.picking.type',
        'stock.warehouse.orderpoint',
      ],
      row: ['int', 'int', 'int', 'int', 'float', 'float'],
    },
  )
  const byId = new Map(rows.map((row) => [row[0], row]))
  return new Map(
    records.map(({ id }) => {
      const [, nbr_moves_in = 0, nbr_moves_out = 0, rules = 0, least = 0, most = 0] = byId.get(id) ?? []
      return [
        id,
        {
          nbr_moves_in,
          nbr_moves_out,
          nbr_reordering_rules: rules,
          reordering_min_qty: least,
          reordering_max_qty: most,
        },
      ]
    }),
  )
}

/** Routes of categories: those of the ones above, and their own too with `isOwn`. */
const routesOf = (isOwn: boolean) =>
  computedTogether(category, ['route_ids'], async (categories, env) => {
    const rows = await env.rows(
      sql`SELECT c.id, r.route_id FROM product_category c JOIN product_category a ON starts_with(c.parent_path, a.parent_path)
        AND (a.id <> c.id OR ${isOwn}::bool) JOIN stock_route_categ r ON r.categ_id = a.id
      WHERE c.id = ANY(${idList(categories.map(({ id }) => id))}) ORDER BY r.route_id`,
      { reads: ['product.category'], row: ['int', 'int'] },
    )
    const byCategory = Map.groupBy(rows, ([id]) => id)
    return new Map(
      categories.map(({ id }) => [id, [...new Set((byCategory.get(id) ?? []).map((row) => row[1]))]]),
    )
  })

/** Routes by product: its own and those of its category and all above that one. */
async function routesOfProducts(products: Records<'product.product'>): Promise<Map<number, number[]>> {
  const rows = await products.load(['product_tmpl_id.route_ids', 'product_tmpl_id.route_from_categ_ids'])
  return new Map(
    rows.map(({ id, product_tmpl_id: template }) => [
      id,
      [...new Set([...template.route_ids, ...template.route_from_categ_ids].map((route) => route.id))],
    ]),
  )
}

const storable = computed(template, ['is_storable'], (template) => template.is_storable)

/** A view of the records that hang on products. */
const over =
  (name: string, model: 'stock.warehouse.orderpoint' | 'stock.quant', more: readonly unknown[] = []) =>
  async (products: Records<'product.product'>): Promise<object> => {
    await assertAllowed(products, 'read')
    return shownWindow({
      name,
      res_model: model,
      view_mode: 'list,form',
      domain: [['product_id', 'in', products.ids], ...more],
    })
  }

export const goodsShown = [
  implement(category, {
    computed: { parent_route_ids: routesOf(false), total_route_ids: routesOf(true) },
  }),
  implement(template, {
    computed: {
      ...computedFields(
        template,
        ['nbr_moves_in', 'nbr_moves_out', 'nbr_reordering_rules', 'reordering_min_qty', 'reordering_max_qty'],
        [],
        (templates, env) => figuresOf(env, templates, true),
      ),
      has_available_route_ids: computedTogether(template, [], async (templates, env) => {
        const some = await env.model('stock.route').searchCount([['product_selectable', '=', true]])
        return new Map(templates.map(({ id }) => [id, some > 0]))
      }),
      next_serial: computed(
        template,
        ['lot_sequence_id.prefix', 'lot_sequence_id.padding', 'lot_sequence_id.number_next_actual'],
        ({ lot_sequence_id: numbers }) =>
          numbers &&
          `${numbers.prefix ?? ''}${String(numbers.number_next_actual).padStart(numbers.padding, '0')}`,
      ),
      location_id: computed(template, [], () => null),
      warehouse_id: computed(template, [], () => null),
      show_on_hand_qty_status_button: storable,
      show_forecasted_qty_status_button: storable,
      show_qty_update_button: computed(template, [], () => false),
    },
    methods: {
      compute_is_storable: async (templates) => {
        const rows = await templates.load(['type', 'is_storable'])
        assertNoneMissing(templates, rows)
        const wrong = rows.filter((row) => row.type !== 'consu' && row.is_storable)
        await templates.browse(wrong.map(({ id }) => id)).write({ is_storable: false })
        return null
      },
      action_view_stock_move_lines: async (templates) => {
        await assertAllowed(templates, 'read')
        return shownWindow({
          name: 'Moves History',
          res_model: 'stock.move.line',
          view_mode: 'list,form',
          domain: [['product_id.product_tmpl_id', 'in', templates.ids]],
        })
      },
    },
  }),
  implement(product, {
    computed: {
      ...computedFields(
        product,
        ['nbr_moves_in', 'nbr_moves_out', 'nbr_reordering_rules', 'reordering_min_qty', 'reordering_max_qty'],
        [],
        async (products, env) => figuresOf(env, products, false),
      ),
      valid_ean: computed(product, ['barcode'], ({ barcode }) =>
        ['ean13', 'ean8', 'upca'].some((encoding) => barcode !== null && isEncoded(barcode, encoding)),
      ),
    },
    methods: {
      get_components: async (products) => {
        await assertAllowed(products, 'read')
        return [...products.ids]
      },
      filter_has_routes: async (products) =>
        [...(await routesOfProducts(products))].flatMap(([id, routes]) => (routes.length ? [id] : [])),
      get_total_routes: async (products) => [
        ...new Set([...(await routesOfProducts(products)).values()].flat()),
      ],
      action_view_orderpoints: over('Reordering Rules', 'stock.warehouse.orderpoint'),
      action_open_quants: over('Locations', 'stock.quant', [
        ['location_id.usage', 'in', ['internal', 'transit']],
      ]),
      action_product_forecast_report: async (products) => {
        await assertAllowed(products, 'read')
        return {
          type: 'ir.actions.client',
          name: 'Forecast',
          tag: 'stock_forecasted',
          res_model: 'product.product',
          context: { active_model: 'product.product', active_id: products.ids[0] ?? false },
        }
      },
    },
  }),
] as const
