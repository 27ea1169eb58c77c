// Paying documents: payments of a form, posted and matched, all of them in a bounded number of statements.

import type { Environment, Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { shownRecords } from '../../base/index.ts'
import { lockPaths } from '../move/guards.ts'
import { headerPaths } from '../move/headers.ts'
import { reconcileGroups } from '../reconcile/reconcile.ts'
import {
  type Batch,
  directionOf,
  dueOf,
  isEarly,
  itemPaths,
  loadItems,
  type PayItem,
  payableNow,
  payeeOf,
  paymentBatches,
  remainingAfter,
} from './batches.ts'
import { discountWriteOffs, type PaidEarly } from './early-payment.ts'
import { bookPayments, type WriteOff } from './entries.ts'

type Forms = Records<'account.payment.register'>

const paths = [
  'line_ids',
  'amount',
  'communication',
  'group_payment',
  'payment_type',
  'currency_id.rounding',
  'journal_id.company_id.root_id',
  'company_id.root_id',
  'payment_method_line_id',
  'partner_bank_id',
  'can_edit_wizard',
  'payment_date',
  'payment_difference_handling',
  'writeoff_account_id',
  'writeoff_label',
] as const
const load = (forms: Forms) => forms.one([...paths])
type Form = Awaited<ReturnType<typeof load>>

const under = (way: string, names: readonly string[]) => names.map((name) => `${way}.${name}`)

/** Further fields that creating, posting and matching payments read: they are read at once. */
const bookPaths = [
  'payment_method_line_id.payment_account_id',
  ...under('journal_id', ['type', 'code', 'name', 'currency_id', 'default_account_id']),
  ...under('journal_id', ['refund_sequence', 'payment_sequence', 'restrict_mode_hash_table']),
  ...under('journal_id', ['invoice_reference_type', 'invoice_reference_model']),
  ...under('company_id', [
    'currency_id',
    'tax_calculation_rounding_method',
    'has_distribution_models',
    ...lockPaths,
  ]),
  'company_id.account_journal_payment_debit_account_id',
  'company_id.account_journal_payment_credit_account_id',
  ...under('partner_id', ['commercial_partner_id', 'complete_name', 'lang', 'ref']),
  'partner_id.property_payment_term_id',
  'partner_id.property_supplier_payment_term_id',
  ...under('line_ids', itemPaths),
  ...under('line_ids', ['date', 'reconciled', 'parent_state', 'account_id.active', 'account_id.reconcile']),
  ...under('line_ids.move_id', [...headerPaths, 'payment_state', 'amount_total', 'amount_residual']),
]

/** A payment to be made. */
interface Plan {
  readonly batch: Batch
  readonly items: readonly PayItem[]
  readonly amount: number
  readonly currency: number
  readonly writeOffs: readonly WriteOff[]
}

/** Makes the payments of a form, posts them and matches them with what they pay. */
export async function createPayments(forms: Forms): Promise<object> {
  if (forms.length === 0) throw new UserError('The selected items are fully paid: choose other items.')
  forms.ensureOne()
  const { env } = forms
  await forms.prefetch([...paths, ...bookPaths])
  const form = await load(forms)
  if (form.journal_id && form.journal_id.company_id.root_id?.id !== form.company_id?.root_id?.id)
    throw new UserError(
      'The payment journal must belong to the company of the documents: choose another journal.',
    )
  // The payments are numbered one after the other.
  await env.unit.turns.take('journals', form.journal_id ? [form.journal_id.id] : [])
  const items = (
    await loadItems(
      env,
      form.line_ids.map(({ id }) => id),
    )
  ).filter((item) => item.amount_residual !== 0 || item.amount_residual_currency !== 0)
  if (items.length === 0) throw new UserError('The selected items are fully paid: choose other items.')
  if (items.some((item) => item.parent_state === 'cancel'))
    throw new UserError('A cancelled document cannot be paid: reset it to draft first.')
  const batches = paymentBatches(items)
  const [first] = batches
  const alone =
    batches.length === 1 &&
    first &&
    (form.group_payment || new Set(items.map((item) => item.move_id.id)).size === 1)
  const plans = alone ? [await editedPlan(env, form, first)] : await plainPlans(env, form, batches)
  const payments = await env.model('account.payment').create(plans.map((plan) => valsOf(form, plan)))
  await bookPayments(
    env,
    payments.ids,
    new Map(plans.map((plan, i) => [present(payments.ids[i]), plan.writeOffs])),
  )
  await payments.sudo().write({ stage: 'posted' })
  await sharePayments(env, payments.ids, plans)
  await matchPayments(env, payments.ids, plans)
  return shownRecords('Payments', 'account.payment', payments.ids, { context: { create: false } })
}

function valsOf(form: Form, { batch, items, amount, currency }: Plan): Vals<'account.payment'> {
  const memo = [
    ...new Set(
      items
        .map((item) => item.move_id.payment_reference ?? item.move_id.ref ?? item.move_id.name)
        .filter(Boolean),
    ),
  ].join(', ')
  // People may leave it out in the form of a single payment.
  const bank = form.can_edit_wizard ? (form.partner_bank_id?.id ?? false) : payeeOf(items)
  return {
    date: form.payment_date,
    amount,
    payment_type: batch.payment_type,
    partner_type: batch.partner_type,
    partner_id: batch.partner ?? false,
    currency_id: currency,
    ...(form.journal_id && { journal_id: form.journal_id.id }),
    // The form's way to pay goes the form's way: what goes the other way takes the journal's first.
    ...(batch.payment_type === form.payment_type && {
      payment_method_line_id: form.payment_method_line_id?.id ?? false,
    }),
    ...(bank !== null && { partner_bank_id: bank }),
    destination_account_id: batch.account,
    memo: items.length === form.line_ids.length ? form.communication : memo || false,
    invoice_ids: [[6, 0, [...new Set(items.map((item) => item.move_id.id))]]],
  }
}

const signOf = (batch: Batch) => (batch.payment_type === 'inbound' ? 1 : -1)

/** One payment, as the form says: what it leaves stays open or is written off. */
async function editedPlan(env: Environment, form: Form, batch: Batch): Promise<Plan> {
  const currency = form.currency_id?.id ?? batch.currency
  const due = await dueOf(env, batch.items, {
    currency,
    step: form.currency_id?.rounding ?? 0.01,
    date: form.payment_date,
  })
  const left = remainingAfter(form.amount, due)
  const plan = { batch, items: batch.items, amount: form.amount, currency }
  // Nothing is written off on drafts: what they come to may still change (recorded).
  const isPosted = batch.items.every((item) => item.parent_state === 'posted')
  if (form.payment_difference_handling !== 'reconcile' || left === 0 || !isPosted)
    return { ...plan, writeOffs: [] }
  if (form.amount === due.proposed && !form.writeoff_account_id) {
    const early = batch.items.filter((item) => isEarly(item, { currency, date: form.payment_date }))
    const [writeOffs = []] = await discountWriteOffs(env, [{ items: early, left: signOf(batch) * left }])
    return { ...plan, writeOffs }
  }
  if (!form.writeoff_account_id) throw new UserError('Choose the account that takes the difference.')
  const off = {
    name: form.writeoff_label ?? 'Write-Off',
    account: form.writeoff_account_id.id,
    amount: signOf(batch) * left,
  }
  return { ...plan, writeOffs: [off] }
}

/**
 * A payment of all that is due for each batch, or, where they are not grouped, for each item that is to be
 * paid now. Discounts of those who pay early are given where the form is in the currency of what is paid
 * (recorded).
 */
async function plainPlans(env: Environment, form: Form, batches: readonly Batch[]): Promise<Plan[]> {
  const parts = batches.flatMap((batch) =>
    form.group_payment
      ? [{ batch, items: batch.items }]
      : payableNow(batch.items, form.payment_date).map((item) => ({
          batch: { ...batch, payment_type: directionOf([item]) },
          items: [item],
        })),
  )
  const plans: Omit<Plan, 'writeOffs'>[] = []
  const paid: PaidEarly[] = []
  for (const { batch, items } of parts) {
    const early = items.filter(
      (item) =>
        batch.currency === form.currency_id?.id &&
        isEarly(item, { currency: batch.currency, date: form.payment_date }),
    )
    const sign = signOf(batch)
    const sum = (list: readonly PayItem[], of: (item: PayItem) => number) =>
      list.reduce((total, item) => addDecimals(total, sign * of(item)), 0)
    const full = sum(items, (one) => one.amount_residual_currency)
    const left = sum(early, (one) => addDecimals(one.amount_residual_currency, -one.discount_amount_currency))
    paid.push({ items: early, left: sign * left })
    plans.push({ batch, items, amount: addDecimals(full, -left), currency: batch.currency })
  }
  const offs = await discountWriteOffs(env, paid)
  return plans.map((plan, i) => ({ ...plan, writeOffs: offs[i] ?? [] }))
}

/**
 * Documents that one payment pays share their payments: what was paid on one of them before is shown with all
 * (recorded).
 */
async function sharePayments(
  env: Environment,
  payments: readonly number[],
  plans: readonly Plan[],
): Promise<void> {
  const groups = plans.flatMap(({ items }, i) => {
    const documents = [...new Set(items.map((item) => item.move_id.id))]
    return documents.length > 1 ? [{ payment: present(payments[i]), documents }] : []
  })
  if (groups.length === 0) return
  const su = env.sudo().model('account.payment')
  const earlier = await su.search([
    ['invoice_ids', 'in', groups.flatMap(({ documents }) => documents)],
    ['id', 'not in', groups.map(({ payment }) => payment)],
  ])
  const rows = await earlier.load(['invoice_ids'])
  const links = rows.flatMap(({ id, invoice_ids: documents }) => {
    const documentIds = new Set(documents.map((document) => document.id))
    const more = groups.flatMap((group) =>
      group.documents.some((document) => documentIds.has(document)) ? group.documents : [],
    )
    const missing = more.filter((payment) => !documentIds.has(payment))
    return missing.length ? [[id, { invoice_ids: missing.map((row) => [4, row, 0] as const) }] as const] : []
  })
  if (links.length) await su.browse(links.map(([id]) => id)).writeEach(new Map(links))
}

/** Each payment's item on the partner's account with what it pays. */
async function matchPayments(
  env: Environment,
  payments: readonly number[],
  plans: readonly Plan[],
): Promise<void> {
  const paymentRows = await env
    .sudo()
    .model('account.payment')
    .browse(payments)
    .load(['move_id.line_ids.account_id', 'destination_account_id'])
  const groups = paymentRows.map((row, i) => {
    const paymentItems = (row.move_id?.line_ids ?? []).filter(
      (item) => item.account_id?.id === row.destination_account_id?.id,
    )
    return [...paymentItems, ...(plans[i]?.items ?? [])].map(({ id }) => id)
  })
  await reconcileGroups(env, groups)
}
