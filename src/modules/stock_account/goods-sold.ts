// The cost of goods sold: goods that are valued perpetually leave the account that holds their value when
// their invoice is posted, at what they were worth when they were delivered.
import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, roundHalfUp } from '../../kit/rounding.ts'
import { accountsOf, type DeliveredGoods, mapAccounts, withoutSettling } from '../account/index.ts'
import { convertQuantity } from '../uom/index.ts'
import { heldKey } from './balance.ts'
import { costKey, costsByLine, costsByProduct } from './booked-costs.ts'
import { dropLastParcels, type Parcel, worthOfRange } from './parcels.ts'
import { type Terms, termsOf } from './terms.ts'
import { valuationAccounts } from './valuation-accounts.ts'

const linePaths = [
  'name',
  'quantity',
  'is_storno',
  'product_id.product_tmpl_id.uom_id.factor',
  'product_uom_id.factor',
  'move_id.move_type',
  'move_id.commercial_partner_id',
  'move_id.currency_id.rounding',
  'move_id.invoice_currency_rate',
  'move_id.fiscal_position_id',
  'move_id.reversed_entry_id',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env
    .model('account.move.line')
    .browse([...ids])
    .load([...linePaths])
type Line = Awaited<ReturnType<typeof load>>[number]

/**
 * Lines of a company's documents whose goods are valued perpetually, unless their cost is booked; posting has
 * read what they are.
 */
async function soldLines(companyEnv: Environment, ids: readonly number[]): Promise<readonly number[]> {
  const items = await companyEnv
    .withContext({ active_test: false })
    .model('account.move.line')
    .browse([...ids])
    .load(['display_type', 'is_stocked', 'move_id'])
  const booked = new Set(items.flatMap((item) => (item.display_type === 'cogs' ? item.move_id.id : [])))
  return items
    .flatMap((item) =>
      item.is_stocked && item.display_type === 'product' && !booked.has(item.move_id.id) ? [item.id] : [],
    )
    .toSorted((a, b) => a - b)
}

/** Adds the items of goods sold to documents of sales that are about to be posted. */
export async function bookGoodsSold(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo()
  const moves = await su
    .model('account.move')
    .browse([...ids])
    .load(['move_type', 'company_id', 'line_ids'])
  const sales = moves.filter((move) => move.move_type.startsWith('out_') && move.company_id)
  const groups = Map.groupBy(sales, (sale) => present(sale.company_id).id)
  const items: Vals<'account.move.line'>[] = []
  for (const [company, group] of groups) {
    const companyEnv = su.companyId === company ? su : su.withCompany(company)
    const lines = await soldLines(
      companyEnv,
      group.flatMap((member) => member.line_ids.map(({ id }) => id)),
    )
    if (lines.length) items.push(...(await itemsOf(companyEnv, company, await load(companyEnv, lines))))
  }
  if (items.length) await withoutSettling(su, () => su.model('account.move.line').create(items))
}

/** Takes the items of goods sold out of documents that are drafts again. */
export async function dropGoodsSold(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo()
  const items = await su.model('account.move.line').search([
    ['move_id', 'in', [...ids]],
    ['display_type', '=', 'cogs'],
  ])
  if (items.length) await withoutSettling(su, () => items.unlink())
}

async function itemsOf(
  companyEnv: Environment,
  company: number,
  lines: readonly Line[],
): Promise<Vals<'account.move.line'>[]> {
  const products = [...new Set(lines.map((line) => present(line.product_id).id))]
  const terms = await termsOf(
    companyEnv,
    products.map((product) => ({ product, company })),
  )
  const expenses = await accountsOf(companyEnv, products, 'expense')
  const stock = await valuationAccounts(companyEnv.model('product.product').browse(products))
  const costs = await costsOf(companyEnv, lines, (one) =>
    present(terms.get(heldKey({ product: present(one.product_id).id, company }))),
  )
  const positions = new Set(lines.map(positionOf))
  const maps = new Map<number | null, (account: number) => number>()
  for (const position of positions) maps.set(position, await mapAccounts(companyEnv, position))
  const items: Vals<'account.move.line'>[] = []
  for (const line of lines) {
    const product = present(line.product_id).id
    const [expense, valuation] = [expenses.get(product), stock.get(product)]
    const cost = costs.get(line.id) ?? 0
    if (!expense || !valuation || cost === 0) continue
    const mapped = present(maps.get(positionOf(line)))
    items.push(itemOf(line, mapped(expense), cost), itemOf(line, valuation, -cost))
  }
  return items
}

const positionOf = (line: Line) => line.move_id.fiscal_position_id?.id ?? null

function itemOf(line: Line, account: number, balance: number): Vals<'account.move.line'> {
  const { currency_id: currency, invoice_currency_rate: rate } = line.move_id
  return {
    move_id: line.move_id.id,
    display_type: 'cogs',
    name: (line.name ?? '').split('\n')[0] ?? '',
    account_id: account,
    partner_id: line.move_id.commercial_partner_id?.id ?? null,
    product_id: present(line.product_id).id,
    product_uom_id: line.product_uom_id?.id ?? null,
    quantity: line.quantity,
    price_unit: line.quantity === 0 ? 0 : balance / line.quantity,
    tax_ids: [[6, 0, []]],
    balance,
    amount_currency: roundHalfUp(balance * (rate || 1), currency.rounding),
    is_storno: line.is_storno,
    cogs_origin_id: line.id,
  }
}

/** Costs of the goods of lines in the company's currency, by line; negative for returns. */
async function costsOf(
  companyEnv: Environment,
  lines: readonly Line[],
  termsFor: (line: Line) => Terms,
): Promise<Map<number, number>> {
  const origins = await originsOf(companyEnv, lines)
  const costs = new Map<number, number>()
  /** Invoiced quantity and its cost so far, by origin. */
  const reached = new Map<string, Booked>()
  for (const line of lines) {
    const unit = present(line.product_id).product_tmpl_id.uom_id
    const quantity = convertQuantity(line.quantity, line.product_uom_id ?? unit, unit, 'half-up')
    const back = line.move_id.move_type === 'out_refund' ? -1 : 1
    const { key, parcels, invoiced, booked, each, step } = present(origins.get(line.id))
    const { cost, rounding } = termsFor(line)
    const from = reached.get(key) ?? { quantity: invoiced, cost: booked }
    const to = from.quantity + step * back * quantity
    const [low, high] = [Math.min(from.quantity, to), Math.max(from.quantity, to)]
    const worth =
      from.cost !== null && quantity !== 0 && low >= 0 && low <= quantityOf(parcels)
        ? worthOfRange(parcels, 0, to, each ?? cost) - from.cost
        : back * Math.sign(quantity) * worthOfRange(parcels, low, high, each ?? cost)
    const lineCost = roundHalfUp(worth, rounding)
    reached.set(key, { quantity: to, cost: from.cost === null ? null : addDecimals(from.cost, lineCost) })
    costs.set(line.id, lineCost)
  }
  return costs
}

const quantityOf = (parcels: readonly Parcel[]) =>
  parcels.reduce((sum, { quantity }) => addDecimals(sum, quantity), 0)

/** Pieces that documents took before, and what they booked for them; null where that is not known. */
interface Booked {
  readonly quantity: number
  readonly cost: number | null
}

/** Where the cost of a line comes from. */
interface Origin {
  readonly key: string
  readonly parcels: readonly Parcel[]
  /** Pieces of the parcels that documents took before. */
  readonly invoiced: number
  /**
   * The cost that was booked for them, null where not all of it was booked by documents. Deliveries may have
   * been corrected since: the next document books the difference.
   */
  readonly booked: number | null
  /** The cost of a piece that no parcel holds; null for its current cost. */
  readonly each: number | null
  /** 1 where what comes back was invoiced last, -1 where it is taken from the parcels as goods sold are. */
  readonly step: 1 | -1
}

/**
 * A credit note takes back what its document booked, line by line; a line of an order costs what its
 * deliveries were worth, in their order, less what its documents booked; others cost what goods cost now.
 */
async function originsOf(companyEnv: Environment, lines: readonly Line[]): Promise<Map<number, Origin>> {
  const reversed = lines.filter((line) => line.move_id.reversed_entry_id)
  const taken = await costsByProduct(companyEnv, [
    ...new Set(reversed.map((line) => present(line.move_id.reversed_entry_id).id)),
  ])
  const others = lines.filter((line) => !line.move_id.reversed_entry_id).map(({ id }) => id)
  const delivered = (await companyEnv
    .model('account.move.line')
    .browse(others)
    .invoke('delivered_goods', {})) as ReadonlyMap<number, DeliveredGoods>
  const parcels = await parcelsOf(
    companyEnv,
    [...delivered.values()].flatMap((line) => [...line.moves, ...line.returns]),
  )
  const costOfLine = await costsByLine(
    companyEnv,
    [...delivered.values()].flatMap((line) => line.documents),
  )
  const parcelsFor = (ids: readonly number[]) => ids.flatMap((id) => parcels.get(id) ?? [])
  return new Map(
    lines.map((line): [number, Origin] => {
      const entry = line.move_id.reversed_entry_id?.id
      if (entry) {
        const key = costKey(entry, present(line.product_id).id)
        const parcels = taken.get(key) ?? []
        return [line.id, { key, parcels, invoiced: 0, booked: null, each: 0, step: -1 }]
      }
      const goods = delivered.get(line.id)
      if (!goods)
        return [
          line.id,
          { key: `line/${line.id}`, parcels: [], invoiced: 0, booked: null, each: null, step: 1 },
        ]
      const { origin: key, invoiced } = goods
      const left = dropLastParcels(parcelsFor(goods.moves), quantityOf(parcelsFor(goods.returns)))
      const before = goods.documents.flatMap((document) => costOfLine.get(document) ?? [])
      const booked =
        quantityOf(before) === invoiced ? before.reduce((sum, { value }) => addDecimals(sum, value), 0) : null
      return [line.id, { key, parcels: left, invoiced, booked, each: null, step: 1 }]
    }),
  )
}

/** Values of moves of goods, by move. */
export async function parcelsOf(
  companyEnv: Environment,
  moves: readonly number[],
): Promise<Map<number, Parcel>> {
  const rows = await companyEnv.model('stock.move').browse(moves).load(['valued_qty', 'value'])
  return new Map(
    rows.flatMap((row) =>
      row.valued_qty > 0 ? [[row.id, { quantity: row.valued_qty, value: row.value }] as const] : [],
    ),
  )
}
