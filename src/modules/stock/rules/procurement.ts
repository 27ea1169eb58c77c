// Needs of goods in places, and the rules that meet them. For all needs of a call together: rules are few and
// are read once.

import { type Environment, reserveIds, type Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { openTransfersOf } from '../pickings/grouping.ts'

/** So much of a product is wanted in a place. */
export interface Need {
  readonly product: number
  /** In `unit`. */
  readonly quantity: number
  readonly unit: number
  readonly location: number
  readonly company: number
  /** Document that needs the goods, as shown on others. */
  readonly origin: string | null
  /** When it is wanted: `YYYY-MM-DD HH:MM:SS`. */
  readonly date: string
  readonly deadline?: string | null
  readonly warehouse?: number | null
  /** Routes that come before those of the product and the warehouse. */
  readonly routes?: readonly number[]
  readonly partner?: number | null
  readonly priority?: '0' | '1'
  /** Moves that take what comes. */
  readonly dests?: readonly number[]
  readonly final?: number | null
  readonly orderpoint?: number | null
  /** The vendor to buy from, where a rule buys. */
  readonly vendor?: number | null
  /** Further values of the moves that are made for it, such as the line of an order. */
  readonly values?: Vals<'stock.move'>
  /** Values of the transfer, where one is made for it. */
  readonly transfer?: Vals<'stock.picking'>
}

export interface Rule {
  readonly id: number
  readonly action: string
  readonly route: number
  readonly source: number | null
  readonly dest: number
  readonly destFromRule: boolean
  /**
   * Where the operation of a rule ends that pulls for customers but does not leave the house: the goods go
   * that far, and rules that push bring them on.
   */
  readonly firstStop: number | null
  /** Whether it brings goods to customers. */
  readonly isLast: boolean
  readonly type: number
  readonly method: string
  readonly delay: number
  readonly warehouse: number | null
  /** Whose need it becomes. */
  readonly supplier: number | null
  readonly company: number | null
  readonly partner: number | null
  readonly propagate: boolean
  readonly auto: string
}

/** A need with the rule that meets it. */
export interface Matched {
  readonly need: Need
  readonly rule: Rule
}

/** Rules in the order in which they are looked at: of the first route, the first rule. */
export async function loadRules(env: Environment, action: 'pull' | 'push'): Promise<Rule[]> {
  const actions = action === 'push' ? ['push', 'pull_push'] : null
  const rows = await env.rows(
    sql`SELECT r.id, r.action, r.route_id, r.location_src_id, r.location_dest_id, COALESCE(r.location_dest_from_rule, false),
      r.picking_type_id, r.procure_method, COALESCE(r.delay, 0), r.warehouse_id, r.company_id, r.partner_address_id,
      COALESCE(r.propagate_cancel, false), r.auto, r.propagate_warehouse_id,
      CASE WHEN d.usage = 'customer' AND y.code = 'internal' THEN y.default_location_dest_id END,
      d.usage = 'customer'
    FROM stock_rule r JOIN stock_route t ON t.id = r.route_id JOIN stock_location d ON d.id = r.location_dest_id
      JOIN stock_picking_type y ON y.id = r.picking_type_id
    WHERE r.active AND t.active AND ${actions ? sql`r.action = ANY(${actions}::text[])` : sql`r.action <> 'push'`}
    ORDER BY t.sequence NULLS LAST, r.sequence NULLS LAST, r.id`,
    {
      reads: ['stock.rule', 'stock.route', 'stock.location', 'stock.picking.type'],
      row: [
        'int',
        'text',
        'int',
        'int?',
        'int',
        'bool',
        'int',
        'text',
        'int',
        'int?',
        'int?',
        'int?',
        'bool',
        'text',
        'int?',
        'int?',
        'bool',
      ],
    },
  )
  return rows.map((row) => ({
    id: row[0],
    action: row[1],
    route: row[2],
    source: row[3],
    dest: row[4],
    destFromRule: row[5],
    type: row[6],
    method: row[7],
    delay: row[8],
    warehouse: row[9],
    company: row[10],
    partner: row[11],
    propagate: row[12],
    auto: row[13],
    supplier: row[14],
    firstStop: row[15],
    isLast: row[16],
  }))
}

/** Places from the inside out, by place. */
export async function loadChains(
  env: Environment,
  places: readonly number[],
): Promise<Map<number, readonly number[]>> {
  const rows = await env
    .model('stock.location')
    .browse([...new Set(places)])
    .load(['parent_path'])
  return new Map(
    rows.map((row) => [row.id, (row.parent_path ?? '').split('/').filter(Boolean).map(Number).reverse()]),
  )
}

export interface Routes {
  /** Of products and their categories, by product. */
  readonly products: ReadonlyMap<number, readonly number[]>
  readonly warehouses: ReadonlyMap<number, readonly number[]>
}

/** The routes that products and warehouses follow. */
export async function loadRoutes(env: Environment, products: readonly number[]): Promise<Routes> {
  const [rows, houses] = await Promise.all([
    env.rows(
      sql`SELECT p.id, r.route_id FROM product_product p JOIN stock_route_product r ON r.product_id = p.product_tmpl_id
      WHERE p.id = ANY(${idList([...new Set(products)])})
    UNION SELECT p.id, r.route_id FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id
      JOIN product_category c ON c.id = t.categ_id JOIN product_category above ON starts_with(c.parent_path, above.parent_path)
      JOIN stock_route_categ r ON r.categ_id = above.id WHERE p.id = ANY(${idList([...new Set(products)])})`,
      { reads: ['product.product', 'product.template', 'product.category'], row: ['int', 'int'] },
    ),
    env.rows(sql`SELECT warehouse_id, route_id FROM stock_route_warehouse`, {
      reads: [],
      row: ['int', 'int'],
    }),
  ])
  return { products: gathered(rows), warehouses: gathered(houses) }
}

function gathered(rows: readonly (readonly [number, number])[]): Map<number, number[]> {
  const routesOf = new Map<number, number[]>()
  for (const row of rows) routesOf.set(row[0], [...(routesOf.get(row[0]) ?? []), row[1]])
  return routesOf
}

/**
 * The rule for a need: of the routes asked for, else of the product's, else of the warehouse's; in the place,
 * else in the one around it.
 */
export function ruleFor(
  need: Pick<Need, 'product' | 'location' | 'company' | 'warehouse' | 'routes'>,
  rules: readonly Rule[],
  routes: Routes,
  chain: readonly number[],
  place: (rule: Rule) => number | null,
): Rule | null {
  const choices = [
    need.routes ?? [],
    routes.products.get(need.product) ?? [],
    need.warehouse ? (routes.warehouses.get(need.warehouse) ?? []) : [...routes.warehouses.values()].flat(),
  ]
  for (const location of chain)
    for (const choice of choices) {
      const matchingRule = rules.find(
        (rule) =>
          choice.includes(rule.route) &&
          place(rule) === location &&
          (rule.company === null || rule.company === need.company) &&
          (!need.warehouse || rule.warehouse === null || rule.warehouse === need.warehouse),
      )
      if (matchingRule) return matchingRule
    }
  return null
}

/** Meets needs by rules. Throws UserError for those without, unless `lenient`, which answers them. */
export async function meetNeeds(
  env: Environment,
  needs: readonly Need[],
  lenient = false,
): Promise<readonly Need[]> {
  const wanted = needs.filter((need) => need.quantity !== 0)
  if (wanted.length === 0) return []
  const su = env.sudo()
  const [rules, chains, routes, open] = await Promise.all([
    loadRules(su, 'pull'),
    loadChains(
      su,
      wanted.map((need) => need.location),
    ),
    loadRoutes(
      su,
      wanted.map((need) => need.product),
    ),
    openTransfersOf(
      su,
      wanted.map((need) => need.origin),
    ),
    // Each need becomes one move of a transfer, and mostly gets one line.
    reserveIds(
      su,
      new Map([
        ['stock.move', wanted.length],
        ['stock.picking', 1],
        ['stock.move.line', wanted.length],
      ]),
    ),
  ])
  const matched: Matched[] = []
  const unmet: Need[] = []
  for (const need of wanted) {
    const rule = ruleFor(need, rules, routes, chains.get(need.location) ?? [], (one) => one.dest)
    if (rule) matched.push({ need, rule })
    else unmet.push(need)
  }
  if (unmet.length && !lenient) {
    const [product] = await su
      .model('product.product')
      .browse([present(unmet[0]).product])
      .load(['display_name'])
    const [place] = await su
      .model('stock.location')
      .browse([present(unmet[0]).location])
      .load(['complete_name'])
    throw new UserError(
      `No rule says how ${product?.display_name} gets to ${place?.complete_name}: choose a route for the product or the warehouse.`,
    )
  }
  if (matched.length) await su.model('stock.rule').invoke('carry_out', { needs: matched, open })
  return unmet
}
