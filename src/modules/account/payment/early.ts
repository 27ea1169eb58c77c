// What paying early takes off: booked on the company's accounts for discounts, and taken off the taxes where
// the terms say so.
import type { Environment } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { itemsOf, type TaxItem } from '../move/document.ts'
import { loadDrafts } from '../move/drafts.ts'
import { loadHeaders } from '../move/headers.ts'
import { signOf } from '../move/kinds.ts'
import { exact, ONE_HUNDRED } from '../tax-engine/index.ts'
import type { PayItem } from './batches.ts'
import type { WriteOff } from './entries.ts'

/**
 * Write-offs that come to `left`, which has the sign of a debit: the taxes' part by document, the rest on the
 * account for discounts.
 */
export async function discountWriteOffs(
  env: Environment,
  items: readonly PayItem[],
  left: number,
): Promise<WriteOff[]> {
  const su = env.sudo()
  const headers = await loadHeaders(
    su,
    items.map((one) => one.move_id.id),
  )
  const drafts = await loadDrafts(su, [...headers.values()])
  const [first] = drafts
  if (!first) return []
  const company = await su
    .model('res.company')
    .browse([first.header.company])
    .one([
      'account_journal_early_pay_discount_gain_account_id',
      'account_journal_early_pay_discount_loss_account_id',
    ])
  const account =
    left > 0
      ? company.account_journal_early_pay_discount_loss_account_id
      : company.account_journal_early_pay_discount_gain_account_id
  const offs = drafts.flatMap((draft) =>
    draft.terms?.early?.computation === 'included' ? taxOffs(draft) : [],
  )
  const rest = offs.reduce((sum, off) => addDecimals(sum, -off.amount), left)
  const fallback = account?.id ?? first.account ?? 0
  return [
    ...offs,
    ...(rest === 0 ? [] : [{ name: 'Early Payment Discount', account: fallback, amount: rest }]),
  ]
}

type Draft = Awaited<ReturnType<typeof loadDrafts>>[number]

/** What the taxes of a document are less when its prices are. */
function taxOffs(draft: Draft): WriteOff[] {
  const { header, terms } = draft
  const factor = ONE_HUNDRED.minus(exact(terms?.early?.percentage ?? 0)).div(100)
  const booked = (scale: boolean): TaxItem[] => {
    const lines = draft.lines.map(({ id, account, price_unit, quantity, discount, taxes }) => ({
      id,
      account,
      priceUnit: scale ? exact(price_unit).times(factor) : price_unit,
      quantity,
      discount,
      taxes,
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
  const keyOf = (one: TaxItem) => `${one.part}/${one.account}/${one.taxes.join()}`
  const less = new Map(booked(true).map((one) => [keyOf(one), one.amount_currency]))
  return booked(false).flatMap((one) => {
    const amount = addDecimals(less.get(keyOf(one)) ?? 0, -one.amount_currency)
    if (amount === 0 || one.account === null) return []
    return [
      { name: draft.taxName(one.tax), account: one.account, amount, tax: { id: one.tax, part: one.part } },
    ]
  })
}
