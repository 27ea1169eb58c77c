// Routes of warehouses as clients ask for them (stock.warehouse): steps by the ways in which goods come in
// and leave, and further suppliers.
import { extend, implement, type Of, type Records, required, returns } from '#models'
import { assertAllowedAndExisting, assertNoneMissing, givenIds } from '../../base/index.ts'
import { type Step, stepsByWay } from './warehouse-routes.ts'

const any = (annotation: string) => required<unknown>('any', { annotation })

const warehouse = extend('stock.warehouse', {
  fields: {},
  methods: {
    Routing: {
      doc: 'A step as get_rules_dict names it.',
      readonly: true,
      params: { from_loc: any('int'), dest_loc: any('int'), picking_type: any('int'), action: any('str') },
      returns: returns<unknown[]>('array', 'list'),
    },
    get_rules_dict: {
      doc: 'Steps of warehouses by the ways in which goods come in and leave: from, to, operation type, and whether they push or pull.',
      readonly: true,
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    create_resupply_routes: {
      doc: 'Creates resupply routes from other warehouses.',
      params: { supplier_warehouses: required<unknown[]>('array', { annotation: 'list[int]' }) },
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Warehouse extends Of<typeof warehouse> {}
}

async function rulesOf(warehouses: Records<'stock.warehouse'>): Promise<object> {
  await assertAllowedAndExisting(warehouses, 'read')
  const routing = ({ from, to, type, action }: Step) => [
    from?.id ?? false,
    to?.id ?? false,
    type?.id ?? false,
    action,
  ]
  return Object.fromEntries(
    (await stepsByWay(warehouses))
      .entries()
      .map(([id, ways]) => [
        id,
        Object.fromEntries(Object.entries(ways).map(([way, steps]) => [way, steps.map(routing)])),
      ]),
  )
}

export const warehouseMethods = implement(warehouse, {
  methods: {
    Routing: (_warehouses, { from_loc, dest_loc, picking_type, action }) => [
      from_loc,
      dest_loc,
      picking_type,
      action,
    ],
    get_rules_dict: rulesOf,
    create_resupply_routes: async (warehouses, { supplier_warehouses }) => {
      await assertAllowedAndExisting(warehouses, 'write')
      const suppliers = warehouses.browse(givenIds(supplier_warehouses))
      assertNoneMissing(suppliers, await suppliers.load(['name']))
      await warehouses.write({ resupply_wh_ids: suppliers.ids.map((id) => [4, id] as const) })
      return null
    },
  },
})
