// Packages within packages (stock.package), what they hold and where they go.
import {
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  extend,
  implement,
  many2many,
  many2one,
  type Of,
  one2many,
  type Records,
  returns,
} from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { isSscc } from '../barcodes/patterns.ts'
import { settled } from './ledger.ts'
import { packageFor, packParams } from './packing.ts'
import { removeFromTransfers, unpack } from './unpacking.ts'

type Packages = Records<'stock.package'>

const live = { computed: true } as const

const stockPackage = extend('stock.package', {
  parent: 'parent_package_id',
  parentStore: true,
  fields: {
    parent_package_id: many2one('stock.package', {
      label: 'Container',
      ondelete: 'set null',
      index: true,
      copy: false,
      checkCompany: true,
    }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
    child_package_ids: one2many('stock.package', 'parent_package_id', { label: 'Packages in It' }),
    all_children_package_ids: many2many('stock.package', {
      label: 'All Packages in It',
      ...live,
      asLines: true,
    }),
    package_dest_id: many2one('stock.package', {
      label: 'Container to Come',
      ondelete: 'set null',
      index: true,
      copy: false,
      help: 'Where the move puts the package.',
    }),
    child_package_dest_ids: one2many('stock.package', 'package_dest_id', { label: 'Packages to Come' }),
    outermost_package_id: many2one('stock.package', { label: 'Outermost Container to Come', ...live }),
    complete_name: char({
      label: 'Full Name',
      ...live,
      asStored: true,
      help: 'With the containers that it is in.',
    }),
    dest_complete_name: char({ label: 'Full Name to Come', ...live }),
    contained_quant_ids: many2many('stock.quant', { label: 'All Content', ...live, asLines: true }),
    content_description: char({ label: 'Content', ...live, help: 'Products with their quantities.' }),
    move_line_ids: many2many('stock.move.line', { label: 'Details of Open Moves', ...live, asLines: true }),
    picking_ids: many2many('stock.picking', { label: 'Open Transfers', ...live }),
    location_dest_id: many2one('stock.location', { label: 'Goes To', ...live }),
    owner_id: many2one('res.partner', { label: 'Owner', ...live, help: 'Of all that is in it.' }),
    valid_sscc: boolean({ label: 'Name Is an SSCC', ...live }),
  },
  methods: {
    unpack: {
      doc: 'Unpacks packages: their goods stay in the location without a package.',
      params: {},
    },
    action_put_in_pack: {
      doc: 'Puts packages into a container: a new one unless it is named.',
      ...packParams,
    },
    action_remove_package: {
      doc: 'Removes packages from open transfers: their goods move without a package.',
      params: {},
    },
    action_add_to_picking: {
      doc: 'Adds all that packages hold to the transfer of the context (picking_id).',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface StockPackage extends Of<typeof stockPackage> {}
}

interface Known {
  readonly id: number
}
type Env = Packages['env']
const idsOf = (all: readonly Known[]) => idList(all.map(({ id }) => id))

/** Content of packages, their own and that of those in them. */
const contents = computedFields(
  stockPackage,
  ['contained_quant_ids', 'content_description', 'owner_id', 'all_children_package_ids'],
  ['parent_path'],
  async (packages, env) => {
    const below = await env.rows(
      sql`SELECT p.id, c.id FROM stock_package p JOIN stock_package c ON starts_with(c.parent_path, p.parent_path) AND c.id <> p.id
      WHERE p.id = ANY(${idsOf(packages)}) ORDER BY c.id`,
      { reads: ['stock.package'], row: ['int', 'int'] },
    )
    const rows = await env.rows(
      sql`SELECT p.id, q.id, q.owner_id, q.quantity::float8, t.name->>${env.lang ?? 'en_US'}, t.name->>'en_US' FROM stock_package p
      JOIN stock_package c ON c.id = p.id OR starts_with(c.parent_path, p.parent_path)
      JOIN stock_quant q ON q.package_id = c.id AND q.quantity <> 0
      JOIN product_product v ON v.id = q.product_id JOIN product_template t ON t.id = v.product_tmpl_id
      WHERE p.id = ANY(${idsOf(packages)}) ORDER BY q.id`,
      {
        reads: ['stock.package', 'stock.quant', 'product.product', 'product.template'],
        row: ['int', 'int', 'int?', 'float', 'text?', 'text?'],
      },
    )
    const children = Map.groupBy(below, ([id]) => id)
    const held = Map.groupBy(rows, ([id]) => id)
    return new Map(
      packages.map(({ id }) => {
        const heldQuants = held.get(id) ?? []
        const sums = new Map<string, number>()
        for (const [, , , quantity, name, english] of heldQuants) {
          const product = name ?? english ?? ''
          sums.set(product, (sums.get(product) ?? 0) + quantity)
        }
        const owners = new Set(heldQuants.map((row) => row[2]))
        const [owner] = owners
        return [
          id,
          {
            contained_quant_ids: heldQuants.map((row) => row[1]),
            content_description: [...sums]
              .map(([product, quantity]) => `${settled(quantity)} ${product}`)
              .join(', '),
            owner_id: owners.size === 1 ? (owner ?? null) : null,
            all_children_package_ids: (children.get(id) ?? []).map((row) => row[1]),
          },
        ]
      }),
    )
  },
)

/** Open transfers that packages are in, or are packed by. */
const transfers = computedFields(
  stockPackage,
  ['move_line_ids', 'picking_ids', 'location_dest_id'],
  [],
  async (packages, env) => {
    const rows = await env.rows(
      sql`SELECT x.package, l.id, l.picking_id, l.location_dest_id FROM stock_move_line l
      CROSS JOIN LATERAL (SELECT DISTINCT y.package FROM (VALUES (l.package_id), (l.result_package_id)) AS y(package)) AS x
      WHERE x.package = ANY(${idsOf(packages)}) AND l.state NOT IN ('done', 'cancel') ORDER BY l.id`,
      { reads: ['stock.move.line'], row: ['int', 'int', 'int?', 'int'] },
    )
    const byPackage = Map.groupBy(rows, ([id]) => id)
    return new Map(
      packages.map(({ id }) => {
        const packageLines = byPackage.get(id) ?? []
        const places = new Set(packageLines.map((row) => row[3]))
        const [place] = places
        return [
          id,
          {
            move_line_ids: packageLines.map((row) => row[1]),
            picking_ids: [...new Set(packageLines.flatMap((row) => row[2] ?? []))],
            location_dest_id: places.size === 1 ? (place ?? null) : null,
          },
        ]
      }),
    )
  },
)

/** Names of packages with those of their containers, by the field that names these; and the outermost ones. */
async function chainsOf(env: Env, packages: readonly Known[], by: 'parent_package_id' | 'package_dest_id') {
  const field = by === 'parent_package_id' ? sql`p.parent_package_id` : sql`p.package_dest_id`
  const rows = await env.rows(
    sql`WITH RECURSIVE up(id, at, depth) AS (SELECT x, x, 0 FROM unnest(${idsOf(packages)}) AS x
      UNION ALL SELECT u.id, ${field}, u.depth + 1 FROM up u JOIN stock_package p ON p.id = u.at
        WHERE ${field} IS NOT NULL AND u.depth < 20)
    SELECT u.id, string_agg(p.name, ' > ' ORDER BY u.depth DESC), (array_agg(u.at ORDER BY u.depth DESC))[1]
    FROM up u JOIN stock_package p ON p.id = u.at GROUP BY u.id`,
    { reads: ['stock.package'], row: ['int', 'text', 'int'] },
  )
  return new Map(rows.map((row) => [row[0], { name: row[1], outermost: row[2] }]))
}

export default implement(stockPackage, {
  computed: {
    ...contents,
    ...transfers,
    complete_name: computedTogether(stockPackage, ['name', 'parent_package_id'], async (packages, env) => {
      const chains = await chainsOf(env, packages, 'parent_package_id')
      return new Map(packages.map(({ id, name }) => [id, chains.get(id)?.name ?? name]))
    }),
    dest_complete_name: computedTogether(stockPackage, ['name', 'package_dest_id'], async (packages, env) => {
      const chains = await chainsOf(env, packages, 'package_dest_id')
      return new Map(packages.map(({ id, name }) => [id, chains.get(id)?.name ?? name]))
    }),
    outermost_package_id: computedTogether(stockPackage, ['package_dest_id'], async (packages, env) => {
      const chains = await chainsOf(env, packages, 'package_dest_id')
      return new Map(packages.map(({ id }) => [id, chains.get(id)?.outermost ?? id]))
    }),
    valid_sscc: computed(stockPackage, ['name'], ({ name }) => isSscc(name)),
  },
  methods: {
    unpack,
    action_put_in_pack: async (packages, params) => {
      await assertAllowed(packages, 'write')
      const into = await packageFor(packages.env, params)
      if (packages.ids.includes(into)) throw new UserError('A package cannot be put into itself.')
      const rows = await packages.load(['picking_ids'])
      const idsOfRows = (isGoing: boolean) =>
        rows.filter((row) => row.picking_ids.length > 0 === isGoing).map(({ id }) => id)
      const [going, resting] = [idsOfRows(true), idsOfRows(false)]
      if (going.length) await packages.browse(going).write({ package_dest_id: into })
      if (resting.length) await packages.browse(resting).write({ parent_package_id: into })
      return [into]
    },
    action_remove_package: removeFromTransfers,
    action_add_to_picking: async (packages) => {
      const { picking_id: id } = packages.env.context
      if (!isInteger(id)) throw new UserError('No transfer in the context: set picking_id.')
      return packages.env
        .model('stock.picking')
        .browse([id])
        .action_add_entire_packs({ package_ids: [...packages.ids] })
    },
  },
})
