// Values that new orders need first, read in one round trip: their numbers, ids for themselves and their
// lines, addresses of customers, and taxes of products.
import { atOnce, type Environment, reserveIds } from '#models'
import { isId } from '../../kit/present.ts'
import { addressesOf, givenLines, givenTargets, withNumbers } from '../base/index.ts'
import { teamsFor } from '../sales_team/index.ts'
import { ADDRESSES, sellerFor } from './order-customer.ts'
import { prefetchTaxes } from './product-taxes.ts'

type Given = Readonly<Record<string, unknown>>

/**
 * Largest number of orders, and of their lines, that get ids in advance; for more, ids of lines are
 * drawn when they are created.
 */
const MOST = 1000

/** Creates orders from values with names (`make`), while reading what else they need. */
export async function makeNumbered<T>(
  env: Environment,
  list: readonly Given[],
  make: (values: Record<string, unknown>[]) => Promise<T>,
): Promise<T> {
  const lines = list.map(({ order_line }) => givenLines(order_line))
  const counts = new Map([
    ['sale.order', list.length],
    ['sale.order.line', lines.reduce((sum, { length }) => sum + length, 0)],
  ] as const)
  const few = list.length > 0 && [...counts.values()].every((count) => count <= MOST)
  const may = few && (env.su || env.unit.rights.mayModel(env.user, env.def('sale.order'), 'create'))
  if (!may) return make(await withNumbers(env, list, 'sale.order'))
  // Ids come with the credential's check, which leaves with whatever is asked first.
  const reserved = reserveIds(env, counts)
  const [, , createdOrders] = await atOnce(
    env,
    () => reserved,
    () => taxesOfLines(env, list, lines),
    async () => {
      const [values] = await atOnce(
        env,
        () => withNumbers(env, list, 'sale.order'),
        () => reserved,
        () => prefetchCustomers(env, list),
        () => prefetchTeams(env, list),
      )
      return make(values)
    },
  )
  return createdOrders
}

/** The company of a new order, before it is checked that the caller may use it. */
const companyOf = (env: Environment, { company_id }: Given): unknown => company_id ?? env.companyId

/** Asks for taxes as the fields of lines do, whose answers are kept. */
async function taxesOfLines(
  env: Environment,
  list: readonly Given[],
  lines: readonly (readonly Given[])[],
): Promise<void> {
  const su = env.sudo()
  const groups = Map.groupBy(lines.keys(), (n) => companyOf(env, list[n] ?? {}))
  await atOnce(
    env,
    ...[...groups].map(([company, places]) => async () => {
      const products = givenTargets(
        places.flatMap((n) => lines[n] ?? []),
        'product_id',
      )
      if (isId(company) && products.length) await prefetchTaxes(su, products, company)
    }),
  )
}

/** Asks for the addresses of customers as the fields of orders do, whose answer is kept. */
async function prefetchCustomers(env: Environment, list: readonly Given[]): Promise<void> {
  const customers = givenTargets(list, 'partner_id')
  if (customers.length) await addressesOf(env.sudo().model('res.partner').browse(customers), ADDRESSES)
}

/**
 * Asks for teams as the fields of orders do, whose answer is kept: in vain where a customer has a salesperson
 * of their own.
 */
async function prefetchTeams(env: Environment, list: readonly Given[]): Promise<void> {
  const pairs = list.flatMap((vals) => {
    const [user, company] = [vals.user_id ?? sellerFor(env), companyOf(env, vals)]
    return (user === null || isId(user)) && isId(company) && !vals.team_id ? [{ user, company }] : []
  })
  if (pairs.length === list.length) await teamsFor(env, pairs)
}
