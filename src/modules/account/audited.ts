// Audited fields of the books: settings, accounts, taxes and terms always, documents once they bind. Posting,
// drafting and cancelling have events of their own (move/post-entries.ts and move/states.ts).
import { audited } from '#models'

const always = { create: true, unlink: true } as const

const company = audited('res.company', {
  fields: [
    'fiscalyear_lock_date',
    'tax_lock_date',
    'sale_lock_date',
    'purchase_lock_date',
    'hard_lock_date',
    'chart_template',
    'account_fiscal_country_id',
    'tax_calculation_rounding_method',
    'account_price_include',
    'account_sale_tax_id',
    'account_purchase_tax_id',
    'bank_account_code_prefix',
    'cash_account_code_prefix',
    'transfer_account_code_prefix',
    'transfer_account_id',
    'income_account_id',
    'expense_account_id',
    'downpayment_account_id',
    'account_journal_suspense_account_id',
    'account_journal_payment_debit_account_id',
    'account_journal_payment_credit_account_id',
    'default_cash_difference_income_account_id',
    'default_cash_difference_expense_account_id',
    'account_default_pos_receivable_account_id',
    'income_currency_exchange_account_id',
    'expense_currency_exchange_account_id',
    'account_journal_early_pay_discount_gain_account_id',
    'account_journal_early_pay_discount_loss_account_id',
    'account_use_credit_limit',
    'currency_exchange_journal_id',
    'anglo_saxon_accounting',
  ],
})

const setUp = [
  audited('account.lock_exception', {
    ...always,
    fields: ['active', 'end_datetime', 'company_id', 'user_id', 'lock_date_field', 'lock_date', 'reason'],
  }),
  audited('account.journal', {
    ...always,
    fields: [
      'name',
      'code',
      'active',
      'type',
      'company_id',
      'currency_id',
      'default_account_id',
      'suspense_account_id',
      'profit_account_id',
      'loss_account_id',
      'refund_sequence',
      'payment_sequence',
      'restrict_mode_hash_table',
      'bank_account_id',
    ],
  }),
  audited('account.account', {
    ...always,
    fields: ['name', 'code', 'account_type', 'reconcile', 'active', 'currency_id', 'company_ids', 'tax_ids'],
  }),
  audited('account.tax', {
    ...always,
    fields: [
      'name',
      'type_tax_use',
      'amount_type',
      'amount',
      'active',
      'company_id',
      'children_tax_ids',
      'price_include_override',
      'include_base_amount',
      'is_base_affected',
      'tax_group_id',
      'fiscal_position_ids',
      'original_tax_ids',
    ],
  }),
  audited('account.tax.repartition.line', {
    ...always,
    fields: ['tax_id', 'document_type', 'repartition_type', 'factor_percent', 'account_id'],
  }),
  audited('account.payment.term', {
    ...always,
    fields: ['name', 'active', 'company_id', 'early_discount', 'discount_percentage', 'discount_days'],
  }),
  audited('account.payment.term.line', {
    ...always,
    fields: ['payment_id', 'value', 'value_amount', 'delay_type', 'nb_days'],
  }),
  audited('account.fiscal.position', {
    ...always,
    fields: ['name', 'active', 'company_id', 'tax_ids', 'auto_apply', 'vat_required', 'country_id'],
  }),
  audited('account.cash.rounding', {
    ...always,
    fields: ['name', 'rounding', 'strategy', 'rounding_method', 'profit_account_id', 'loss_account_id'],
  }),
  audited('account.payment.method.line', {
    ...always,
    fields: ['name', 'payment_method_id', 'payment_account_id', 'journal_id'],
  }),
]

const documents = [
  audited('account.move', {
    later: {
      state: 'state',
      in: ['posted', 'cancel'],
      fields: [
        'name',
        'ref',
        'date',
        'move_type',
        'journal_id',
        'partner_id',
        'currency_id',
        'invoice_date',
        'invoice_date_due',
        'invoice_user_id',
        'narration',
      ],
    },
    unlink: ['state', 'amount_total'],
  }),
  audited('account.move.line', {
    later: {
      state: 'parent_state',
      in: ['posted', 'cancel'],
      fields: [
        'account_id',
        'partner_id',
        'product_id',
        'name',
        'quantity',
        'price_unit',
        'discount',
        'tax_ids',
        'balance',
        'amount_currency',
      ],
    },
  }),
  audited('account.payment', {
    fields: ['state'],
    later: {
      state: 'state',
      in: ['in_process', 'paid', 'canceled', 'rejected'],
      fields: ['amount', 'memo', 'date', 'partner_id', 'journal_id', 'currency_id', 'payment_type'],
    },
    unlink: ['name'],
  }),
  audited('account.bank.statement', {
    ...always,
    fields: ['name', 'date', 'balance_start', 'balance_end_real', 'journal_id'],
  }),
  audited('account.bank.statement.line', {
    ...always,
    fields: ['amount', 'payment_ref', 'partner_name', 'account_number', 'amount_currency', 'journal_id'],
  }),
]

export const auditedModels = [company, ...setUp, ...documents]
