// Implementation of the form that pays documents (account.payment.register). Batches: batches.ts; the
// payments: pay.ts.

import {
  computedFields,
  computedTogether,
  type Environment,
  idsWhere,
  implement,
  type Records,
  type WriteChange,
} from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { isInteger } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { givenIds, givenVals } from '../../base/index.ts'
import { partnerTypes } from '../account-types.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import {
  type Due,
  dueOf,
  hasInstalments,
  loadItems,
  type PayItem,
  paymentBatches,
  remainingAfter,
} from './batches.ts'
import { firstJournal, firstMethod } from './default-journal.ts'
import { offeredJournals, offeredMethods } from './form-offers.ts'
import { createPayments } from './pay.ts'
import { register } from './register.contract.ts'
import { duePaths, dues, itemsFor, NOTHING } from './register-dues.ts'

const isAsked = ({ context: { active_model: model } }: Environment) =>
  model === 'account.move' || model === 'account.move.line'

/**
 * Open items of the documents that the context names, of cancelled ones too: those are refused when they are
 * paid (recorded). Throws UserError where nothing is left to pay.
 */
async function itemsInContext(env: Environment): Promise<PayItem[]> {
  const { active_model: model, active_ids: activeIds, active_id: single } = env.context
  const ids = givenIds(Array.isArray(activeIds) ? activeIds : [single])
  const by = model === 'account.move.line' ? 'id' : 'move_id'
  if (!isAsked(env)) throw new UserError('No documents selected: choose invoices or journal items to pay.')
  const items = await env
    .model('account.move.line')
    .search([
      [by, 'in', ids],
      ['account_id.account_type', 'in', [...partnerTypes]],
      '|',
      ['amount_residual', '!=', 0],
      ['amount_residual_currency', '!=', 0],
    ])
  const rows = await loadItems(env, items.ids)
  if (rows.length === 0) throw new UserError('The selected items are fully paid: choose other items.')
  if (new Set(rows.map((row) => row.company_id?.id)).size > 1)
    throw new UserError(
      'Documents of different companies cannot be paid together: choose the documents of one company.',
    )
  if (new Set(rows.map((row) => row.account_id?.account_type)).size > 1)
    throw new UserError('Customers and vendors cannot be paid together: choose the documents of one type.')
  return rows
}

const reference = (items: readonly PayItem[]) =>
  [
    ...new Set(
      items
        .map((item) => item.move_id.payment_reference ?? item.move_id.ref ?? item.move_id.name)
        .filter((text) => text !== null),
    ),
  ].join(', ')

/** Whether items are in several currencies: they are summed up in the company's, as the form's amount is. */
const isMixed = (items: readonly PayItem[]): boolean =>
  new Set(items.map(({ currency_id }) => currency_id.id)).size > 1

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
        const items = itemsOf(form)
        const batches = paymentBatches(items)
        const [first] = batches
        const alone = batches.length === 1
        return [
          form.id,
          {
            company_id: first?.items[0]?.company_id ?? null,
            partner_id: alone ? (first?.partner ?? null) : null,
            payment_type: first?.payment_type ?? null,
            partner_type: alone ? (first?.partner_type ?? null) : null,
            source_currency_id:
              (isMixed(items) ? items[0]?.company_currency_id?.id : first?.currency) ?? null,
            can_edit_wizard: alone,
            can_group_payments: alone && new Set(first?.items.map((item) => item.move_id.id)).size > 1,
          },
        ]
      }),
    )
  },
)

const difference = computedTogether(register, [...duePaths, 'amount'], async (forms, env) => {
  const due = await dues(env, forms)
  return new Map(forms.map((form) => [form.id, remainingAfter(form.amount, due.get(form.id) ?? NOTHING)]))
})

const source = (company: boolean) =>
  computedTogether(register, ['line_ids'], async (forms, env) => {
    const itemsOf = await itemsFor(env, forms)
    return new Map(
      forms.map((form) => {
        const items = itemsOf(form)
        const field = company || isMixed(items) ? 'amount_residual' : 'amount_residual_currency'
        return [form.id, Math.abs(items.reduce((sum, item) => addDecimals(sum, item[field]), 0))]
      }),
    )
  })

