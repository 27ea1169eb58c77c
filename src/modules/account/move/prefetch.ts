// Prefetch of new entries: ids for themselves and their lines, journals and settings of the company,
// addresses of partners, and taxes of products. It is sent with the first statement; some of it may turn
// out unneeded.
import { atOnce, type Environment, readAmong, reserveIds } from '#models'
import { isId } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { addressesOf, givenLines, givenTargets } from '../../base/index.ts'
import { loadTaxes, readTaxesOf } from '../taxes.ts'
import { journalsIn, SHIPPED_TO } from './from-partner.ts'
import { isInvoice, isPurchase, isSale } from './kinds.ts'
import { taxesOf } from './line-product.ts'

type Given = Readonly<Record<string, unknown>>

/**
 * Largest number of entries with their lines that are prefetched for: with more, the cache would drop
 * the first reads.
 */
const MOST = 200

/** Creates entries (`make`), and prefetches what they need meanwhile. */
export async function withPrefetch<T>(
  env: Environment,
  list: readonly Given[],
  make: () => Promise<T>,
): Promise<T> {
  const lines = list.map((vals) => [vals.invoice_line_ids, vals.line_ids].flatMap(givenLines))
  const count = lines.reduce((sum, entryLines) => sum + entryLines.length, 0)
  const may = env.su || env.unit.rights.mayModel(env.user, env.def('account.move'), 'create')
  if (!may || env.unit.recomputation.pending.size > 0 || count === 0 || list.length + count > MOST)
    return make()
  const su = env.sudo()
  // Ids come with the credential's check, which leaves with whatever is asked first.
  const counts = new Map([
    ['account.move', list.length],
    ['account.move.line', count],
  ] as const)
  const reserved = reserveIds(env, counts)
  await atOnce(
    env,
    () => reserved,
    () => prefetchCompany(su, list),
    () => prefetchAddresses(su, list),
    () => prefetchLineTaxes(su, list, lines),
  )
  return make()
}

/** The journals of the company, where some are to be chosen, and what it sets for its entries. */
async function prefetchCompany(su: Environment, list: readonly Given[]): Promise<void> {
  if (list.every(({ journal_id }) => journal_id)) return
  await atOnce(
    su,
    () => journalsIn(su, su.companyId),
    () =>
      readAmong(su, 'account.journal', ['company_id', 'currency_id', 'default_account_id'], {
        shape: 'of a company',
        values: [su.companyId],
        ids: ([numbers = sql`NULL`]) =>
          sql`SELECT id FROM account_journal WHERE active AND company_id = ${numbers}::int`,
      }),
    () =>
      su
        .model('res.company')
        .browse([su.companyId])
        .load([
          'currency_id.rounding',
          'tax_calculation_rounding_method',
          'income_account_id',
          'has_distribution_models',
          'account_storno',
        ]),
  )
}

async function prefetchAddresses(su: Environment, list: readonly Given[]): Promise<void> {
  const open = list.filter(
    (vals) => isSale(kindOf(vals)) && vals.partner_shipping_id === undefined && isId(vals.partner_id),
  )
  const customers = givenTargets(open, 'partner_id')
  if (customers.length) await addressesOf(su.model('res.partner').browse(customers), SHIPPED_TO)
}

/** Asks for taxes as the fields of lines do, whose answers are kept. */
async function prefetchLineTaxes(
  su: Environment,
  list: readonly Given[],
  lines: readonly (readonly Given[])[],
): Promise<void> {
  const companyEnv = su.withCompany(su.companyId)
  const sides = Map.groupBy(lines.keys(), (n) => isPurchase(kindOf(list[n])))
  await atOnce(
    su,
    ...[...sides].map(([purchase, places]) => async () => {
      const invoiced = places.filter((n) => isInvoice(kindOf(list[n])))
      const products = givenTargets(
        invoiced.flatMap((n) => lines[n] ?? []).filter(({ tax_ids }) => tax_ids === undefined),
        'product_id',
      )
      if (products.length === 0) return
      const [taxes] = await atOnce(
        su,
        () => taxesOf(companyEnv, products, purchase),
        () => readTaxesOf(su, products, purchase),
      )
      await loadTaxes(su, [...taxes.values()].flat())
    }),
  )
}

/** Kinds that are none are refused later. */
const kindOf = (vals: Given | undefined): string => String(vals?.move_type ?? 'entry')
