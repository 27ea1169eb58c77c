// Finds the record of a scanned code: a product, a packaging, a lot, a package, a place, a transfer or
// an operation type, with the caller's rights.
import type { Environment } from '#models'
import { ValidationError } from '../../../errors.ts'
import { articleCodes, type Gs1, readGs1 } from './gs1.ts'

/** A record that a code names, and what else the code says. */
export interface Scanned {
  readonly model: string
  readonly id: number
  readonly name: string
  readonly product_id?: number
  readonly lot_name?: string
  readonly quantity?: number
  readonly expires?: string
}

const LONGEST = 200

type Model =
  | 'product.product'
  | 'product.uom'
  | 'stock.lot'
  | 'stock.package'
  | 'stock.location'
  | 'stock.picking'
  | 'stock.picking.type'

/** Where a plain code is looked for, in this order. */
const places: readonly { readonly model: Model; readonly field: string }[] = [
  { model: 'product.product', field: 'barcode' },
  { model: 'product.uom', field: 'barcode' },
  { model: 'stock.picking', field: 'name' },
  { model: 'stock.package', field: 'name' },
  { model: 'stock.location', field: 'barcode' },
  { model: 'stock.picking.type', field: 'barcode' },
  { model: 'stock.lot', field: 'name' },
  { model: 'product.product', field: 'default_code' },
]

/**
 * Records that the code may stand for, the best match first; models that the caller may not read are
 * skipped. Throws ValidationError for a text that is too long.
 */
export async function findByCode(env: Environment, code: string): Promise<Scanned[]> {
  const text = code.trim()
  if (text.length === 0) return []
  if (text.length > LONGEST)
    throw new ValidationError(`The scanned code is too long: at most ${LONGEST} characters.`)
  const gs1 = readGs1(text)
  const candidates = gs1 ? await byParts(env, gs1) : []
  for (const { model, field } of places) {
    if (candidates.length) break
    candidates.push(...(await look(env, model, field, [text])))
  }
  return candidates
}

const MOST = 20

async function look(
  env: Environment,
  model: Model,
  field: string,
  codes: readonly string[],
  product?: number,
): Promise<Scanned[]> {
  if (!env.su && !env.unit.rights.mayModel(env.user, env.def(model), 'read')) return []
  const domain: (readonly [string, 'in' | '=', unknown])[] = [[field, 'in', codes]]
  if (product !== undefined) domain.push(['product_id', '=', product])
  const records = await env.model(model).search(domain as never, { limit: MOST })
  const rows = await records.read(
    ['display_name', ...(model === 'stock.lot' || model === 'product.uom' ? ['product_id'] : [])],
    null,
  )
  return rows.map((row) => ({
    model,
    id: row.id as number,
    name: row.display_name as string,
    ...(typeof row.product_id === 'number' ? { product_id: row.product_id } : {}),
  }))
}

/** By the parts of a standard code: a lot of its article, else the article, else the package or place. */
async function byParts(
  env: Environment,
  { article, lot, serial, quantity, package: pack, place, expires }: Gs1,
): Promise<Scanned[]> {
  const details = {
    ...(quantity === undefined ? {} : { quantity }),
    ...(expires === undefined ? {} : { expires }),
  }
  if (article !== undefined) {
    const codes = articleCodes(article)
    const products = [
      ...(await look(env, 'product.product', 'barcode', codes)),
      ...(await look(env, 'product.uom', 'barcode', codes)),
    ]
    const name = serial ?? lot
    if (name === undefined) return products.map((product) => ({ ...product, ...details }))
    const [product] = products
    if (!product) return []
    const owner = product.model === 'product.product' ? product.id : product.product_id
    const lots = await look(env, 'stock.lot', 'name', [name], owner)
    // An unknown lot number is returned with the article.
    return lots.length
      ? lots.map((lot) => ({ ...lot, ...details }))
      : [{ ...product, lot_name: name, ...details }]
  }
  if (pack !== undefined) return look(env, 'stock.package', 'name', [pack, `00${pack}`])
  if (place !== undefined) return look(env, 'stock.location', 'barcode', [place])
  const name = serial ?? lot
  return name === undefined
    ? []
    : (await look(env, 'stock.lot', 'name', [name])).map((one) => ({ ...one, ...details }))
}
