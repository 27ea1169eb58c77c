// The items that a draft of an invoice is to have: amounts of its lines, taxes, rounding to coins,
// instalments.
import type { Vals } from '#models'
import { addDays } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { type Decimal, exact, roundTo, toNumber } from '../tax-engine/index.ts'
import {
  type DocumentLine,
  itemsOf,
  type LineAmountsOut,
  roundingDifference,
  type TaxItem,
  taxItemKey,
  totalDue,
} from './document.ts'
import type { CoinRounding, Draft } from './drafts.ts'
import { type Both, type Instalment, inCoins, instalments, type Steps } from './due-dates.ts'
import { loweredBases, offsettingLine } from './early-discount.ts'
import { signOf } from './kinds.ts'
import { atOtherRate } from './other-rate.ts'

type ItemVals = Vals<'account.move.line'>

/** A generated item; `key` says what it stands for. */
export interface Wanted {
  readonly key: string
  readonly vals: ItemVals
}

export interface WantedItems {
  readonly lines: readonly ({ readonly id: number } & ItemVals)[]
  readonly generated: readonly Wanted[]
  readonly due: string | null
}

export function expectedItems(draft: Draft): WantedItems {
  const { header } = draft
  const rate = header.currency === header.companyCurrency ? null : header.rate
  const lines: DocumentLine[] = draft.lines.map(({ price_unit, ...line }) => ({
    ...line,
    priceUnit: price_unit,
  }))
  const { rounding, companyRounding, method } = header
  const how = {
    sign: signOf(header.move_type),
    rounding,
    companyRounding,
    method,
    rate,
    partsOf: draft.partsOf,
  }
  const plain = itemsOf(lines, how)
  const early = draft.terms?.early
  const lowered =
    early?.computation === 'mixed' ? loweredBases(lines, plain.lines, early.percentage, rounding) : []
  const all = lowered.length ? itemsOf([...lines, ...lowered, ...lowered.map(offsettingLine)], how) : plain
  const items = owingNothing(
    atOtherRate(draft, {
      lines: all.lines.filter((line) => line.id > 0),
      taxes: all.taxes.map((tax) => ({ ...tax, key: taxItemKey(tax) })),
    }),
  )
  const generated = [
    ...items.taxes.map((tax) => taxItem(draft, tax)),
    ...loweredItems(draft, lowered, itemsOf(lowered, how).lines),
  ]
  const coins = coinItem(draft, items.taxes, totalDue([...items.lines, ...items.taxes]))
  if (coins) generated.push(coins)
  const total = totalDue([...items.lines, ...generated.map(({ vals }) => vals as Amounts)])
  const untaxed = totalDue(items.lines)
  const parts = draft.lines.length ? instalmentsOf(draft, total) : []
  const taxesByLine = new Map(draft.lines.map((line) => [line.id, line.taxes.map((tax) => tax.id)]))
  return {
    lines: items.lines.map((line) => ({
      ...line,
      tax_tag_ids: [[6, 0, baseTags(draft, taxesByLine.get(line.id) ?? [])]],
    })),
    generated: [
      ...generated,
      ...parts.map((part, i) =>
        termItem(draft, part, { total, untaxed, number: parts.length > 1 ? i + 1 : null }),
      ),
    ],
    due: dueOf(draft, parts),
  }
}

/** Tags of the bases of taxes, in their order. */
const baseTags = (draft: Draft, taxes: readonly number[]): number[] =>
  [...new Set(taxes.flatMap((tax) => draft.baseTagsOf(tax)))].sort((a, b) => a - b)

interface Amounts {
  readonly amount_currency: number
  readonly balance: number
}

/**
 * If a document is zero in its currency, it is zero in the company's too: a rest could never be settled.
 * Its largest line takes the cents that conversion left.
 */
function owingNothing<L extends Amounts, T extends Amounts>(items: {
  readonly lines: readonly L[]
  readonly taxes: readonly T[]
}): typeof items {
  const { currency, company } = totalDue([...items.lines, ...items.taxes])
  if (!currency.isZero() || company.isZero()) return items
  const largest = items.lines.toSorted((a, b) => Math.abs(b.balance) - Math.abs(a.balance))[0]
  const lines = items.lines.map((line) =>
    line === largest ? { ...line, balance: toNumber(exact(line.balance).plus(company)) } : line,
  )
  return { ...items, lines }
}

/** Items that follow from lines stand after all of those (recording coverage-defects/d16). */
const TAX_SEQUENCE = 10_000
const TERM_SEQUENCE = 12_000

const common = (draft: Draft) => ({ partner_id: draft.partner, quantity: 0 })

function taxItem(draft: Draft, item: TaxItem & { readonly key: string }): Wanted {
  const { key, part, tax, account, taxes, group, amount_currency, balance, base } = item
  return {
    key,
    vals: {
      ...common(draft),
      display_type: 'tax',
      sequence: TAX_SEQUENCE,
      name: draft.taxName(tax),
      account_id: account,
      tax_line_id: tax,
      tax_repartition_line_id: part,
      group_tax_id: group,
      tax_ids: [[6, 0, taxes]],
      tax_tag_ids: [[6, 0, tagsOf(draft, item)]],
      amount_currency,
      balance,
      tax_base_amount: base,
    },
  }
}

/** Tags of the part of a tax, and of the bases of later taxes that it counts for. */
function tagsOf(draft: Draft, { tax, part, taxes }: TaxItem): number[] {
  const tags = draft.partsOf(tax).find(({ id }) => id === part)?.tags ?? []
  return [...new Set([...tags, ...baseTags(draft, taxes)])].sort((a, b) => a - b)
}

