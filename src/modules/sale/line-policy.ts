// Which quantity of a line may be invoiced: what was ordered, or what was delivered, as the product says.
import type { Environment } from '#models'

type Link = { readonly id: number }

/** A policy that changes later leaves confirmed orders as they are. */
export async function policiesOf(
  env: Environment,
  lines: readonly { readonly state: string | null; readonly product_id: Link | null }[],
) {
  const ids = [
    ...new Set(
      lines.flatMap((line) => (line.state === 'sale' && line.product_id ? [line.product_id.id] : [])),
    ),
  ]
  const products = await env
    .sudo()
    .model('product.product')
    .browse(ids)
    .load(['product_tmpl_id.invoice_policy'])
  return new Map(products.map((product) => [product.id, product.product_tmpl_id.invoice_policy ?? undefined]))
}

/** The quantity that may be invoiced in all. */
export const due = (
  record: { readonly qty_delivered: number; readonly product_uom_qty: number },
  policy: string | undefined,
): number => (policy === 'delivery' ? record.qty_delivered : record.product_uom_qty)
