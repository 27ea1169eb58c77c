// Tax groups (account.tax.group): how taxes are added up on documents, and where tax returns settle them.
import { char, computedTogether, implement, integer, many2one, model, type Of } from '#models'

const group = model('account.tax.group', {
  label: 'Tax Group',
  dictionary: true,
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    country_id: many2one('res.country', {
      label: 'Country',
      computed: true,
      stored: true,
      readonly: false,
      help: 'Only taxes of this country can be in the group.',
    }),
    country_code: char({ label: 'Country Code', related: 'country_id.code' }),
    tax_payable_account_id: many2one('account.account', {
      label: 'Tax Payable Account',
      help: 'Account for tax owed when a period is closed.',
    }),
    tax_receivable_account_id: many2one('account.account', {
      label: 'Tax Receivable Account',
      help: 'Account for tax to be recovered when a period is closed.',
    }),
    advance_tax_payment_account_id: many2one('account.account', {
      label: 'Tax Advance Account',
      help: 'Account for advance payments of tax.',
    }),
    preceding_subtotal: char({
      label: 'Preceding Subtotal',
      translate: true,
      help: 'Documents show a subtotal of this name above the group.',
    }),
    pos_receipt_label: char({ label: 'PoS receipt label', help: 'A short name for receipts.' }),
  },
})

declare module '#models' {
  interface Models {
    'account.tax.group': TaxGroup
  }
  interface TaxGroup extends Of<typeof group> {}
}

export default implement(group, {
  defaults: { company_id: (env) => env.companyId },
  computed: {
    country_id: computedTogether(
      group,
      ['company_id.account_fiscal_country_id'],
      (groups) => new Map(groups.map((g) => [g.id, g.company_id.account_fiscal_country_id])),
      { editable: true },
    ),
  },
})
