// Invoices as they are printed (report.account.report_invoice): who owes what to whom, in the customer's
// language.
import {
  abstract,
  type Environment,
  implement,
  type Of,
  type PrintBlock,
  type PrintDocument,
  type PrintRow,
} from '#models'
import { assertWithin } from '../../../limits.ts'
import { idList, sql } from '../../../sql/index.ts'
import {
  addressLines,
  addressPaths,
  type Letterhead,
  languagesFor,
  letterheads,
  plainText,
  printMethods,
  type Written,
} from '../../base/index.ts'
import { isInvoice, isPurchase } from '../move/kinds.ts'
import { taxSums } from './taxes.ts'

const invoices = abstract('report.account.report_invoice', {
  label: 'Invoice Report',
  fields: {},
  methods: printMethods,
})
const paid = abstract('report.account.report_invoice_with_payments', {
  label: 'Invoice Report with Payments',
  fields: {},
  methods: printMethods,
})

declare module '#models' {
  interface Models {
    'report.account.report_invoice': InvoiceReport
    'report.account.report_invoice_with_payments': PaidInvoiceReport
  }
  interface InvoiceReport extends Of<typeof invoices> {}
  interface PaidInvoiceReport extends Of<typeof paid> {}
}

const TITLES: Readonly<Record<string, string>> = {
  entry: 'Journal Entry',
  out_invoice: 'Invoice',
  out_refund: 'Credit Note',
  in_invoice: 'Vendor Bill',
  in_refund: 'Vendor Credit Note',
  out_receipt: 'Sales Receipt',
  in_receipt: 'Purchase Receipt',
}

const paths = [
  'name',
  'state',
  'move_type',
  'company_id',
  'partner_id.lang',
  'partner_id.vat',
  'partner_id.display_name',
  'partner_shipping_id',
  'currency_id.symbol',
  'currency_id.position',
  'currency_id.decimal_places',
  'invoice_date',
  'invoice_date_due',
  'date',
  'ref',
  'invoice_origin',
  'payment_reference',
  'invoice_payment_term_id',
  'fiscal_position_id',
  'narration',
  'amount_untaxed',
  'amount_total',
  'amount_residual',
] as const

const linePaths = [
  'move_id',
  'display_type',
  'name',
  'quantity',
  'product_uom_id.name',
  'price_unit',
  'discount',
  'tax_ids',
  'price_subtotal',
  'account_id.name',
  'debit',
  'credit',
] as const

const loadMoves = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('account.move')
    .browse(ids)
    .load([...paths])
type Move = Awaited<ReturnType<typeof loadMoves>>[number]
const loadLines = (env: Environment) =>
  env
    .sudo()
    .model('account.move.line')
    .load([...linePaths])
type Line = Awaited<ReturnType<typeof loadLines>>[number]

/**
 * Documents of entries, in their order: a bounded number of queries. Throws PayloadTooLarge for too many
 * lines.
 */
async function documents(
  env: Environment,
  ids: readonly number[],
  payments: boolean,
): Promise<PrintDocument[]> {
  const [counted] = await env.query(
    sql`SELECT count(*)::int FROM account_move_line WHERE move_id = ANY(${idList([...ids])})`,
  )
  assertWithin('print-lines', (counted?.[0] as number | undefined) ?? 0)
  const moves = await loadMoves(env, ids)
  const linesOf = await shownLines(env, moves)
  const languages = await languagesFor(
    env,
    moves.map((one) => one.partner_id?.lang ?? null),
  )
  const heads = await letterheads(
    env,
    moves.map((one) => one.company_id?.id ?? env.companyId),
  )
  const addresses = await addressesFor(env, moves)
  const notes = await notesFor(env, moves)
  const sums = await taxSums(env, ids)
  return moves.map((move) => {
    const say = languages(move.partner_id?.lang ?? null)
    const head = heads.get(move.company_id?.id ?? env.companyId) as Letterhead
    const title = [say.say(titleOf(move)), move.name].filter(Boolean).join(' ')
    const lines = linesOf.get(move.id) ?? []
    const blocks: PrintBlock[] = [
      { kind: 'addresses', of: addresses(move, say) },
      { kind: 'heading', text: title },
      { kind: 'facts', facts: factsOf(move, say) },
      isInvoice(move.move_type) ? lineTable(move, lines, say, notes.taxes) : itemTable(lines, move, say),
      ...(isInvoice(move.move_type)
        ? [{ kind: 'totals', rows: totalsOf(move, say, sums.get(move.id) ?? [], payments) } as const]
        : []),
      ...closing(move, say, notes.of(move)).map((text) => ({ kind: 'text', text }) as const),
    ]
    const name = (move.name ?? `${titleOf(move)} ${move.id}`).replaceAll(/[/\\]/g, '_')
    return {
      id: move.id,
      name,
      title,
      lang: say.lang,
      ...head,
      blocks,
      page: say.say('Page'),
      final: move.state === 'posted',
    }
  })
}

