// Charts of accounts for new companies: facts in JSON files of this folder.
import { readFileSync } from 'node:fs'
import type { Rec } from '#models'

/** Ids are names within the chart: the external id is `account.<company id>_<name>`. */
export interface Chart {
  readonly name: string
  /** External id of the country whose chart it is, for companies that say none. */
  readonly country: string
  /** Fields of the company; values that name something of the chart lead to it. */
  readonly company: Readonly<Record<string, string | boolean>>
  /** The accounts that fields of contacts and of categories fall back to, by model. */
  readonly properties: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly accounts: readonly {
    readonly id: string
    readonly code: string
    readonly name: string
    readonly type: Rec<'account.account'>['account_type']
    readonly reconcile?: boolean
  }[]
  readonly journals: readonly {
    readonly id: string
    readonly code: string
    readonly name: string
    readonly type: Rec<'account.journal'>['type']
    readonly account?: string
    readonly sequence: number
    /** Not for the dashboard. */
    readonly hidden?: boolean
  }[]
  readonly groups: readonly { readonly id: string; readonly name: string; readonly sequence: number }[]
  readonly positions: readonly {
    readonly id: string
    readonly name: string
    readonly sequence: number
    /** Applied in the fiscal country, or to everybody else. */
    readonly domestic: boolean
  }[]
  readonly taxes: readonly {
    readonly id: string
    readonly name: string
    readonly use: Rec<'account.tax'>['type_tax_use']
    readonly amount: number
    readonly group: string
    readonly account: string
    readonly positions: readonly string[]
    readonly replaces?: readonly string[]
  }[]
}

const files: Readonly<Record<string, string>> = { generic_coa: 'generic.json' }
const read = new Map<string, Chart>()

export const chartCodes = Object.keys(files)

/** The names of the charts by their codes. */
export const chartNames = (): Readonly<Record<string, string>> =>
  Object.fromEntries(chartCodes.map((code) => [code, chartOf(code)?.name ?? code]))

/** A chart by its code, or undefined. */
export function chartOf(code: string): Chart | undefined {
  const file = Object.hasOwn(files, code) ? files[code] : undefined
  if (file === undefined) return undefined
  const chart = read.get(code) ?? (JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Chart)
  read.set(code, chart)
  return chart
}