/** The items of lowered bases with their taxes; one without taxes takes back all of an account. */
function loweredItems(
  draft: Draft,
  lowered: readonly DocumentLine[],
  amounts: readonly LineAmountsOut[],
): Wanted[] {
  const item = (account: number | null, taxes: readonly number[], amount: Amounts): Wanted => ({
    key: taxItemKey({ part: null, account, taxes, group: null }),
    vals: {
      ...common(draft),
      display_type: 'epd',
      name: 'Early Payment Discount',
      account_id: account,
      tax_ids: [[6, 0, taxes]],
      ...amount,
    },
  })
  const pairs = lowered.map((line, i) => ({ ...line, ...present(amounts[i]) }))
  const lowering = pairs.map(({ account, taxes, amount_currency, balance }) =>
    item(
      account,
      taxes.map((tax) => tax.id).toSorted((a, b) => a - b),
      { amount_currency, balance },
    ),
  )
  const takingBack = [...Map.groupBy(pairs, ({ account }) => account)].map(([account, accountItems]) => {
    const { currency, company } = totalDue(accountItems)
    return item(account, [], { amount_currency: toNumber(currency), balance: toNumber(company) })
  })
  return [...lowering, ...takingBack]
}

/** Item of the cash rounding difference: on a line of its own, or with the largest tax. */
function coinItem(draft: Draft, taxes: readonly TaxItem[], total: Both): Wanted | null {
  const { coins, header } = draft
  if (!coins || draft.lines.length === 0) return null
  const difference = roundingDifference(total.currency, coins).negated()
  if (difference.isZero()) return null
  const amount_currency = toNumber(difference)
  // Where coins take all of a total, nothing of it stays in the company's money either.
  const worth = total.currency.equals(difference)
    ? total.company
    : roundTo(difference.div(exact(header.rate)), exact(header.companyRounding))
  const balance = toNumber(worth)
  const place = coins.strategy === 'biggest_tax' ? withTax(taxes) : onAccount(coins, balance)
  if (!place) return null
  return {
    key: place.key,
    vals: { ...common(draft), display_type: 'rounding', amount_currency, balance, ...place.vals },
  }
}

function onAccount(coins: CoinRounding, balance: number): Wanted | null {
  const account_id = balance > 0 ? coins.loss : coins.profit
  if (account_id === null) return null
  const key = taxItemKey({ part: null, account: account_id, taxes: [], group: null })
  return { key, vals: { name: coins.name, account_id } }
}

/** With the biggest tax in the document's currency: in the company's two may be alike on one day only. */
function withTax(taxes: readonly TaxItem[]): Wanted | null {
  const biggest = taxes.toSorted((a, b) => Math.abs(b.amount_currency) - Math.abs(a.amount_currency))[0]
  if (!biggest) return null
  const { account, tax, part, taxes: affected } = biggest
  const vals = {
    name: 'Rounding',
    account_id: account,
    tax_line_id: tax,
    tax_repartition_line_id: part,
    tax_ids: [[6, 0, affected]] as const,
  }
  return { key: taxItemKey({ part, account, taxes: affected, group: null }), vals }
}

function instalmentsOf(draft: Draft, total: Both): Instalment[] {
  const { header, terms } = draft
  if (!terms || terms.lines.length === 0) return [{ date: dueWithoutTerms(draft), ...total }]
  return instalments(total, terms.lines, header.day, stepsOf(draft))
}

const stepsOf = ({ header, coins }: Draft): Steps => ({
  currency: exact(header.rounding),
  company: exact(header.companyRounding),
  rate: exact(header.rate),
  coins,
})

/** At once, but never in the past. */
function dueWithoutTerms({ due, header, today }: Draft): string {
  return due ?? (header.day > today ? header.day : today)
}

function dueOf(draft: Draft, parts: readonly Instalment[]): string | null {
  const last = parts
    .map((part) => part.date)
    .sort()
    .at(-1)
  return last ?? draft.due
}

interface Place {
  readonly total: Both
  readonly untaxed: Both
  /** The number of the instalment, null where there is only one. */
  readonly number: number | null
}

function termItem(draft: Draft, part: Instalment, { total, untaxed, number }: Place): Wanted {
  const { reference, terms, header } = draft
  const early = terms?.early
  const off = (of: Both) => {
    const base = early?.computation === 'included' ? total : untaxed
    const percent = exact(early?.percentage ?? 0)
    const steps = stepsOf(draft)
    const less = (all: Decimal, from: Decimal, step: Decimal) =>
      roundTo(all.minus(from.times(percent).div(100)), step)
    const reduced = inCoins(
      {
        currency: less(of.currency, base.currency, steps.currency),
        company: less(of.company, base.company, steps.company),
      },
      steps,
    )
    return {
      discount_date: addDays(header.day, early?.days ?? 0),
      discount_amount_currency: toNumber(reduced.currency),
      discount_balance: toNumber(reduced.company),
    }
  }
  return {
    key: '',
    vals: {
      ...common(draft),
      display_type: 'payment_term',
      sequence: TERM_SEQUENCE,
      name: reference && number ? `${reference} installment #${number}` : (reference ?? false),
      account_id: draft.account,
      amount_currency: toNumber(part.currency),
      balance: toNumber(part.company),
      date_maturity: part.date,
      ...(early ? off(part) : { discount_date: false, discount_amount_currency: 0, discount_balance: 0 }),
    },
  }
}
