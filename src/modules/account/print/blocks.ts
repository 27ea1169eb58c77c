// Blocks of a printed entry: facts, lines or items, totals, closing words.
import type { PrintBlock, PrintRow } from '#models'
import { plainText, type Written } from '../../base/index.ts'
import { isInvoice, isPurchase } from '../move/kinds.ts'
import type { Line, Move } from './printed.ts'

export function factsOf(move: Move, { say, date }: Written): [string, string][] {
  const facts: [string, string][] = [
    [say(isInvoice(move.move_type) ? 'Invoice Date' : 'Date'), date(move.invoice_date ?? move.date)],
    [say('Due Date'), date(move.invoice_date_due)],
    [say('Source'), move.invoice_origin ?? ''],
    [say('Reference'), move.ref ?? ''],
    [say('Customer VAT'), move.partner_id?.vat ?? ''],
  ]
  return facts.filter(([, value]) => value !== '')
}

export function lineTable(
  move: Move,
  lines: readonly Line[],
  { say, number, money }: Written,
  taxNames: ReadonlyMap<number, string>,
): PrintBlock {
  const discounted = lines.some((line) => line.discount !== 0)
  const rows = lines.map((line): PrintRow => {
    if (line.display_type === 'line_note') return { kind: 'note', text: line.name ?? '' }
    if (line.display_type.startsWith('line_')) return { kind: 'section', text: line.name ?? '' }
    const quantity = `${number(line.quantity)} ${line.product_uom_id?.name ?? ''}`.trim()
    const discount = discounted ? [line.discount === 0 ? '' : `${number(line.discount)}%`] : []
    const taxes = line.tax_ids.flatMap(({ id }) => taxNames.get(id) ?? []).join(', ')
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
export function itemTable(lines: readonly Line[], move: Move, { say, money }: Written): PrintBlock {
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

export function totalsOf(
  move: Move,
  { say, money }: Written,
  taxes: readonly { readonly label: string; readonly amount: number }[],
  payments: boolean,
) {
  const amount = (value: number) => money(value, move.currency_id)
  const settled = move.amount_total - move.amount_residual
  return [
    { label: say('Untaxed Amount'), value: amount(move.amount_untaxed) },
    ...taxes.map((tax) => ({ label: tax.label, value: amount(tax.amount) })),
    { label: say('Total'), value: amount(move.amount_total), strong: true },
    ...(payments && move.state === 'posted' && Math.abs(settled) > 1e-9
      ? [
          { label: say('Paid'), value: amount(-settled) },
          { label: say('Amount Due'), value: amount(move.amount_residual), strong: true },
        ]
      : []),
  ]
}

export function closing(move: Move, { say }: Written, notes: readonly string[]): string[] {
  const sale = !isPurchase(move.move_type) && isInvoice(move.move_type)
  const reference =
    sale && move.payment_reference ? `${say('Payment Communication')}: ${move.payment_reference}` : ''
  return [reference, ...notes, plainText(move.narration)].filter((text) => text !== '')
}