const titleOf = ({ move_type, state }: Move) => {
  const title = TITLES[move_type] ?? 'Invoice'
  return state === 'draft' ? `Draft ${title}` : state === 'cancel' ? `Cancelled ${title}` : title
}

/** Lines by document, names of units and accounts in its language. */
async function shownLines(env: Environment, moves: readonly Move[]): Promise<Map<number, Line[]>> {
  const lines: Line[] = []
  for (const [lang, group] of Map.groupBy(moves, languageOf)) {
    const found = await env
      .sudo()
      .withContext({ lang })
      .model('account.move.line')
      .search(
        [
          ['move_id', 'in', group.map(({ id }) => id)],
          '|',
          ['display_type', 'in', ['product', 'line_section', 'line_subsection', 'line_note']],
          ['move_id.move_type', '=', 'entry'],
        ],
        { order: 'sequence, id' },
      )
    lines.push(...(await found.load([...linePaths])))
  }
  return Map.groupBy(lines, (one) => one.move_id.id)
}

const languageOf = (move: Move) => move.partner_id?.lang ?? 'en_US'

async function addressesFor(env: Environment, moves: readonly Move[]) {
  const ids = moves.flatMap((one) => [one.partner_id?.id ?? [], one.partner_shipping_id?.id ?? []].flat())
  const rows = await env
    .sudo()
    .model('res.partner')
    .browse([...new Set(ids)])
    .load([...addressPaths, 'name', 'vat', 'parent_name'])
  const known = new Map(rows.map((row) => [row.id, row]))
  const lines = (id: number | undefined) => {
    const row = known.get(id ?? 0)
    return row ? addressLines({ ...row, name: row.name ?? row.parent_name }, [row.vat]) : []
  }
  return (move: Move, { say }: Written) => {
    const to = {
      label: say(isPurchase(move.move_type) ? 'Vendor' : 'Bill to'),
      lines: lines(move.partner_id?.id),
    }
    const goods = move.partner_shipping_id
    return goods && goods.id !== move.partner_id?.id
      ? [to, { label: say('Ship to'), lines: lines(goods.id) }]
      : [to]
  }
}

/**
 * Names of taxes by language, and what terms and fiscal positions say, each in the language of its document.
 */
async function notesFor(env: Environment, moves: readonly Move[]) {
  const taxes = new Map<string, Map<number, string>>()
  const notes = new Map<number, string[]>()
  for (const [code, group] of Map.groupBy(moves, languageOf)) {
    const own = env.sudo().withContext({ lang: code, active_test: false })
    const rows =
      await own.query(sql`SELECT DISTINCT r.account_tax_id FROM account_move_line l JOIN account_move_line_account_tax_rel r
      ON r.account_move_line_id = l.id WHERE l.move_id = ANY(${idList(group.map(({ id }) => id))})`)
    const names = await own
      .model('account.tax')
      .browse(rows.map((row) => row[0] as number))
      .load(['name', 'invoice_label'])
    taxes.set(code, new Map(names.map((tax) => [tax.id, tax.invoice_label || tax.name])))
    const said = await own
      .model('account.move')
      .browse(group.map(({ id }) => id))
      .load(['invoice_payment_term_id.note', 'fiscal_position_id.note'])
    for (const one of said)
      notes.set(one.id, [
        plainText(one.invoice_payment_term_id?.note),
        plainText(one.fiscal_position_id?.note),
      ])
  }
  return {
    taxes: (move: Move, ids: readonly number[]) => {
      const names = taxes.get(languageOf(move))
      return ids.flatMap((id) => names?.get(id) ?? []).join(', ')
    },
    of: (move: Move) => notes.get(move.id) ?? [],
  }
}

