// Untaxed amount of a line that is still to be invoiced. A later change of the discount alone leaves it
// unchanged.

import { computedFields, type Environment } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, asDecimal } from '../../kit/rounding.ts'
import { pricedPaths, totalsFor } from './amounts.ts'
import { line } from './line.contract.ts'
import { due, policiesOf } from './line-policy.ts'

interface Open {
  readonly id: number
  readonly price_unit: number
  readonly untaxed_amount_invoiced: number
}

/** Fields that every line needs; most lines were never invoiced, and are due as they were ordered. */
const load = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('sale.order.line')
    .browse(ids)
    .load(['price_subtotal', 'product_uom_qty', 'discount', 'qty_invoiced'])
type Stored = Awaited<ReturnType<typeof load>>[number]

const loadInvoiced = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('sale.order.line')
    .browse(ids)
    .load([
      'invoice_lines.parent_state',
      'invoice_lines.discount',
      'invoice_lines.price_subtotal',
      'invoice_lines.move_id.move_type',
    ])
type Invoiced = Awaited<ReturnType<typeof loadInvoiced>>[number]['invoice_lines']

/** Untaxed amounts of quantities of lines, at the prices, discounts and taxes that they have now. */
async function wholesOf(
  env: Environment,
  rows: readonly Stored[],
  quantities: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  const asOrdered = rows.filter((row) => row.product_uom_qty === quantities.get(row.id))
  const wholes = new Map(asOrdered.map((line) => [line.id, line.price_subtotal]))
  const others = rows.filter(({ id }) => !wholes.has(id)).map(({ id }) => id)
  if (others.length === 0) return wholes
  const loadedLines = await env
    .sudo()
    .model('sale.order.line')
    .browse(others)
    .load([...pricedPaths, 'company_id', 'currency_id'])
  const lines = loadedLines.map((loadedLine) => ({
    ...loadedLine,
    product_uom_qty: quantities.get(loadedLine.id) ?? 0,
  }))
  const documents = loadedLines.map((loadedLine) => ({
    company: loadedLine.company_id?.id ?? env.companyId,
    currency: loadedLine.currency_id?.id ?? null,
  }))
  const totals = await totalsFor(env, lines, documents)
  for (const [i, line] of lines.entries())
    wholes.set(line.id, totals([line], present(documents[i])).lines[0]?.untaxed ?? 0)
  return wholes
}

/**
 * The part of `whole` that is left. Invoices with another discount are counted at the amount before
 * discount, and never give a credit.
 */
function amountLeft(item: Open, whole: number, discount: number, lines: Invoiced): number {
  const invoiced = lines.filter((other) => other.parent_state !== 'cancel')
  if (invoiced.every((other) => other.discount === discount))
    return addDecimals(whole, -item.untaxed_amount_invoiced)
  const before = invoiced.reduce((sum, other) => {
    const amount = other.discount < 100 ? other.price_subtotal / (1 - other.discount / 100) : 0
    return sum + (other.move_id.move_type.endsWith('refund') ? -amount : amount)
  }, 0)
  return Math.max(0, addDecimals(whole, -asDecimal(before)))
}

/**
 * Lines whose amount was asked for while their prices were being computed: their discount is not known before
 * that is done.
 */
const early = new WeakMap<Environment['unit'], Set<number>>()

function noteEarly({ unit }: Environment, ids: Iterable<number>): void {
  if (
    ![...unit.recomputation.computing].some(
      ({ name, model }) => name === 'price_unit' && model.name === 'sale.order.line',
    )
  )
    return
  const noted = early.get(unit) ?? new Set()
  for (const id of ids) noted.add(id)
  early.set(unit, noted)
}

/** Units of work that added lines to confirmed orders: their taxes are not known before they are stored. */
const unstored = new WeakSet<Environment['unit']>()

/** Has the amounts of lines of confirmed orders computed with their taxes, once the lines are stored. */
export function repeatStored(env: Environment, ids: readonly number[]): void {
  if (unstored.delete(env.unit)) computeAgain(env, ids)
}

/** Has amounts that were computed too early computed again: called when prices are known. */
export function repeatEarly(env: Environment): void {
  const noted = early.get(env.unit)
  if (!noted?.size) return
  computeAgain(env, noted)
  noted.clear()
}

function computeAgain(env: Environment, ids: Iterable<number>): void {
  const field = env.def('sale.order.line').fields.get('untaxed_amount_to_invoice')
  if (field)
    env.unit.recomputation.pending.set(
      field,
      new Set([...(env.unit.recomputation.pending.get(field) ?? []), ...ids]),
    )
}

export const amountToInvoice = computedFields(
  line,
  ['untaxed_amount_to_invoice'],
  [
    'state',
    'display_type',
    'product_id',
    'product_uom_qty',
    'qty_delivered',
    'price_unit',
    'untaxed_amount_invoiced',
  ],
  async (lines, env, fresh) => {
    const open = lines.filter((line) => line.state === 'sale' && !line.display_type)
    if (open.length === 0) return new Map(lines.map(({ id }) => [id, { untaxed_amount_to_invoice: 0 }]))
    const policies = await policiesOf(env, open)
    const quantities = new Map(open.map((row) => [row.id, due(row, policies.get(row.product_id?.id ?? 0))]))
    if (fresh) unstored.add(env.unit)
    else noteEarly(env, quantities.keys())
    // Lines that are not stored yet have a price alone.
    const rows = fresh ? [] : await load(env, [...quantities.keys()])
    const stored = new Map(rows.map((row) => [row.id, row]))
    const wholes = await wholesOf(env, rows, quantities)
    const billed = rows.filter((row) => row.qty_invoiced !== 0).map(({ id }) => id)
    const invoiced = new Map(
      (billed.length ? await loadInvoiced(env, billed) : []).map((line) => [line.id, line.invoice_lines]),
    )
    return new Map(
      lines.map((line) => {
        const quantity = quantities.get(line.id)
        if (quantity === undefined) return [line.id, { untaxed_amount_to_invoice: 0 }]
        const whole = wholes.get(line.id) ?? asDecimal(line.price_unit * quantity)
        return [
          line.id,
          {
            untaxed_amount_to_invoice: amountLeft(
              line,
              whole,
              stored.get(line.id)?.discount ?? 0,
              invoiced.get(line.id) ?? [],
            ),
          },
        ]
      }),
    )
  },
  { asks: ['product_id.product_tmpl_id.invoice_policy', 'price_subtotal', 'discount', 'qty_invoiced'] },
)
