// Entries that move items to another period or to another account, before they are created. Each balances.
import { addDecimals, roundHalfUp } from '../../../kit/rounding.ts'

interface AdjustedItem {
  readonly id: number
  readonly name: string | null
  readonly date: string | null
  readonly balance: number
  readonly amount_currency: number
  readonly account_id: { readonly id: number } | null
  readonly partner_id: { readonly id: number } | null
  readonly currency_id: { readonly id: number; readonly rounding: number }
  readonly analytic_distribution: unknown
  readonly move_id: { readonly id: number; readonly name: string | null }
}

interface PlannedLine {
  readonly name: string | null
  readonly account_id: number
  readonly partner_id: number | null
  readonly currency_id: number
  readonly balance: number
  readonly amount_currency: number
  readonly analytic_distribution: unknown
}

export interface PlannedEntry {
  readonly date: string
  readonly ref: string
  /** Entries that the items are from. */
  readonly origins: readonly number[]
  readonly lines: readonly PlannedLine[]
}

interface Adjustment {
  readonly date: string
  /** Of each item, in percent. */
  readonly percentage: number
  /** The account that holds amounts until their period, or that they move to. */
  readonly account: number
  /** The smallest amount of the company's currency. */
  readonly rounding: number
}

const NAMED = 3

function refOf(items: readonly AdjustedItem[]): string {
  const names = [...new Set(items.map(({ move_id: move }) => move.name ?? ''))]
  return `Adjustment of ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ', …' : ''}`
}

const originsOf = (items: readonly AdjustedItem[]) => [...new Set(items.map(({ move_id: move }) => move.id))]

/** The line that takes a part of an item into its account (1) or out of it (-1). */
function lineOf(item: AdjustedItem, sign: 1 | -1, { percentage, rounding }: Adjustment): PlannedLine {
  const part = (value: number, step: number) => sign * roundHalfUp((value * percentage) / 100, step) + 0
  return {
    name: item.name,
    account_id: item.account_id?.id ?? 0,
    partner_id: item.partner_id?.id ?? null,
    currency_id: item.currency_id.id,
    balance: part(item.balance, rounding),
    amount_currency: part(item.amount_currency, item.currency_id.rounding),
    analytic_distribution: item.analytic_distribution,
  }
}

const counterpart = (line: PlannedLine, account_id: number): PlannedLine => ({
  ...line,
  account_id,
  balance: -line.balance + 0,
  amount_currency: -line.amount_currency + 0,
  analytic_distribution: false,
})

/** Takes items out of their days, and into the day of the adjustment: the account holds them meanwhile. */
export function otherPeriod(items: readonly AdjustedItem[], adjustment: Adjustment): PlannedEntry[] {
  const entry = (date: string, list: readonly AdjustedItem[], sign: 1 | -1): PlannedEntry => ({
    date,
    ref: refOf(list),
    origins: originsOf(list),
    lines: list.flatMap((item) => {
      const line = lineOf(item, sign, adjustment)
      return [line, counterpart(line, adjustment.account)]
    }),
  })
  const byDay = Map.groupBy(items, ({ date }) => date ?? adjustment.date)
  return [
    ...[...byDay].sort(([a], [b]) => a.localeCompare(b)).map(([day, list]) => entry(day, list, -1)),
    entry(adjustment.date, items, 1),
  ]
}

/** Moves what accounts hold of each partner and currency to the account of the adjustment. */
export function otherAccount(items: readonly AdjustedItem[], adjustment: Adjustment): PlannedEntry[] {
  const lines = items.map((item) => lineOf(item, -1, adjustment))
  const groups = Map.groupBy(lines, (line) =>
    JSON.stringify([line.account_id, line.partner_id, line.currency_id, line.analytic_distribution || null]),
  )
  const sums = [...groups.values()].flatMap(([first, ...more]) =>
    first ? more.reduce((sum, line) => added(sum, line), first) : [],
  )
  const moved = sums.filter((line) => line.balance !== 0 || line.amount_currency !== 0)
  if (moved.length === 0) return []
  return [
    {
      date: adjustment.date,
      ref: refOf(items),
      origins: originsOf(items),
      lines: moved.flatMap((line) => [
        line,
        { ...counterpart(line, adjustment.account), analytic_distribution: line.analytic_distribution },
      ]),
    },
  ]
}

const added = (sum: PlannedLine, line: PlannedLine): PlannedLine => ({
  ...sum,
  balance: addDecimals(sum.balance, line.balance),
  amount_currency: addDecimals(sum.amount_currency, line.amount_currency),
})
