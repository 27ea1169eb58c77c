// Forms about goods in places: a count with its reason (stock.inventory.adjustment.name), all counts of a
// list at once (stock.inventory.warning), counts of goods that moved meanwhile (stock.inventory.conflict),
// counts that are asked for (stock.request.count), goods that are put elsewhere (stock.quant.relocate).
import {
  boolean,
  char,
  computed,
  date,
  implement,
  many2many,
  many2one,
  type Of,
  type Records,
  text,
  transient,
} from '#models'
import { today } from '../../../kit/dates.ts'
import { assertAllowed, assertNoneMissing } from '../../base/index.ts'
import { settled } from '../quants/ledger.ts'

const quants = many2many('stock.quant', { label: 'Quantities' })

const reason = transient('stock.inventory.adjustment.name', {
  label: 'Inventory Adjustment Reference / Reason',
  fields: {
    quant_ids: quants,
    inventory_adjustment_name: char({
      label: 'Inventory Reason',
      default: 'Quantity Updated',
      help: 'Stands on the moves that the count makes.',
    }),
  },
  methods: { action_apply: { doc: 'Applies the counted quantities, with the given reason.', params: {} } },
})

const warning = transient('stock.inventory.warning', {
  label: 'Inventory Adjustment Warning',
  fields: { quant_ids: quants },
  methods: {
    action_set: { doc: 'Sets the counted quantity of all records to the quantity on hand.', params: {} },
    action_reset: { doc: 'Clears the counted quantity of all records.', params: {} },
  },
})

const conflict = transient('stock.inventory.conflict', {
  label: 'Conflict in Inventory',
  fields: {
    quant_ids: many2many('stock.quant', {
      label: 'Quantities',
      relation: {
        table: 'stock_conflict_quant_rel',
        column: 'stock_inventory_conflict_id',
        other: 'stock_quant_id',
      },
    }),
    quant_to_fix_ids: many2many('stock.quant', {
      label: 'Conflicts',
      help: 'Goods moved after they were counted.',
      relation: {
        table: 'stock_inventory_conflict_stock_quant_rel',
        column: 'stock_inventory_conflict_id',
        other: 'stock_quant_id',
      },
    }),
  },
  methods: {
    action_keep_counted_quantity: {
      doc: 'Keeps the counted quantities although goods moved since, and applies them.',
      params: {},
    },
    action_keep_difference: {
      doc: 'Keeps the counted differences, adds the moves since to the counts, and applies them.',
      params: {},
    },
  },
})

const request = transient('stock.request.count', {
  label: 'Stock Request an Inventory Count',
  fields: {
    quant_ids: quants,
    user_id: many2one('res.users', { label: 'User', help: 'User who counts.' }),
    inventory_date: date({ label: 'Inventory Date', required: true }),
    show_expected_quantity: boolean({
      label: 'Show Expected Quantity',
      default: false,
      help: 'Start with the quantities on hand as counted quantities.',
    }),
  },
  methods: { action_request_count: { doc: 'Assigns counts to a user and a date.', params: {} } },
})

const relocation = transient('stock.quant.relocate', {
  label: 'Stock Quantity Relocation',
  fields: {
    quant_ids: quants,
    dest_location_id: many2one('stock.location', { label: 'New Place' }),
    dest_package_id: many2one('stock.package', { label: 'New Package' }),
    message: text({ label: 'Reason for Relocation' }),
    is_multi_location: boolean({ label: 'Lie in Several Places', computed: true }),
  },
  methods: { action_relocate_quants: { doc: 'Moves the goods at once.', params: {} } },
})

declare module '#models' {
  interface Models {
    'stock.inventory.adjustment.name': InventoryAdjustmentName
    'stock.inventory.warning': InventoryWarning
    'stock.inventory.conflict': InventoryConflict
    'stock.request.count': RequestCount
    'stock.quant.relocate': QuantRelocate
  }
  interface InventoryAdjustmentName extends Of<typeof reason> {}
  interface InventoryWarning extends Of<typeof warning> {}
  interface InventoryConflict extends Of<typeof conflict> {}
  interface RequestCount extends Of<typeof request> {}
  interface QuantRelocate extends Of<typeof relocation> {}
}

