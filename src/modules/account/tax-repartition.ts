// Repartition lines (account.tax.repartition.line): the parts of a tax, each with a share and an account, on
// invoices and on refunds.
import { boolean, computed, float, implement, integer, many2one, model, type Of, selection } from '#models'
import { sql } from '../../sql/index.ts'
import { keptOnceIssued } from '../base/index.ts'

const line = model('account.tax.repartition.line', {
  label: 'Tax Repartition Line',
  order: 'document_type, repartition_type, sequence, id',
  recName: 'tax_id',
  fields: {
    tax_id: many2one('account.tax', { label: 'Tax', ondelete: 'cascade', index: true }),
    document_type: selection(
      { invoice: 'Invoice', refund: 'Refund' },
      { label: 'Related to', required: true },
    ),
    repartition_type: selection(
      { base: 'Base', tax: 'of tax' },
      {
        label: 'Based On',
        required: true,
        default: 'tax',
        help: 'Whether the line is for the taxable base or for a share of the tax amount.',
      },
    ),
    factor_percent: float({
      label: '%',
      digits: [16, 12],
      default: 100,
      help: 'The share of the tax amount in percent; negative for an amount that is deducted again.',
    }),
    factor: float({ label: 'Factor Ratio', computed: true, help: 'The share as a factor.' }),
    account_id: many2one('account.account', {
      label: 'Account',
      ondelete: 'restrict',
      help: 'Where this part is booked; empty: where the line itself is.',
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      related: 'tax_id.company_id',
      stored: true,
      computed: true,
    }),
    sequence: integer({ label: 'Sequence', default: 1 }),
    use_in_tax_closing: boolean({
      label: 'Tax Closing Entry',
      computed: true,
      stored: true,
      readonly: false,
      help: 'The closing of a tax period settles this part.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.tax.repartition.line': TaxRepartitionLine
  }
  interface TaxRepartitionLine extends Of<typeof line> {}
}

export default implement(line, {
  wrapWrite: keptOnceIssued(['tax_id', 'document_type', 'repartition_type']),
  computed: {
    factor: computed(line, ['factor_percent'], (l) => l.factor_percent / 100, {
      sql: (scope) => sql`(${scope.column('factor_percent')} / 100)::float8`,
    }),
    use_in_tax_closing: computed(
      line,
      ['repartition_type', 'account_id.internal_group'],
      (l) =>
        l.repartition_type === 'tax' &&
        l.account_id !== null &&
        !['income', 'expense'].includes(l.account_id.internal_group ?? ''),
      { editable: true },
    ),
  },
})