export default implement(register, {
  defaults: {
    payment_date: (env) => today(env.tz, env.now()),
    line_ids: async (env) =>
      [[6, 0, isAsked(env) ? (await itemsInContext(env)).map(({ id }) => id) : []]] as const,
  },
  computed: {
    ...about,
    payment_difference: difference,
    available_journal_ids: offeredJournals,
    available_payment_method_line_ids: offeredMethods,
    source_amount: source(true),
    source_amount_currency: source(false),
  },
  methods: { action_create_payments: createPayments },
  wrapWrite: (next) => async (forms, changes) => {
    await next(forms, changes)
    const moved = idsWhere(changes, (vals) => 'journal_id' in vals)
    if (moved.length) await followJournals(forms.browse(moved), changes, next)
    // Another day, currency or choice of instalments changes the amount, unless the write sets it.
    const recomputed = idsWhere(
      changes,
      (vals) =>
        ['currency_id', 'payment_date', 'journal_id', 'installments_mode'].some((name) => name in vals) &&
        !('amount' in vals),
    )
    if (recomputed.length === 0) return
    const rows = await forms.browse(recomputed).load([...duePaths, 'installments_mode'])
    const due = await dues(forms.env, rows)
    await next(
      forms.browse(recomputed),
      rows.map((row) => ({ ids: [row.id], vals: proposal(due.get(row.id), row.installments_mode) })),
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

async function currencyOf(env: Environment, journal: number | null): Promise<number | undefined> {
  if (journal === null) return undefined
  const [journalRow] = await env.sudo().model('account.journal').browse([journal]).load(['currency_id'])
  return journalRow?.currency_id?.id
}

type Forms = Records<'account.payment.register'>

/**
 * Another journal changes the currency to its own, else to that of the documents, and the method to one
 * that it offers, unless the write sets them.
 */
async function followJournals(
  forms: Forms,
  changes: readonly WriteChange[],
  write: (forms: Forms, changes: readonly WriteChange[]) => Promise<unknown>,
): Promise<void> {
  const isSet = (id: number, name: string) =>
    changes.some(({ ids, vals }) => ids.includes(id) && vals[name] !== undefined)
  const rows = await forms.load(['journal_id', 'source_currency_id', 'payment_type'])
  const journals = await forms.env
    .sudo()
    .model('account.journal')
    .browse([...new Set(rows.flatMap((row) => row.journal_id?.id ?? []))])
    .load(['currency_id', 'inbound_payment_method_line_ids', 'outbound_payment_method_line_ids'])
  const journalById = new Map(journals.map((journal) => [journal.id, journal]))
  const followed = rows.flatMap((row): WriteChange[] => {
    const journal = journalById.get(row.journal_id?.id ?? 0)
    if (!journal) return []
    const currency = journal.currency_id ?? row.source_currency_id
    const [method] = journal[`${row.payment_type ?? 'inbound'}_payment_method_line_ids`]
    const vals = {
      ...(isSet(row.id, 'currency_id') ? {} : { currency_id: currency?.id ?? false }),
      ...(isSet(row.id, 'payment_method_line_id') ? {} : { payment_method_line_id: method?.id ?? false }),
    }
    return [{ ids: [row.id], vals }]
  })
  await write(forms, followed)
}

/** The method that was agreed for all documents of items, in the direction of the payment. */
function agreedMethod(items: readonly PayItem[], type: string) {
  const method = items[0]?.move_id.preferred_payment_method_line_id
  const isShared = items.every((item) => item.move_id.preferred_payment_method_line_id?.id === method?.id)
  return method?.payment_type === type && isShared ? method : null
}

/** The method that was agreed if the journal offers it, else its first. */
async function methodIn(
  env: Environment,
  journal: number | null,
  type: string,
  agreed: ReturnType<typeof agreedMethod>,
): Promise<number | false> {
  if (journal === null) return false
  return agreed?.journal_id?.id === journal ? agreed.id : firstMethod(env, journal, type)
}

/** Defaults of a form. */
async function proposed(
  env: Environment,
  vals: Record<string, unknown>,
  items: readonly PayItem[],
): Promise<Record<string, unknown>> {
  const batches = paymentBatches(items)
  const payment_date = typeof vals.payment_date === 'string' ? vals.payment_date : today(env.tz, env.now())
  const [first] = items
  // Several payments are summed up in the company's currency (recorded).
  const formCurrency = batches.length === 1 ? batches[0]?.currency : first?.company_currency_id?.id
  const type = batches[0]?.payment_type ?? 'inbound'
  const agreed = agreedMethod(items, type)
  const journal_id = isInteger(vals.journal_id)
    ? vals.journal_id
    : (agreed?.journal_id?.id ??
      (await firstJournal(env, first?.company_id?.id ?? env.companyId, formCurrency)))
  const currency_id = isInteger(vals.currency_id)
    ? vals.currency_id
    : ((await currencyOf(env, journal_id)) ?? formCurrency)
  const currency = await env
    .sudo()
    .model('res.currency')
    .browse([currency_id ?? 0])
    .load(['rounding'])
  const step = currency[0]?.rounding ?? 0.01
  const due = await dueOf(env, items, { currency: currency_id ?? 0, step, date: payment_date })
  // An amount that is no number is left for the engine to refuse.
  const proposedVals = proposal(due, vals.installments_mode)
  const amount =
    typeof vals.amount === 'number'
      ? toNumber(roundTo(exact(vals.amount), exact(step)))
      : vals.amount || proposedVals.amount
  return {
    group_payment: batches.length === 1,
    communication: reference(items) || false,
    ...(amount === proposedVals.amount ? proposedVals : { payment_difference_handling: 'open' }),
    payment_method_line_id: await methodIn(env, journal_id, type, agreed),
    ...vals,
    payment_date,
    currency_id,
    journal_id,
    amount,
    line_ids: [[6, 0, items.map(({ id }) => id)]],
  }
}

/**
 * Instalments that are due, or all where the form chooses so; the discount for paying early is written off.
 */
const proposal = (due: Due = NOTHING, mode: unknown = null) =>
  mode === 'full' && hasInstalments(due)
    ? { amount: due.full, payment_difference_handling: 'open' }
    : {
        amount: due.proposed,
        payment_difference_handling: due.proposed !== due.settled ? 'reconcile' : 'open',
      }
