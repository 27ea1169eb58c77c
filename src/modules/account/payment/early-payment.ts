// Early payment discounts: booked on the company's accounts for discounts, and taken off the taxes if
// the terms say so.
import type { Environment } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { itemsOf, type TaxItem, taxItemKey } from '../move/document.ts'
import { loadDrafts } from '../move/drafts.ts'
import { loadHeaders } from '../move/headers.ts'
import { signOf } from '../move/kinds.ts'
import { type Decimal, exact, type FixedAmounts, ONE_HUNDRED } from '../tax-engine/index.ts'
import type { PayItem } from './batches.ts'
import type { WriteOff } from './entries.ts'

/** Items that are paid early, and what a payment of them is less: it has the sign of a debit. */
export interface PaidEarly {
  readonly items: readonly PayItem[]
  readonly left: number
}

/**
 * Write-offs of payments that come to what each is less: the taxes' part by document, the rest on the account
 * for discounts. As many statements for a hundred payments as for one.
 */
export async function discountWriteOffs(
  env: Environment,
  paid: readonly PaidEarly[],
): Promise<readonly (readonly WriteOff[])[]> {
  const lessened = paid.filter(({ left }) => left !== 0)
  if (lessened.length === 0) return paid.map(() => [])
  const su = env.sudo()
  const headers = await loadHeaders(
    su,
    lessened.flatMap(({ items }) => items.map((item) => item.move_id.id)),
  )
  const drafts = new Map(
    (await loadDrafts(su, [...headers.values()])).map((draft) => [draft.header.id, draft]),
  )
  const accounts = await discountAccounts(env, [...drafts.values()])
  return paid.map(({ items, left }) => {
    const itemDrafts = [...new Set(items.map((item) => item.move_id.id))].flatMap(
      (id) => drafts.get(id) ?? [],
    )
    const [first] = itemDrafts
    if (left === 0 || !first) return []
    const offs = itemDrafts.flatMap((draft) =>
      draft.terms?.early?.computation === 'included' ? taxOffs(draft) : [],
    )
    const rest = offs.reduce((sum, off) => addDecimals(sum, -off.amount), left)
    const account = accounts(first.header.company, left) ?? first.account ?? 0
    return [...offs, ...(rest === 0 ? [] : [{ name: 'Early Payment Discount', account, amount: rest }])]
  })
}

/** Where companies book discounts, given and taken. */
async function discountAccounts(env: Environment, drafts: readonly Draft[]) {
  const rows = await env
    .sudo()
    .model('res.company')
    .browse([...new Set(drafts.map((draft) => draft.header.company))])
    .load([
      'account_journal_early_pay_discount_gain_account_id',
      'account_journal_early_pay_discount_loss_account_id',
    ])
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return (company: number, left: number): number | undefined => {
    const companyRow = rowById.get(company)
    return left > 0
      ? companyRow?.account_journal_early_pay_discount_loss_account_id?.id
      : companyRow?.account_journal_early_pay_discount_gain_account_id?.id
  }
}

type Draft = Awaited<ReturnType<typeof loadDrafts>>[number]

const scaled = ({ untaxed, taxes }: FixedAmounts, factor: Decimal): FixedAmounts => ({
  untaxed: untaxed.times(factor),
  taxes: new Map([...taxes].map(([id, amount]) => [id, amount.times(factor)])),
})

/** Reduction of a document's taxes if its prices are reduced. */
function taxOffs(draft: Draft): WriteOff[] {
  const { header, terms } = draft
  const factor = ONE_HUNDRED.minus(exact(terms?.early?.percentage ?? 0)).div(100)
  const booked = (scale: boolean): TaxItem[] => {
    const lines = draft.lines.map(({ price_unit, fixed, ...line }) => ({
      ...line,
      priceUnit: scale ? exact(price_unit).times(factor) : price_unit,
      fixed: scale && fixed ? scaled(fixed, factor) : fixed,
    }))
    const { rounding, companyRounding, method } = header
    return [
      ...itemsOf(lines, {
        sign: signOf(header.move_type),
        rounding,
        companyRounding,
        method,
        rate: null,
        partsOf: draft.partsOf,
      }).taxes,
    ]
  }
  const less = new Map(booked(true).map((one) => [taxItemKey(one), one.amount_currency]))
  return booked(false).flatMap((taxItem) => {
    const amount = addDecimals(less.get(taxItemKey(taxItem)) ?? 0, -taxItem.amount_currency)
    if (amount === 0 || taxItem.account === null) return []
    return [
      {
        name: draft.taxName(taxItem.tax),
        account: taxItem.account,
        amount,
        tax: { id: taxItem.tax, part: taxItem.part },
      },
    ]
  })
}
