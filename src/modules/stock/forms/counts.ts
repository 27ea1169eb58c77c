// Forms about goods in places: a count with its reason (stock.inventory.adjustment.name), all counts of a
// list at once (stock.inventory.warning), who counts next (stock.request.count), goods that are put elsewhere
// (stock.quant.relocate).
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
import { assertNoneGone } from '../../base/index.ts'

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
  methods: { action_apply: { doc: 'Applies what was counted, for the reason that is named.', params: {} } },
})

const warning = transient('stock.inventory.warning', {
  label: 'Inventory Adjustment Warning',
  fields: { quant_ids: quants },
  methods: {
    action_set: { doc: 'Takes what is known as counted, for all quantities.', params: {} },
    action_reset: { doc: 'Forgets what was counted, of all quantities.', params: {} },
  },
})

const request = transient('stock.request.count', {
  label: 'Stock Request an Inventory Count',
  fields: {
    quant_ids: quants,
    user_id: many2one('res.users', { label: 'User', help: 'Who counts.' }),
    inventory_date: date({ label: 'Inventory Date', required: true }),
    show_expected_quantity: boolean({
      label: 'Show Expected Quantity',
      default: false,
      help: 'What is known stands as the count to begin with.',
    }),
  },
  methods: { action_request_count: { doc: 'Notes who counts, and when.', params: {} } },
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
    'stock.request.count': RequestCount
    'stock.quant.relocate': QuantRelocate
  }
  interface InventoryAdjustmentName extends Of<typeof reason> {}
  interface InventoryWarning extends Of<typeof warning> {}
  interface RequestCount extends Of<typeof request> {}
  interface QuantRelocate extends Of<typeof relocation> {}
}

/** The quantities of forms. Throws MissingError where a form is gone. */
async function quantsOf(
  forms: Records<
    | 'stock.inventory.adjustment.name'
    | 'stock.inventory.warning'
    | 'stock.request.count'
    | 'stock.quant.relocate'
  >,
  rows: readonly { readonly quant_ids: readonly { readonly id: number }[] }[],
): Promise<Records<'stock.quant'>> {
  assertNoneGone(forms, rows)
  return forms.env.model('stock.quant').browse(rows.flatMap((row) => row.quant_ids.map(({ id }) => id)))
}

export const countForms = [
  implement(reason, {
    methods: {
      action_apply: async (forms) => {
        const rows = await forms.load(['quant_ids', 'inventory_adjustment_name'])
        const counted = await quantsOf(forms, rows)
        const inventory_name = rows[0]?.inventory_adjustment_name ?? undefined
        await counted.withContext({ inventory_name }).action_apply_inventory()
        return null
      },
    },
  }),
  implement(warning, {
    methods: {
      action_set: async (forms) => {
        await (await quantsOf(forms, await forms.load(['quant_ids']))).action_set_inventory_quantity()
        return null
      },
      action_reset: async (forms) => {
        await (await quantsOf(forms, await forms.load(['quant_ids']))).action_clear_inventory_quantity()
        return null
      },
    },
  }),
  implement(request, {
    defaults: { inventory_date: (env) => today(env.tz, env.now()) },
    methods: {
      action_request_count: async (forms) => {
        const rows = await forms.load(['quant_ids', 'user_id', 'inventory_date', 'show_expected_quantity'])
        assertNoneGone(forms, rows)
        for (const row of rows) {
          const counted = await quantsOf(forms, [row])
          await counted.write({ user_id: row.user_id?.id ?? false, inventory_date: row.inventory_date })
          if (row.show_expected_quantity) await counted.action_set_inventory_quantity()
        }
        return null
      },
    },
  }),
  implement(relocation, {
    computed: {
      is_multi_location: computed(
        relocation,
        ['quant_ids.location_id'],
        (one) => new Set(one.quant_ids.map((row) => row.location_id.id)).size > 1,
      ),
    },
    methods: {
      action_relocate_quants: async (forms) => {
        const rows = await forms.load(['quant_ids', 'dest_location_id', 'dest_package_id', 'message'])
        assertNoneGone(forms, rows)
        for (const row of rows)
          await (await quantsOf(forms, [row])).move_quants({
            location_dest_id: row.dest_location_id?.id ?? false,
            package_dest_id: row.dest_package_id?.id ?? false,
            message: row.message ?? false,
          })
        return null
      },
    },
  }),
]