function factsOf(move: Move, { say, date }: Written): [string, string][] {
  const facts: [string, string][] = [
    [say(isInvoice(move.move_type) ? 'Invoice Date' : 'Date'), date(move.invoice_date ?? move.date)],
    [say('Due Date'), date(move.invoice_date_due)],
    [say('Source'), move.invoice_origin ?? ''],
    [say('Reference'), move.ref ?? ''],
    [say('Customer VAT'), move.partner_id?.vat ?? ''],
  ]
  return facts.filter(([, value]) => value !== '')
}

function lineTable(
  move: Move,
  lines: readonly Line[],
  { say, number, money }: Written,
  taxesOf: (move: Move, ids: readonly number[]) => string,
): PrintBlock {
  const discounted = lines.some((one) => one.discount !== 0)
  const rows = lines.map((line): PrintRow => {
    if (line.display_type === 'line_note') return { kind: 'note', text: line.name ?? '' }
    if (line.display_type.startsWith('line_')) return { kind: 'section', text: line.name ?? '' }
    const quantity = `${number(line.quantity)} ${line.product_uom_id?.name ?? ''}`.trim()
    const discount = discounted ? [line.discount === 0 ? '' : `${number(line.discount)}%`] : []
    const taxes = taxesOf(
      move,
      line.tax_ids.map(({ id }) => id),
    )
    const digits = Math.max(2, Math.min(4, decimalsOf(line.price_unit)))
    return {
      kind: 'values',
      cells: [
        line.name ?? '',
        quantity,
        number(line.price_unit, digits),
        ...discount,
        taxes,
        money(line.price_subtotal, move.currency_id),
      ],
    }
  })
  const right = { align: 'right' } as const
  const columns = [
    { label: say('Description'), width: discounted ? 40 : 46 },
    { label: say('Quantity'), width: 15, ...right },
    { label: say('Unit Price'), width: 13, ...right },
    ...(discounted ? [{ label: say('Disc.%'), width: 9, ...right }] : []),
    { label: say('Taxes'), width: 12 },
    { label: say('Amount'), width: 16, ...right },
  ]
  return { kind: 'table', columns, rows }
}

const decimalsOf = (value: number) => String(value).split('.')[1]?.length ?? 0

/** Entries are printed as they are booked. */
function itemTable(lines: readonly Line[], move: Move, { say, money }: Written): PrintBlock {
  const right = { align: 'right' } as const
  return {
    kind: 'table',
    columns: [
      { label: say('Account'), width: 30 },
      { label: say('Label'), width: 40 },
      { label: say('Debit'), width: 15, ...right },
      { label: say('Credit'), width: 15, ...right },
    ],
    rows: lines.map((line) => ({
      kind: 'values',
      cells: [
        line.account_id?.name ?? '',
        line.name ?? '',
        ...[line.debit, line.credit].map((sum) => money(sum, move.currency_id)),
      ],
    })),
  }
}

function totalsOf(
  move: Move,
  { say, money }: Written,
  taxes: readonly { readonly label: string; readonly amount: number }[],
  payments: boolean,
) {
  const amount = (value: number) => money(value, move.currency_id)
  const settled = move.amount_total - move.amount_residual
  return [
    { label: say('Untaxed Amount'), value: amount(move.amount_untaxed) },
    ...taxes.map((one) => ({ label: one.label, value: amount(one.amount) })),
    { label: say('Total'), value: amount(move.amount_total), strong: true },
    ...(payments && move.state === 'posted' && Math.abs(settled) > 1e-9
      ? [
          { label: say('Paid'), value: amount(-settled) },
          { label: say('Amount Due'), value: amount(move.amount_residual), strong: true },
        ]
      : []),
  ]
}

function closing(move: Move, { say }: Written, notes: readonly string[]): string[] {
  const sale = !isPurchase(move.move_type) && isInvoice(move.move_type)
  const reference =
    sale && move.payment_reference ? `${say('Payment Communication')}: ${move.payment_reference}` : ''
  return [reference, ...notes, plainText(move.narration)].filter((text) => text !== '')
}

export const invoiceReport = implement(invoices, {
  methods: { documents: ({ env }, { docids }) => documents(env, docids, false) },
})
export const paidInvoiceReport = implement(paid, {
  methods: { documents: ({ env }, { docids }) => documents(env, docids, true) },
})
