// Ways of paying (account.payment.method) and those that journals offer (account.payment.method.line).
import { char, computed, implement, integer, many2many, many2one, model, type Of, selection } from '#models'
import { setUpWritable } from '../writable.ts'

const types = { inbound: 'Inbound', outbound: 'Outbound' } as const

export const method = model('account.payment.method', {
  label: 'Payment Method',
  dictionary: true,
  rules: {
    name_code_unique: {
      unique: ['code', 'payment_type'],
      message: 'A payment method with this code already exists: choose another code.',
    },
  },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    code: char({ label: 'Code', required: true }),
    payment_type: selection(types, { label: 'Payment Type', required: true }),
  },
})

export const methodLine = model('account.payment.method.line', {
  label: 'Payment Method Line',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', computed: true, stored: true, readonly: false }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    payment_method_id: many2one('account.payment.method', {
      label: 'Payment Method',
      required: true,
      ondelete: 'cascade',
    }),
    payment_type: selection(types, {
      label: 'Payment Type',
      asStored: false,
      related: 'payment_method_id.payment_type',
      stored: true,
    }),
    code: char({ label: 'Code', related: 'payment_method_id.code' }),
    payment_account_id: many2one('account.account', {
      label: 'Outstanding Account',
      ondelete: 'restrict',
      help: 'Account for payments until they appear on a bank statement. Empty: the account of the company.',
    }),
    journal_id: many2one('account.journal', { label: 'Journal', index: true, ondelete: 'cascade' }),
    company_id: many2one('res.company', { label: 'Company', related: 'journal_id.company_id' }),
    default_account_id: many2one('account.account', {
      label: 'Default Account',
      related: 'journal_id.default_account_id',
    }),
    available_payment_method_ids: many2many('account.payment.method', {
      label: 'Available Payment Method',
      related: 'journal_id.available_payment_method_ids',
    }),
  },
})

declare module '#models' {
  interface Models {
    'account.payment.method': PaymentMethod
    'account.payment.method.line': PaymentMethodLine
  }
  interface PaymentMethod extends Of<typeof method> {}
  interface PaymentMethodLine extends Of<typeof methodLine> {}
}

export const paymentMethod = implement(method)
export const paymentMethodLine = implement(methodLine, {
  writable: setUpWritable,
  displayName: computed(methodLine, ['name', 'journal_id.name'], (methodLine) =>
    methodLine.journal_id
      ? `${methodLine.name ?? ''} (${methodLine.journal_id.name})`
      : (methodLine.name ?? ''),
  ),
  computed: {
    name: computed(
      methodLine,
      ['payment_method_id.name'],
      (methodLine) => methodLine.payment_method_id.name,
      {
        editable: true,
      },
    ),
  },
})