type Forms = Records<
  | 'stock.inventory.adjustment.name'
  | 'stock.inventory.warning'
  | 'stock.inventory.conflict'
  | 'stock.request.count'
  | 'stock.quant.relocate'
>
type Quants = Records<'stock.quant'>

/**
 * Carries out forms in their order, each for its quantities. Throws MissingError where a form is gone,
 * PayloadTooLarge for very many.
 */
async function inTurn<Row extends { readonly quant_ids: readonly { readonly id: number }[] }>(
  forms: Forms,
  rows: readonly Row[],
  carryOut: (quants: Quants, row: Row) => Promise<unknown>,
): Promise<null> {
  assertNoneMissing(forms, rows)
  if (rows.length > 1) forms.env.unit.quota.charge('rounds', rows.length)
  const quants = forms.env.model('stock.quant')
  for (const row of rows) await carryOut(quants.browse(row.quant_ids.map(({ id }) => id)), row)
  return null
}

/** Notes for counts that goods moved after what they come to now, and applies all counts of the forms. */
async function settle(
  forms: Records<'stock.inventory.conflict'>,
  counted: (row: {
    readonly quantity: number
    readonly inventory_quantity: number
    readonly inventory_diff_quantity: number
  }) => number,
): Promise<null> {
  const rows = await forms.load(['quant_ids', 'quant_to_fix_ids'])
  return inTurn(forms, rows, async (quants, { quant_ids, quant_to_fix_ids }) => {
    const conflicts = quants.browse(quant_to_fix_ids.map(({ id }) => id))
    await assertAllowed(conflicts, 'write')
    const noted = (
      await conflicts.load([
        'quantity',
        'inventory_quantity',
        'inventory_diff_quantity',
        'inventory_quantity_set',
      ])
    ).filter((row) => row.inventory_quantity_set)
    await conflicts.writeEach(new Map(noted.map((row) => [row.id, { inventory_quantity: counted(row) }])))
    await quants.browse([...quant_ids, ...quant_to_fix_ids].map(({ id }) => id)).action_apply_inventory()
  })
}

export const countForms = [
  implement(reason, {
    methods: {
      action_apply: async (forms) =>
        inTurn(forms, await forms.load(['quant_ids', 'inventory_adjustment_name']), (counted, row) =>
          counted
            .withContext({ inventory_name: row.inventory_adjustment_name ?? undefined })
            .action_apply_inventory(),
        ),
    },
  }),
  implement(warning, {
    methods: {
      action_set: async (forms) =>
        inTurn(forms, await forms.load(['quant_ids']), (quants) => quants.action_set_inventory_quantity()),
      action_reset: async (forms) =>
        inTurn(forms, await forms.load(['quant_ids']), (quants) => quants.action_clear_inventory_quantity()),
    },
  }),
  implement(conflict, {
    methods: {
      action_keep_counted_quantity: (forms) => settle(forms, (row) => row.inventory_quantity),
      action_keep_difference: (forms) =>
        settle(forms, (row) => settled(row.quantity + row.inventory_diff_quantity)),
    },
  }),
  implement(request, {
    defaults: { inventory_date: (env) => today(env.tz, env.now()) },
    methods: {
      action_request_count: async (forms) =>
        inTurn(
          forms,
          await forms.load(['quant_ids', 'user_id', 'inventory_date', 'show_expected_quantity']),
          async (quants, row) => {
            await quants.write({ user_id: row.user_id?.id ?? false, inventory_date: row.inventory_date })
            if (row.show_expected_quantity) await quants.action_set_inventory_quantity()
          },
        ),
    },
  }),
  implement(relocation, {
    computed: {
      is_multi_location: computed(
        relocation,
        ['quant_ids.location_id'],
        (form) => new Set(form.quant_ids.map((row) => row.location_id.id)).size > 1,
      ),
    },
    methods: {
      action_relocate_quants: async (forms) =>
        inTurn(
          forms,
          await forms.load(['quant_ids', 'dest_location_id', 'dest_package_id', 'message']),
          (quants, row) =>
            quants.move_quants({
              location_dest_id: row.dest_location_id?.id ?? false,
              package_dest_id: row.dest_package_id?.id ?? false,
              message: row.message ?? false,
            }),
        ),
    },
  }),
]
