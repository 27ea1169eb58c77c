// Fields of products that say how much there is: read for any number of products at once, searched by
// comparing sums.
import type { Computed, Environment } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { type Sql, sql } from '../../../sql/index.ts'
import { type Quantities, quantitiesSql, quantityTables } from './quantities.ts'

export const figures = {
  qty_available: 'onHand',
  free_qty: 'free',
  incoming_qty: 'incoming',
  outgoing_qty: 'outgoing',
  virtual_available: 'forecast',
} as const satisfies Readonly<Record<string, keyof Quantities>>

export type Figure = keyof typeof figures

const columns: Readonly<Record<Figure, Sql>> = {
  qty_available: sql`x.held`,
  free_qty: sql`x.held - x.reserved`,
  incoming_qty: sql`x.incoming`,
  outgoing_qty: sql`x.outgoing`,
  virtual_available: sql`x.held + x.incoming - x.outgoing`,
}

const comparisons: Readonly<Record<string, Sql>> = {
  '=': sql`=`,
  '<': sql`<`,
  '>': sql`>`,
  '<=': sql`<=`,
  '>=': sql`>=`,
}

/**
 * The number that a quantity is compared with: numbers, as text too; unset means zero. Throws
 * InvalidValue for other values.
 */
function amountIn(value: unknown): number {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
  if (!Array.isArray(value) && Number.isFinite(number)) return number
  throw new InvalidValue('Quantities of products can only be compared with numbers.')
}

/** A condition on a figure as one on ids: of products, or of templates by the sum over their variants. */
export const searchFigure =
  (figure: Figure, of: 'product' | 'template') =>
  async (operator: string, value: unknown, env: Environment) => {
    const su = env.sudo()
    const numbers = (Array.isArray(value) ? value : [value]).map(amountIn)
    if (!comparisons[operator] && operator !== 'in')
      throw new InvalidValue(`Invalid operator '${operator}' for quantities of products.`)
    const all = sql`(${quantitiesSql(env, null)})`
    const amount = sql`round(COALESCE(${of === 'product' ? columns[figure] : sql`sum(${columns[figure]})`}, 0)::numeric, 6)`
    const comparison = comparisons[operator]
    const condition = comparison
      ? sql`${amount} ${comparison} ${numbers[0] ?? 0}::numeric`
      : sql`${amount} = ANY(${numbers}::numeric[])`
    const rows = await su.rows(
      of === 'product'
        ? sql`SELECT p.id FROM product_product p LEFT JOIN ${all} AS x ON x.product = p.id WHERE ${condition}`
        : sql`SELECT t.id FROM product_template t LEFT JOIN product_product p ON p.product_tmpl_id = t.id AND p.active
          LEFT JOIN ${all} AS x ON x.product = p.id GROUP BY t.id HAVING ${condition}`,
      { reads: quantityTables, row: ['int'] },
    )
    return [['id', 'in', rows.map((row) => row[0])]]
  }

/** Quantities by the names of their fields. */
export const valuesOf = (quantities: Quantities): { readonly [F in Figure]: number } => ({
  qty_available: quantities.onHand,
  free_qty: quantities.free,
  incoming_qty: quantities.incoming,
  outgoing_qty: quantities.outgoing,
  virtual_available: quantities.forecast,
})

type Fields<N extends string> = { readonly [F in Figure]: Computed<N, never> }

/** Figures of one function, each searched by its own sum. */
export function searchable<N extends string>(fields: Fields<N>, of: 'product' | 'template'): Fields<N> {
  const searchableFigure = (figure: Figure): Computed<N, never> => ({
    ...fields[figure],
    options: { ...fields[figure].options, search: searchFigure(figure, of) },
  })
  return {
    qty_available: searchableFigure('qty_available'),
    free_qty: searchableFigure('free_qty'),
    incoming_qty: searchableFigure('incoming_qty'),
    outgoing_qty: searchableFigure('outgoing_qty'),
    virtual_available: searchableFigure('virtual_available'),
  }
}
