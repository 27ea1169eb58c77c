// Units (uom.uom) in which goods were moved keep what they hold: quantities of the past would be others.
import { extend, implement, type Records, type WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { otherRatios } from '../../uom/index.ts'

/** Throws UserError for another ratio of units that goods are counted in, or that such units refer to. */
async function assertRatios(units: Records<'uom.uom'>, changes: readonly WriteChange[]): Promise<void> {
  const changed = await otherRatios(units, changes)
  if (changed.length === 0) return
  const [used] = await units.env.rows(
    sql`SELECT u.name->>'en_US' FROM uom_uom c
    JOIN uom_uom u ON starts_with(u.parent_path, c.parent_path) WHERE c.id = ANY(${idList(changed)}) AND (
      EXISTS (SELECT FROM stock_move m WHERE m.product_uom = u.id AND m.state NOT IN ('draft', 'cancel'))
      OR EXISTS (SELECT FROM product_template t JOIN product_product p ON p.product_tmpl_id = t.id
        JOIN stock_quant q ON q.product_id = p.id WHERE t.uom_id = u.id AND q.quantity <> 0)) LIMIT 1`,
    { reads: ['uom.uom', 'stock.move', 'product.template', 'product.product', 'stock.quant'], row: ['text'] },
  )
  if (used)
    throw new UserError(
      `The unit ${used[0]} is used by stock moves, so its ratio cannot change. Archive the unit, and create a new one.`,
    )
}

export default implement(extend('uom.uom', { fields: {} }), {
  wrapWrite: (next) => async (units, changes) => {
    await assertRatios(units, changes)
    await next(units, changes)
  },
})
