// Implementation of warehouses (stock.warehouse). Their places and operation types: warehouse-parts.ts;
// their routes: ../rules/warehouse-routes.ts.
import { implement, type Records, type WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { givenVals } from '../../base/index.ts'
import { routeResupply } from '../rules/resupply.ts'
import { routeWarehouses } from '../rules/warehouse-routes.ts'
import { warehouse } from './warehouse.contract.ts'
import { fillWarehouses, followCodes, followSteps } from './warehouse-parts.ts'

type Warehouses = Records<'stock.warehouse'>

/** Throws UserError for warehouses with transfers under way. */
async function assertArchivable(warehouses: Warehouses): Promise<void> {
  const rows = await warehouses.env.rows(
    sql`SELECT w.name FROM stock_warehouse w
    WHERE w.id = ANY(${idList(warehouses.ids)}) AND EXISTS (SELECT FROM stock_picking_type t JOIN stock_move m ON m.picking_type_id = t.id
      WHERE t.warehouse_id = w.id AND m.state NOT IN ('done', 'cancel', 'draft')) LIMIT 1`,
    { reads: ['stock.warehouse', 'stock.picking.type', 'stock.move'], row: ['text'] },
  )
  if (rows.length)
    throw new UserError(`${rows[0]?.[0]} has open transfers: finish or cancel them before you archive it.`)
}

/** Places, kinds of operations and routes come and go with their warehouse. */
async function archiveParts(warehouses: Warehouses, active: boolean): Promise<void> {
  const env = warehouses.env.sudo().withContext({ active_test: false })
  const rows = await env
    .model('stock.warehouse')
    .browse(warehouses.ids)
    .load(['view_location_id', 'reception_route_id', 'delivery_route_id'])
  const between = await env
    .model('stock.route')
    .search(['|', ['supplied_wh_id', 'in', warehouses.ids], ['supplier_wh_id', 'in', warehouses.ids]])
  const types = await env.model('stock.picking.type').search([['warehouse_id', 'in', warehouses.ids]])
  const routes = rows.flatMap((row) =>
    [row.reception_route_id, row.delivery_route_id].flatMap((route) => (route ? [route.id] : [])),
  )
  const rules = await env.model('stock.rule').search([['warehouse_id', 'in', warehouses.ids]])
  if (types.length) await types.write({ active })
  if (routes.length) await env.model('stock.route').browse(routes).write({ active })
  if (rules.length) await rules.write({ active })
  if (!active && between.length) await between.write({ active })
  const places = await env
    .model('stock.location')
    .search([['id', 'child_of', rows.flatMap((row) => row.view_location_id?.id ?? [])]])
  if (!active && places.length) await places.write({ active })
  if (active) {
    const views = rows.flatMap((row) => row.view_location_id?.id ?? [])
    if (places.length) await env.model('stock.location').browse(views).write({ active })
    await followSteps(warehouses)
  }
}

const idsOf = (changes: readonly WriteChange[], test: (vals: WriteChange['vals']) => boolean) =>
  changes.filter(({ vals }) => test(vals)).flatMap(({ ids }) => ids)

export default implement(warehouse, {
  defaults: { company_id: (env) => env.companyId },
  wrapCreate: (next) => async (warehouses, list) => {
    const { env } = warehouses
    const valsList = givenVals(list as readonly unknown[])
    const ofWhom = (vals: (typeof valsList)[number]) => Number(vals.company_id ?? env.companyId)
    const companies = await env
      .sudo()
      .model('res.company')
      .browse([...new Set(valsList.map(ofWhom))])
      .load(['name', 'partner_id'])
    const companyById = new Map(companies.map((company) => [company.id, company]))
    const vals = valsList.map((values) => {
      const company = companyById.get(ofWhom(values))
      return {
        ...(values.name ? {} : { name: company?.name }),
        partner_id: company?.partner_id.id,
        ...values,
      }
    })
    const createdWarehouses = await next(warehouses, vals)
    await fillWarehouses(createdWarehouses.sudo())
    await routeWarehouses(createdWarehouses.sudo())
    await routeResupply(createdWarehouses)
    return createdWarehouses
  },
  wrapWrite: (next) => async (warehouses, changes) => {
    const closing = idsOf(changes, (vals) => 'active' in vals && !vals.active)
    if (closing.length) {
      await assertArchivable(warehouses.browse(closing))
      await next(warehouses, changes)
      await archiveParts(warehouses.browse(closing), false)
    } else await next(warehouses, changes)
    const opening = idsOf(changes, (vals) => vals.active === true)
    if (opening.length) {
      const opened = warehouses.browse(opening)
      await archiveParts(opened, true)
      // All rules came back, those of steps gone by too.
      await routeWarehouses(opened.sudo())
      await routeResupply(opened)
    }
    const renaming = idsOf(changes, (vals) => 'code' in vals)
    if (renaming.length) await followCodes(warehouses.browse(renaming))
    const stepping = idsOf(changes, (vals) => 'reception_steps' in vals || 'delivery_steps' in vals)
    if (stepping.length) {
      const su = warehouses.browse(stepping).sudo()
      await followSteps(su)
      await routeWarehouses(su)
    }
    const supplied = idsOf(changes, (vals) => 'resupply_wh_ids' in vals)
    if (stepping.length || supplied.length) await routeResupply(warehouses.browse([...stepping, ...supplied]))
  },
})
