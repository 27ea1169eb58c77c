// The form that moves items to another period or account (account.automatic.entry.wizard): what is promised.
import {
  boolean,
  char,
  date,
  float,
  many2many,
  many2one,
  monetary,
  type Of,
  selection,
  text,
  transient,
} from '#models'
import { actionMethod } from '../../base/index.ts'

/** Proposed for the items, and for the person who adjusts them to change. */
const proposal = { computed: true, stored: true, readonly: false } as const

export const form = transient('account.automatic.entry.wizard', {
  label: 'Create Automatic Entries',
  fields: {
    action: selection(
      { change_period: 'Change Period', change_account: 'Change Account' },
      { label: 'Action', required: true, default: 'change_period' },
    ),
    move_line_ids: many2many('account.move.line', {
      label: 'Journal Items',
      relation: { table: 'account_automatic_entry_item_rel', column: 'form_id', other: 'line_id' },
    }),
    date: date({
      label: 'Date',
      required: true,
      help: 'Date of the transfer entry.',
    }),
    percentage: float({ label: 'Percentage', default: 100, help: 'Percentage of each item to transfer.' }),
    total_amount: monetary({
      label: 'Total Amount',
      computed: true,
      readonly: false,
      currency: 'company_currency_id',
      help: 'Amount to transfer. Setting it changes the percentage.',
    }),
    company_id: many2one('res.company', { label: 'Company', computed: true, stored: true }),
    company_currency_id: many2one('res.currency', {
      label: 'Company Currency',
      related: 'company_id.currency_id',
    }),
    account_type: selection(
      { income: 'Revenue', expense: 'Expense' },
      {
        label: 'Account Type',
        computed: true,
        stored: true,
        help: 'Revenue where items are credits in sum.',
      },
    ),
    journal_id: many2one('account.journal', { label: 'Journal', ...proposal }),
    expense_accrual_account: many2one('account.account', { label: 'Expense Accrual Account', ...proposal }),
    revenue_accrual_account: many2one('account.account', { label: 'Revenue Accrual Account', ...proposal }),
    destination_account_id: many2one('account.account', {
      label: 'To',
      help: 'Account that the items are transferred to.',
    }),
    display_currency_helper: boolean({
      label: 'Currency Conversion Helper',
      computed: true,
      help: 'The account has its own currency: amounts are converted.',
    }),
    lock_date_message: char({ label: 'Lock Date Message', computed: true }),
    move_data: text({ label: 'Move Data', computed: true, help: 'JSON: entries that will be created.' }),
    preview_move_data: text({
      label: 'Preview Move Data',
      computed: true,
      help: 'JSON: the same as groups.',
    }),
  },
  methods: {
    do_action: actionMethod(
      'Creates and posts the adjusting entries and reconciles the items that they settle. Returns the action that shows them.',
    ),
  },
})

declare module '#models' {
  interface Models {
    'account.automatic.entry.wizard': AutomaticEntry
  }
  interface AutomaticEntry extends Of<typeof form> {}
}
