// Draft invoices with all that their items depend on, loaded for many at once as superuser.

import type { Environment } from '#models'
import { present } from '../../../kit/present.ts'
import { fixedAmountsOf } from '../fixed-amounts.ts'
import type { FixedAmounts, RoundingMethod, Tax } from '../tax-engine/index.ts'
import { type GroupedTaxes, loadGroupedTaxes } from '../taxes.ts'
import { type CashRounding, type TaxPart, taxItemKey } from './document.ts'
import type { TermLine } from './due-dates.ts'
import type { Header } from './headers.ts'
import { dueItemName, generatedTypes, isRefund } from './kinds.ts'
import { partnerAccounts } from './partner-accounts.ts'
import { loadParts } from './tax-parts.ts'

/** An item as it is stored; `key` says what a generated one stands for. */
export interface StoredItem {
  readonly id: number
  readonly display_type: string
  readonly key: string
  readonly stored: Readonly<Record<string, unknown>>
}

export interface StoredLine extends StoredItem {
  readonly price_unit: number
  readonly quantity: number
  readonly discount: number
  readonly account: number | null
  readonly taxes: readonly Tax[]
  groupOf(tax: number): number | null
  /** Amounts of a deposit or a discount. */
  readonly fixed: FixedAmounts | null
}

export interface Terms {
  readonly lines: readonly TermLine[]
  readonly early: { readonly percentage: number; readonly days: number; readonly computation: string } | null
}

export interface CoinRounding extends CashRounding {
  readonly strategy: string
  readonly profit: number | null
  readonly loss: number | null
  readonly name: string
}

export interface Draft {
  readonly header: Header
  readonly method: RoundingMethod
  readonly lines: readonly StoredLine[]
  readonly generated: readonly StoredItem[]
  readonly partner: number | null
  /** Receivable or payable account. */
  readonly account: number | null
  readonly terms: Terms | null
  readonly due: string | null
  /** The rate that the draft has; 0 for none yet. */
  readonly currencyRate: number
  /** The draft is at another rate than its items. */
  readonly rerated: boolean
  readonly reference: string | null
  readonly coins: CoinRounding | null
  readonly partsOf: (tax: number) => readonly TaxPart[]
  /** Tags of the base of a tax, for this kind of document. */
  readonly baseTagsOf: (tax: number) => readonly number[]
  readonly taxName: (tax: number) => string
  readonly today: string
}

export const itemPaths = [
  'move_id',
  'display_type',
  'name',
  'price_unit',
  'quantity',
  'discount',
  'tax_ids',
  'extra_tax_data',
  'account_id',
  'partner_id',
  'amount_currency',
  'balance',
  'is_storno',
  'price_subtotal',
  'price_total',
  'tax_line_id',
  'tax_repartition_line_id',
  'group_tax_id',
  'tax_base_amount',
  'tax_tag_ids',
  'date_maturity',
  'discount_date',
  'discount_amount_currency',
  'discount_balance',
  'sequence',
] as const

export const movePaths = [
  'commercial_partner_id',
  'invoice_date_due',
  'invoice_currency_rate',
  'payment_reference',
  'ref',
  'invoice_cash_rounding_id.rounding',
  'invoice_cash_rounding_id.rounding_method',
  'invoice_cash_rounding_id.strategy',
  'invoice_cash_rounding_id.name',
  'invoice_payment_term_id.early_discount',
  'invoice_payment_term_id.discount_percentage',
  'invoice_payment_term_id.discount_days',
  'invoice_payment_term_id.early_pay_discount_computation',
  'invoice_payment_term_id.line_ids.value',
  'invoice_payment_term_id.line_ids.value_amount',
  'invoice_payment_term_id.line_ids.delay_type',
  'invoice_payment_term_id.line_ids.nb_days',
  'invoice_payment_term_id.line_ids.days_next_month',
] as const

