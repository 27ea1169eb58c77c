// Implementation of quantities in places (stock.quant). The ledger itself: ledger.ts; counting:
// counting.ts; triggers: protection.ts.
import { computed, implement, type WriteChange } from '#models'
import { sql } from '../../../sql/index.ts'
import { assertNoneMissing, givenVals } from '../../base/index.ts'
import { holdsGoods } from '../places/usages.ts'
import { quantWritable } from '../writable.ts'
import { applyCounts, noteCounts, refuseDirectEdit } from './counting.ts'
import { settled } from './ledger.ts'
import { protectGoods } from './protection.ts'
import { quant } from './quant.contract.ts'

/** Fields that only moves change. */
const followed = [
  'product_id',
  'location_id',
  'lot_id',
  'package_id',
  'owner_id',
  'quantity',
  'reserved_quantity',
  'company_id',
] as const

export default implement(quant, {
  writable: quantWritable,
  init: protectGoods,
  displayName: computed(
    quant,
    ['location_id.complete_name', 'lot_id.name', 'package_id.name', 'owner_id.name'],
    (quant) =>
      [quant.location_id.complete_name, quant.lot_id?.name, quant.package_id?.name, quant.owner_id?.name]
        .filter(Boolean)
        .join(' - '),
  ),
  computed: {
    available_quantity: computed(
      quant,
      ['quantity', 'reserved_quantity'],
      (quant) => settled(quant.quantity - quant.reserved_quantity),
      {
        sql: (scope) =>
          sql`(COALESCE(${scope.column('quantity')}, 0) - COALESCE(${scope.column('reserved_quantity')}, 0))::float8`,
      },
    ),
    on_hand: computed(quant, ['location_id.usage'], (quant) => holdsGoods(quant.location_id.usage), {
      search: (operator, value) => [
        [
          'location_id.usage',
          (operator === '=') === Boolean(value) ? 'in' : 'not in',
          ['internal', 'transit'],
        ],
      ],
    }),
    is_outdated: computed(
      quant,
      ['inventory_quantity_set', 'inventory_quantity', 'quantity', 'inventory_diff_quantity'],
      (quant) =>
        quant.inventory_quantity_set &&
        settled(quant.inventory_quantity - quant.quantity) !== quant.inventory_diff_quantity,
    ),
    inventory_quantity_auto_apply: computed(quant, ['quantity'], (quant) => quant.quantity, {
      sql: (scope) => sql`COALESCE(${scope.column('quantity')}, 0)::float8`,
      inverse: async (env, values) => {
        const quants = env.model('stock.quant').browse([...values.keys()])
        await quants.writeEach(
          new Map([...values].map(([id, value]) => [id, { inventory_quantity: Number(value) || 0 }])),
        )
        await applyCounts(quants)
      },
    }),
  },
  methods: {
    action_apply_inventory: applyCounts,
    action_set_inventory_quantity: async (quants) => {
      const rows = await quants.load(['quantity'])
      assertNoneMissing(quants, rows)
      await quants.writeEach(new Map(rows.map((row) => [row.id, { inventory_quantity: row.quantity }])))
      return null
    },
    action_clear_inventory_quantity: async (quants) => {
      await quants.write({
        inventory_quantity: 0,
        inventory_quantity_set: false,
        inventory_diff_quantity: 0,
        user_id: false,
      })
      return null
    },
  },
  wrapCreate: () => async (quants, list) =>
    quants.browse(await noteCounts(quants, givenVals(list as readonly unknown[]))),
  wrapWrite: (next) => async (quants, changes) => {
    if (changes.some(({ vals }) => followed.some((field) => field in vals))) refuseDirectEdit()
    const counted = changes.filter(
      ({ vals }) => 'inventory_quantity' in vals && !('inventory_quantity_set' in vals),
    )
    if (counted.length === 0) return next(quants, changes)
    const rows = await quants
      .sudo()
      .browse(counted.flatMap(({ ids }) => ids))
      .load(['quantity'])
    const quantityOf = new Map(rows.map((row) => [row.id, row.quantity]))
    const noted = counted.flatMap(({ ids, vals }) =>
      ids.map((id): WriteChange => {
        const quantity = Number(vals.inventory_quantity) || 0
        const diff = settled(quantity - (quantityOf.get(id) ?? 0))
        return { ids: [id], vals: { ...vals, inventory_diff_quantity: diff, inventory_quantity_set: true } }
      }),
    )
    return next(quants, [...changes.filter((change) => !counted.includes(change)), ...noted])
  },
  wrapGeneric: {
    unlink: () => async () => refuseDirectEdit(),
    copy_data: () => async () => refuseDirectEdit(),
  },
})
