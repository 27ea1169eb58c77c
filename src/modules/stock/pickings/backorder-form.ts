// The form that asks what becomes of the rest of a transfer (stock.backorder.confirmation): a back order, or
// nothing.
import {
  boolean,
  type Environment,
  implement,
  many2many,
  many2one,
  type Of,
  one2many,
  type Records,
  returns,
  transient,
} from '#models'
import { givenIds, shownWindow } from '../../base/index.ts'

const form = transient('stock.backorder.confirmation', {
  label: 'Backorder Confirmation',
  fields: {
    pick_ids: many2many('stock.picking', {
      label: 'Transfers',
      relation: {
        table: 'stock_picking_backorder_rel',
        column: 'stock_backorder_confirmation_id',
        other: 'stock_picking_id',
      },
    }),
    show_transfers: boolean({ label: 'Show transfers' }),
    backorder_confirmation_line_ids: one2many(
      'stock.backorder.confirmation.line',
      'backorder_confirmation_id',
      {
        label: 'Backorder Confirmation Lines',
      },
    ),
  },
  methods: {
    process: {
      doc: 'Validates the transfers and creates backorders for the rest.',
      params: {},
      returns: returns<true | object>('any', 'bool | dict'),
    },
    process_cancel_backorder: {
      doc: 'Validates the transfers and cancels the rest.',
      params: {},
      returns: returns<true | object>('any', 'bool | dict'),
    },
  },
})

const line = transient('stock.backorder.confirmation.line', {
  label: 'Backorder Confirmation Line',
  fields: {
    backorder_confirmation_id: many2one('stock.backorder.confirmation', {
      label: 'Immediate Transfer',
      ondelete: 'cascade',
    }),
    picking_id: many2one('stock.picking', { label: 'Transfer' }),
    to_backorder: boolean({ label: 'To Backorder', default: true }),
  },
})

declare module '#models' {
  interface Models {
    'stock.backorder.confirmation': BackorderConfirmation
    'stock.backorder.confirmation.line': BackorderConfirmationLine
  }
  interface BackorderConfirmation extends Of<typeof form> {}
  interface BackorderConfirmationLine extends Of<typeof line> {}
}

/** The action that opens the form for transfers that are validated together. */
export const openBackorderForm = (
  env: Environment,
  validated: readonly number[],
  asking: readonly number[],
): object =>
  shownWindow({
    name: 'Create Backorder?',
    res_model: 'stock.backorder.confirmation',
    view_mode: 'form',
    views: [[false, 'form']],
    target: 'new',
    context: {
      ...env.context,
      default_pick_ids: asking.map((id) => [4, id]),
      default_backorder_confirmation_line_ids: asking.map((picking_id) => [
        0,
        0,
        { picking_id, to_backorder: true },
      ]),
      button_validate_picking_ids: validated,
    },
  })

/**
 * Validates what the action that opened the form was about: transfers of the context, else those of the form.
 */
async function process(
  forms: Records<'stock.backorder.confirmation'>,
  cancelsRest: boolean,
): Promise<true | object> {
  const form = await forms.one([
    'pick_ids',
    'backorder_confirmation_line_ids.picking_id',
    'backorder_confirmation_line_ids.to_backorder',
  ])
  const pickingIds = form.pick_ids.map(({ id }) => id)
  const contextIds = forms.env.context.button_validate_picking_ids
  const all = Array.isArray(contextIds) && contextIds.length ? givenIds(contextIds) : pickingIds
  const without = cancelsRest
    ? pickingIds
    : form.backorder_confirmation_line_ids.flatMap((line) =>
        line.to_backorder || !line.picking_id ? [] : [line.picking_id.id],
      )
  return forms.env
    .withContext({ skip_backorder: true, picking_ids_not_to_backorder: without })
    .model('stock.picking')
    .browse(all)
    .button_validate()
}

export const backorderForm = implement(form, {
  methods: {
    process: (forms) => process(forms, false),
    process_cancel_backorder: (forms) => process(forms, true),
  },
})
export const backorderFormLine = implement(line)
