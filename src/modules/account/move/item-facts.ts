// Facts about items as lists and prints read them (account.move.line): their account, section, rate,
// due day, and the items that they are matched with.
import {
  boolean,
  char,
  computed,
  computedTogether,
  date,
  extend,
  float,
  implement,
  many2many,
  many2one,
  monetary,
  type Of,
  optional,
  type Records,
  returns,
  selection,
  writable,
} from '#models'
import { today } from '../../../kit/dates.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { accountGroups, BOOKKEEPERS } from '../account-types.ts'
import { headingsOf } from '../sections.ts'
import { ratesFor } from './headers.ts'
import { isRefund, lineTypes } from './kinds.ts'

const line = extend('account.move.line', {
  fields: {
    account_name: char({ label: 'Account Name', related: 'account_id.name' }),
    account_code: char({ label: 'Code', related: 'account_id.code' }),
    account_internal_group: selection(accountGroups, {
      label: 'Internal Group',
      related: 'account_id.internal_group',
    }),
    account_root_id: many2one('account.root', { label: 'Account Root', related: 'account_id.root_id' }),
    search_account_id: many2one('account.account', { label: 'Search Account', related: 'account_id' }),
    allowed_uom_ids: many2many('uom.uom', {
      label: 'Allowed Uom',
      related: 'product_id.product_tmpl_id.uom_ids',
    }),
    is_account_reconcile: boolean({ label: 'Account Reconcile', related: 'account_id.reconcile' }),
    commercial_partner_country: many2one('res.country', {
      label: 'Commercial Partner Country',
      related: 'move_id.commercial_partner_id.country_id',
    }),
    product_category_id: many2one('product.category', {
      label: 'Product Category',
      related: 'product_id.categ_id',
    }),
    tax_calculation_rounding_method: selection(
      { round_per_line: 'Round per Line', round_globally: 'Round Globally' },
      {
        label: 'Tax calculation rounding method',
        related: 'company_id.tax_calculation_rounding_method',
      },
    ),
    is_refund: boolean({ label: 'Is Refund', computed: true }),
    is_same_currency: boolean({
      label: 'Is Same Currency',
      computed: true,
      help: 'Its currency is that of the company.',
    }),
    currency_rate: float({
      label: 'Currency Rate',
      computed: true,
      help: "Value of one unit of the company's currency in that of the item.",
    }),
    payment_date: date({
      label: 'Next Payment Date',
      computed: true,
      help: 'Due date; the end of the early discount while it is available.',
    }),
    parent_id: many2one('account.move.line', { label: 'Parent Section Line', computed: true }),
    cumulated_balance: monetary({
      label: 'Cumulated Balance',
      computed: true,
      groups: BOOKKEEPERS,
      currency: 'company_currency_id',
      help: 'The balance of its account with this item and all posted ones before.',
    }),
    reconciled_lines_ids: many2many('account.move.line', {
      label: 'Reconciled Lines',
      computed: true,
      readonly: false,
      help: 'Items that it is reconciled with.',
    }),
    reconciled_lines_excluding_exchange_diff_ids: many2many('account.move.line', {
      label: 'Reconciled Lines Excluding Exchange Diff',
      computed: true,
      help: 'Items that it is reconciled with, except exchange differences.',
    }),
    collapse_prices: boolean({ label: 'Hide Prices', help: 'No prices are printed in the section.' }),
    collapse_composition: boolean({
      label: 'Hide Composition',
      help: 'Printed documents show the section with its total, without its lines.',
    }),
    deductible_amount: float({
      label: 'Deductibility',
      default: 100,
      help: 'The share, in percent, that is for the company and not for private use.',
    }),
    no_followup: boolean({ label: 'No Follow-Up', help: 'Excluded from reminders.' }),
    is_imported: boolean({ label: 'Is Imported', copy: false }),
    is_storno: boolean({ label: 'Company Storno Accounting' }),
  },
  methods: {
    get_parent_section_line: {
      doc: 'Returns the section or subsection of the line; the line itself if it is a section.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    get_section_subtotal: {
      doc: 'Returns the untaxed total of the lines of a section or subsection.',
      readonly: true,
      params: {},
      returns: returns<number>('number', 'float'),
    },
    get_column_to_exclude_for_colspan_calculation: {
      doc: 'Whether the printed section has no column of taxes.',
      readonly: true,
      params: { taxes: optional<unknown>('any', null, { annotation: 'list | None' }) },
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface AccountMoveLine extends Of<typeof line> {}
}

type Lines = Records<'account.move.line'>

/** Print settings of a section, and who gets reminders, are not booked. */
const factsWritable = writable<'account.move.line'>({
  always: ['no_followup'],
  server: ['extra_tax_data'],
})

const rate = computedTogether(
  line,
  [
    'currency_id',
    'company_currency_id',
    'company_id',
    'date',
    'move_id.currency_id',
    'move_id.invoice_date',
    'move_id.invoice_currency_rate',
  ],
  async (lines, env) => {
    const rateRequests = lines.map((line) => ({
      one: line,
      company: line.company_id?.id ?? env.companyId,
      companyCurrency: line.company_currency_id?.id ?? line.currency_id.id,
      currency: line.currency_id.id,
      day: line.move_id.invoice_date ?? line.date ?? today(env.tz, env.now()),
    }))
    // The rate of a document may have been agreed.
    const agreed = ({ one }: (typeof rateRequests)[number]) =>
      one.move_id.currency_id.id === one.currency_id.id ? one.move_id.invoice_currency_rate : 0
    const rates = await ratesFor(
      env,
      rateRequests.filter((request) => !agreed(request)),
    )
    return new Map(rateRequests.map((request) => [request.one.id, agreed(request) || rates(request)]))
  },
)

const dueDay = computed(
  line,
  ['display_type', 'date_maturity', 'discount_date', 'reconciled'],
  (line, env) => {
    if (line.display_type !== 'payment_term') return null
    const isEarly = line.discount_date !== null && line.discount_date >= today(env.tz, env.now())
    return isEarly && !line.reconciled ? line.discount_date : line.date_maturity
  },
)

const ownLines = [
  'display_type',
  'move_id.invoice_line_ids.display_type',
  'move_id.invoice_line_ids.sequence',
] as const

/** Headings by line, of all lines of the documents of these. */
function headingsOfAll(
  lines: readonly {
    readonly move_id: {
      readonly id: number
      readonly invoice_line_ids: readonly {
        readonly id: number
        readonly sequence: number
        readonly display_type: string
      }[]
    }
  }[],
) {
  const documents = new Map(lines.map(({ move_id: move }) => [move.id, move]))
  const placed = [...documents.values()].flatMap((move) =>
    move.invoice_line_ids
      .filter(({ display_type: type }) => lineTypes.some((lineType) => lineType === type))
      .toSorted((a, b) => a.sequence - b.sequence || a.id - b.id)
      .map(({ id, display_type }) => ({ id, order_id: { id: move.id }, display_type })),
  )
  return headingsOf(placed)
}

const heading = computedTogether(line, ownLines, (lines) => {
  const headings = headingsOfAll(lines)
  return new Map(lines.map(({ id }) => [id, headings.get(id) ?? null]))
})

/** The items of each account are walked through once, up to the last day that is looked at. */
const running = computedTogether(line, [], async (lines, env) => {
  const ids = idList(lines.map(({ id }) => id))
  const rows = await env.rows(
    sql`WITH places AS (SELECT company_id, account_id, max(date) AS last FROM account_move_line WHERE id = ANY(${ids}) GROUP BY 1, 2)
    SELECT r.id, COALESCE(r.balance, 0)::float8 FROM (
      SELECT o.id, sum(CASE WHEN o.parent_state = 'posted' THEN o.debit - o.credit ELSE 0 END)
        OVER (PARTITION BY o.company_id, o.account_id ORDER BY o.date, o.id) AS balance
      FROM account_move_line o JOIN places p ON p.company_id = o.company_id AND p.account_id = o.account_id AND o.date <= p.last
      WHERE o.parent_state = 'posted' OR o.id = ANY(${ids})) r
    WHERE r.id = ANY(${ids})`,
    { reads: ['account.move.line'], row: ['int', 'float'] },
  )
  const balances = new Map(rows.map(([id, balance]) => [id, Number(balance.toFixed(6))]))
  return new Map(lines.map(({ id }) => [id, balances.get(id) ?? 0]))
})

const matched = (all: boolean) =>
  computed(
    line,
    [
      'matched_debit_ids.debit_move_id.move_id.exchange_diff_partial_ids',
      'matched_credit_ids.credit_move_id.move_id.exchange_diff_partial_ids',
    ],
    (line) =>
      [
        ...line.matched_debit_ids.map((match) => match.debit_move_id),
        ...line.matched_credit_ids.map((match) => match.credit_move_id),
      ]
        .filter((item) => all || item.move_id.exchange_diff_partial_ids.length === 0)
        .map(({ id }) => id),
  )

/** The section above a line, over subsections. */
async function sectionOf(lines: Lines): Promise<number[]> {
  const rows = await lines.load([...ownLines])
  const headings = headingsOfAll(rows)
  const sections = rows.flatMap(({ id, display_type }) => {
    if (display_type === 'line_section') return [id]
    const above = headings.get(id)
    return above ? [headings.get(above.id)?.id ?? above.id] : []
  })
  return [...new Set(sections)]
}

async function subtotalUnder(lines: Lines): Promise<number> {
  const section = lines.ensureOne()
  const [row] = await lines.load([...ownLines, 'move_id.invoice_line_ids.price_subtotal'])
  if (!row) return 0
  const headings = headingsOfAll([row])
  const isUnder = (id: number): boolean => {
    const above = headings.get(id)
    return above !== undefined && above !== null && (above.id === section || isUnder(above.id))
  }
  return row.move_id.invoice_line_ids
    .filter(({ id, display_type }) => display_type === 'product' && isUnder(id))
    .reduce((sum, invoiceLine) => addDecimals(sum, invoiceLine.price_subtotal), 0)
}

export default implement(line, {
  writable: factsWritable,
  computed: {
    is_refund: computed(line, ['move_type'], (line) => line.move_type !== null && isRefund(line.move_type)),
    is_same_currency: computed(
      line,
      ['currency_id', 'company_currency_id'],
      (line) => line.currency_id.id === line.company_currency_id?.id,
    ),
    currency_rate: rate,
    payment_date: dueDay,
    parent_id: heading,
    cumulated_balance: running,
    reconciled_lines_ids: matched(true),
    reconciled_lines_excluding_exchange_diff_ids: matched(false),
  },
  methods: {
    get_parent_section_line: sectionOf,
    get_section_subtotal: subtotalUnder,
    get_column_to_exclude_for_colspan_calculation: async (lines, { taxes }) => {
      const rows = await lines.load(['collapse_prices', 'collapse_composition'])
      return Boolean(taxes) && rows.some((row) => row.collapse_prices || row.collapse_composition)
    },
  },
})
