// The form that pays documents (account.payment.register): how it is done. Batches: batches.ts; the payments:
// pay.ts.
import { computedFields, computedTogether, type Environment, idsWhere, implement } from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { givenVals } from '../../base/index.ts'
import { partnerTypes } from '../account-types.ts'
import { batchesOf, type Due, dueOf, loadItems, type PayItem } from './batches.ts'
import { firstJournal, firstMethod } from './first.ts'
import { createPayments } from './pay.ts'
import { register } from './register.contract.ts'

/** Open items of the documents that the context names. Throws UserError where nothing is left to pay. */
async function itemsInContext(env: Environment): Promise<PayItem[]> {
  const { active_model: model, active_ids: given, active_id: single } = env.context
  const ids = (Array.isArray(given) ? given : [single]).filter((id): id is number => Number.isInteger(id))
  const by = model === 'account.move.line' ? 'id' : 'move_id'
  if (model !== 'account.move' && model !== 'account.move.line')
    throw new UserError('Payments are registered for invoices or journal items.')
  const items = await env
    .model('account.move.line')
    .search([
      [by, 'in', ids],
      ['account_id.account_type', 'in', [...partnerTypes]],
      ['parent_state', '!=', 'cancel'],
      '|',
      ['amount_residual', '!=', 0],
      ['amount_residual_currency', '!=', 0],
    ])
  const rows = await loadItems(env, items.ids)
  if (rows.length === 0) throw new UserError('There is nothing left to pay on what was chosen.')
  if (new Set(rows.map((one) => one.company_id?.id)).size > 1)
    throw new UserError('Documents of different companies are paid apart.')
  if (new Set(rows.map((one) => one.account_id?.account_type)).size > 1)
    throw new UserError('Customers and vendors are paid apart.')
  return rows
}

const itemsFor = async (
  env: Environment,
  forms: readonly { readonly line_ids: readonly { readonly id: number }[] }[],
) => {
  const rows = await loadItems(env, [...new Set(forms.flatMap((one) => one.line_ids.map(({ id }) => id)))])
  const known = new Map(rows.map((one) => [one.id, one]))
  return (form: { readonly line_ids: readonly { readonly id: number }[] }) =>
    form.line_ids.flatMap(({ id }) => known.get(id) ?? [])
}

const reference = (items: readonly PayItem[]) =>
  [
    ...new Set(
      items
        .map((one) => one.move_id.payment_reference ?? one.move_id.ref ?? one.move_id.name)
        .filter((text) => text !== null),
    ),
  ].join(', ')

const about = computedFields(
  register,
  [
    'company_id',
    'partner_id',
    'payment_type',
    'partner_type',
    'source_currency_id',
    'can_edit_wizard',
    'can_group_payments',
  ],
  ['line_ids'],
  async (forms, env) => {
    const itemsOf = await itemsFor(env, forms)
    return new Map(
      forms.map((form) => {
        const batches = batchesOf(itemsOf(form))
        const [first] = batches
        const alone = batches.length === 1
        return [
          form.id,
          {
            company_id: first?.items[0]?.company_id ?? null,
            partner_id: alone ? (first?.partner ?? null) : null,
            payment_type: first?.payment_type ?? null,
            partner_type: alone ? (first?.partner_type ?? null) : null,
            source_currency_id: first?.currency ?? null,
            can_edit_wizard: alone,
            can_group_payments: alone && new Set(first?.items.map((one) => one.move_id.id)).size > 1,
          },
        ]
      }),
    )
  },
)

const duePaths = ['line_ids', 'currency_id.rounding', 'payment_date'] as const

/** What is due by form: everything, and without the discounts of those who pay early. */
async function dues(
  env: Environment,
  forms: readonly {
    readonly id: number
    readonly line_ids: readonly { readonly id: number }[]
    readonly currency_id: { readonly id: number; readonly rounding: number } | null
    readonly payment_date: string
  }[],
) {
  const itemsOf = await itemsFor(env, forms)
  const found = new Map<number, { full: number; early: number }>()
  for (const form of forms) {
    const asked = {
      currency: form.currency_id?.id ?? 0,
      step: form.currency_id?.rounding ?? 0.01,
      date: form.payment_date,
    }
    found.set(form.id, await dueOf(env, itemsOf(form), asked))
  }
  return found
}