/** Loads drafts of invoices by their headers. */
export async function loadDrafts(env: Environment, headers: readonly Header[]): Promise<Draft[]> {
  const ids = headers.map(({ id }) => id)
  const moves = await env
    .model('account.move')
    .browse(ids)
    .load([...movePaths])
  const byId = new Map(moves.map((move) => [move.id, move]))
  const itemRecords = await env
    .withContext({ active_test: false })
    .model('account.move.line')
    .search([['move_id', 'in', ids]], { order: 'sequence, id' })
  const items = await itemRecords.load([...itemPaths])
  const byMove = Map.groupBy(items, (item) => item.move_id.id)
  const taxIds = [...new Set(items.flatMap((item) => item.tax_ids.map(({ id }) => id)))]
  const taxesOf = await loadGroupedTaxes(env, taxIds)
  const members = [...new Set(taxIds.flatMap((id) => taxesOf([id]).taxes.map((tax) => tax.id)))]
  const parts = await loadParts(env, members)
  const accounts = await partnerAccounts(
    env,
    headers,
    (header) => byId.get(header.id)?.commercial_partner_id?.id ?? null,
  )
  const coins = await coinAccounts(env, headers, moves)
  const today = env.now().toISOString().slice(0, 10)
  return headers.map((header) => {
    const move = byId.get(header.id)
    const draftItems = byMove.get(header.id) ?? []
    const stored = draftItems.map((item) => ({ one: item, item: storedItem(item) }))
    const term = move?.invoice_payment_term_id
    return {
      header,
      method: header.method,
      lines: stored
        .filter(({ one }) => one.display_type === 'product')
        .map(({ one, item }) => storedLine(one, item, taxesOf)),
      generated: stored
        .filter(({ one }) => generatedTypes.includes(one.display_type))
        .map(({ item }) => item),
      partner: move?.commercial_partner_id?.id ?? null,
      account: accounts.get(header.id) ?? null,
      terms: term ? termsOf(term) : null,
      due: move?.invoice_date_due ?? null,
      currencyRate: move?.invoice_currency_rate ?? 0,
      rerated: false,
      reference: move ? dueItemName(move.ref, move.payment_reference) : null,
      coins: coins.get(header.id) ?? null,
      partsOf: (tax: number) => parts.get(`${tax}/${kindOf(header)}`)?.parts ?? [],
      baseTagsOf: (tax: number) => parts.get(`${tax}/${kindOf(header)}`)?.baseTags ?? [],
      taxName: (tax: number) => parts.get(`${tax}/invoice`)?.name ?? '',
      today,
    }
  })
}

const kindOf = ({ move_type }: Header) => (isRefund(move_type) ? 'refund' : 'invoice')

type Item = Awaited<ReturnType<typeof loadItems>>[number]
const loadItems = (env: Environment) => env.model('account.move.line').load([...itemPaths])

const linked = (record: { readonly id: number } | null) => record?.id ?? null

function storedItem(item: Item): StoredItem {
  const taxes = item.tax_ids.map(({ id }) => id).toSorted((a, b) => a - b)
  return {
    id: item.id,
    display_type: item.display_type,
    key: taxItemKey({
      part: linked(item.tax_repartition_line_id),
      account: linked(item.account_id),
      taxes,
      group: linked(item.group_tax_id),
    }),
    stored: {
      ...item,
      account_id: linked(item.account_id),
      partner_id: linked(item.partner_id),
      tax_line_id: linked(item.tax_line_id),
      tax_repartition_line_id: linked(item.tax_repartition_line_id),
      group_tax_id: linked(item.group_tax_id),
      tax_ids: taxes,
      tax_tag_ids: item.tax_tag_ids.map(({ id }) => id).toSorted((a, b) => a - b),
    },
  }
}

function storedLine(
  record: Item,
  item: StoredItem,
  taxesOf: (ids: readonly number[]) => GroupedTaxes,
): StoredLine {
  return {
    ...item,
    price_unit: record.price_unit,
    quantity: record.quantity,
    discount: record.discount,
    account: record.account_id?.id ?? null,
    ...taxesOf(record.tax_ids.map(({ id }) => id)),
    fixed: fixedAmountsOf(record, record.quantity),
  }
}

type Term = NonNullable<Loaded[number]['invoice_payment_term_id']>

function termsOf(term: Term): Terms {
  return {
    lines: term.line_ids,
    early: term.early_discount
      ? {
          percentage: term.discount_percentage,
          days: term.discount_days,
          computation: term.early_pay_discount_computation ?? 'included',
        }
      : null,
  }
}

type Loaded = Awaited<ReturnType<typeof loadMoves>>
const loadMoves = (env: Environment) => env.model('account.move').load([...movePaths])

/** Rounding to coins by entry, with the accounts of its company. */
async function coinAccounts(
  env: Environment,
  headers: readonly Header[],
  moves: Loaded,
): Promise<Map<number, CoinRounding>> {
  const roundings = new Map(
    moves.flatMap(({ id, invoice_cash_rounding_id: one }) => (one ? [[id, one] as const] : [])),
  )
  const coins = new Map<number, CoinRounding>()
  const concerned = headers.filter((header) => roundings.has(header.id))
  for (const [company, group] of Map.groupBy(concerned, (record) => record.company)) {
    const ids = [...new Set(group.map((member) => present(roundings.get(member.id)?.id)))]
    const rows = await env
      .withCompany(company)
      .model('account.cash.rounding')
      .browse(ids)
      .load(['profit_account_id', 'loss_account_id'])
    const rowById = new Map(rows.map((row) => [row.id, row]))
    for (const member of group) {
      const rounding = roundings.get(member.id)
      const accounts = rowById.get(rounding?.id ?? 0)
      if (rounding) {
        const { rounding: step, rounding_method, strategy, name } = rounding
        const [profit, loss] = [
          linked(accounts?.profit_account_id ?? null),
          linked(accounts?.loss_account_id ?? null),
        ]
        coins.set(member.id, { rounding: step, rounding_method, strategy, name, profit, loss })
      }
    }
  }
  return coins
}
