// The catalog of products in front of a document: clients choose from it what goes on the lines.
import type { ModelName, Records } from '#models'
import { UserError } from '../../errors.ts'
import { isId } from '../../kit/present.ts'
import { actionMethod, assertAllowedAndExisting, shownWindow } from '../base/index.ts'

export const catalogMethods = {
  action_add_from_catalog: actionMethod(
    'The action that shows products for the document of a line, or for that of the context (order_id).',
  ),
} as const

/** The action that shows products for one document. Throws UserError for several, and for none. */
export async function openCatalog<N extends ModelName>(
  documents: Records<N>,
  lines: readonly { readonly document: number }[],
  offered: 'sale_ok' | 'purchase_ok',
): Promise<object> {
  const { order_id: order } = documents.env.context
  const ids = [...new Set(lines.map(({ document }) => document))]
  if (ids.length === 0 && isId(order)) ids.push(order)
  if (ids.length !== 1)
    throw new UserError('The catalog needs a document: pass a line of it, or order_id in the context.')
  await assertAllowedAndExisting(documents.browse(ids), 'read')
  return shownWindow({
    name: 'Products',
    res_model: 'product.product',
    view_mode: 'kanban,list',
    domain: [[offered, '=', true]],
    context: { product_catalog_order_model: documents.name, product_catalog_order_id: ids[0] },
  })
}