const difference = computedTogether(register, [...duePaths, 'amount'], async (forms, env) => {
  const due = await dues(env, forms)
  return new Map(forms.map((one) => [one.id, addDecimals(due.get(one.id)?.full ?? 0, -one.amount)]))
})

const source = (company: boolean) =>
  computedTogether(register, ['line_ids'], async (forms, env) => {
    const itemsOf = await itemsFor(env, forms)
    const of = (one: PayItem) => (company ? one.amount_residual : one.amount_residual_currency)
    return new Map(
      forms.map((form) => [
        form.id,
        Math.abs(itemsOf(form).reduce((sum, one) => addDecimals(sum, of(one)), 0)),
      ]),
    )
  })

export default implement(register, {
  defaults: { payment_date: (env) => today(env.tz, env.now()) },
  computed: {
    ...about,
    payment_difference: difference,
    source_amount: source(true),
    source_amount_currency: source(false),
  },
  methods: { action_create_payments: createPayments },
  wrapWrite: (next) => async (forms, changes) => {
    await next(forms, changes)
    // Another day or currency: another amount, unless one is told.
    const asked = idsWhere(
      changes,
      (vals) => ('currency_id' in vals || 'payment_date' in vals) && !('amount' in vals),
    )
    if (asked.length === 0) return
    const rows = await forms.browse(asked).load([...duePaths])
    const due = await dues(forms.env, rows)
    await next(
      forms.browse(asked),
      rows.map((one) => ({ ids: [one.id], vals: proposal(due.get(one.id)) })),
    )
  },
  wrapGeneric: {
    create: (next) => async (forms, params) => {
      const list = givenVals(params.vals_list)
      const asks = list.some((vals) => vals.line_ids === undefined)
      const items = asks ? await itemsInContext(forms.env) : []
      const vals_list: object[] = []
      for (const vals of list)
        vals_list.push(vals.line_ids === undefined ? await proposed(forms.env, { ...vals }, items) : vals)
      return next(forms, { ...params, vals_list })
    },
  },
})

/** What a form proposes where nothing else is told. */
async function proposed(
  env: Environment,
  vals: Record<string, unknown>,
  items: readonly PayItem[],
): Promise<Record<string, unknown>> {
  const batches = batchesOf(items)
  const currencies = new Set(batches.map((one) => one.currency))
  const payment_date = typeof vals.payment_date === 'string' ? vals.payment_date : today(env.tz, env.now())
  const [first] = items
  const currency_id = Number.isInteger(vals.currency_id)
    ? (vals.currency_id as number)
    : currencies.size === 1
      ? batches[0]?.currency
      : first?.company_currency_id?.id
  const currency = await env
    .sudo()
    .model('res.currency')
    .browse([currency_id ?? 0])
    .load(['rounding'])
  const due = await dueOf(env, items, {
    currency: currency_id ?? 0,
    step: currency[0]?.rounding ?? 0.01,
    date: payment_date,
  })
  const amount = typeof vals.amount === 'number' ? vals.amount : due.early
  const journal_id = Number.isInteger(vals.journal_id)
    ? (vals.journal_id as number)
    : await firstJournal(env, first?.company_id?.id ?? env.companyId)
  return {
    group_payment: batches.length === 1,
    communication: reference(items) || false,
    ...(amount === due.early ? proposal(due) : { payment_difference_handling: 'open' }),
    payment_method_line_id:
      journal_id === null ? false : await firstMethod(env, journal_id, batches[0]?.payment_type ?? 'inbound'),
    ...vals,
    payment_date,
    currency_id,
    journal_id,
    amount,
    line_ids: [[6, 0, items.map(({ id }) => id)]],
  }
}

/** Whoever pays early owes no more than the discounted amount. */
const proposal = (due: Due | undefined) => ({
  amount: due?.early ?? 0,
  payment_difference_handling: due && due.early !== due.full ? 'reconcile' : 'open',
})
