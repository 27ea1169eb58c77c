// Forms that items open, and what is done with several of them (account.move.line): payment, undoing of
// matches.
import { computed, extend, implement, many2one, type Of, optional, type Records, returns } from '#models'
import { actionMethod, assertAllowedAndExisting, shownForm } from '../../base/index.ts'
import { catalogMethods, openCatalog } from '../../product/index.ts'
import { isPurchase } from './kinds.ts'

const action = returns<object>('object', 'dict')

const line = extend('account.move.line', {
  fields: {
    journal_group_id: many2one('account.journal.group', {
      label: 'Ledger',
      computed: true,
      readonly: false,
      help: 'Searches by it find the items of the journals that it does not leave out.',
    }),
  },
  methods: {
    action_register_payment: {
      doc: 'The action that opens the payment form for these items.',
      params: { ctx: optional<unknown>('any', null, { annotation: 'dict | None' }) },
      returns: action,
    },
    action_payment_items_register_payment: actionMethod(
      'Does what `action_register_payment` does, with one payment for all items.',
    ),
    ...catalogMethods,
    action_automatic_entry: {
      doc: 'The action that opens the form that transfers items to another period or account.',
      params: { default_action: optional<unknown>('any', null, { annotation: 'str | None' }) },
      returns: action,
    },
    action_unreconcile_match_entries: { doc: 'Undoes the reconciliation of items.', params: {} },
  },
})

const move = extend('account.move', {
  fields: {
    journal_group_id: many2one('account.journal.group', {
      label: 'Ledger',
      computed: true,
      readonly: false,
      help: 'Searches by it find the entries of the journals that it does not leave out.',
    }),
  },
})

declare module '#models' {
  interface AccountMoveLine extends Of<typeof line> {}
  interface AccountMove extends Of<typeof move> {}
}

const payForm = (lines: Records<'account.move.line'>, more: object = {}) =>
  shownForm('Pay', 'account.payment.register', {
    active_model: 'account.move.line',
    active_ids: lines.ids,
    ...more,
  })

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** A ledger has all journals but those that it leaves out. Search rules are asked with positive operators only. */
const byLedger = {
  search: (operator: string, value: unknown) => [
    ['journal_id.journal_group_ids', operator === '=' ? '!=' : `not ${operator}`, value],
  ],
}

export const itemOpenings = implement(line, {
  computed: { journal_group_id: computed(line, [], () => null, byLedger) },
  methods: {
    action_register_payment: async (lines, { ctx }) => payForm(lines, isObject(ctx) ? ctx : {}),
    action_payment_items_register_payment: async (lines) => payForm(lines, { default_group_payment: true }),
    action_add_from_catalog: async (lines) => {
      const rows = await lines.load(['move_id.move_type'])
      const documents = rows.map(({ move_id: document }) => ({ document: document.id }))
      const isBought = rows.some(({ move_id: document }) => isPurchase(document.move_type))
      const offered = isBought ? 'purchase_ok' : 'sale_ok'
      return openCatalog(lines.env.model('account.move'), documents, offered)
    },
    action_automatic_entry: async (lines, { default_action: chosen }) => {
      await assertAllowedAndExisting(lines, 'read')
      return shownForm('Create Automatic Entries', 'account.automatic.entry.wizard', {
        active_model: lines.name,
        active_ids: lines.ids,
        ...(typeof chosen === 'string' && { default_action: chosen }),
      })
    },
    action_unreconcile_match_entries: async (lines) => {
      await lines.remove_move_reconcile()
      return null
    },
  },
})
export const ledgerMove = implement(move, {
  computed: { journal_group_id: computed(move, [], () => null, byLedger) },
})
