// Taxes of a database in the form that the tax engine takes: loaded once for all documents at hand.
import { type Environment, readAmong } from '#models'
import { raw, sql } from '../../sql/index.ts'
import { inOrder, type Ordered, type Tax } from './tax-engine/index.ts'

/** Fields of a tax that are read. */
export const taxPaths = [
  'amount_type',
  'amount',
  'price_include',
  'include_base_amount',
  'is_base_affected',
  'has_negative_factor',
  'tax_group_id',
  'sequence',
  // Lists of taxes leave some out; documents have those of their company.
  'active',
  'type_tax_use',
  'company_id',
] as const

/** A tax and the group of taxes that it came with. */
export interface Member {
  readonly tax: Tax
  readonly group: number | null
}

/** Gives the members of a set of taxes in the order of computation. */
export type TaxesOf<T> = (ids: readonly number[]) => T[]

/**
 * Loads taxes, archived ones too, as superuser: users who may see a document may see its taxes. Groups
 * are replaced by their members. Ids of deleted taxes are skipped.
 */
export async function loadTaxes(env: Environment, ids: readonly number[]): Promise<TaxesOf<Tax>> {
  const members = await loadMembers(env, ids)
  // Lines mostly have the same few.
  const sets = new Map<string, Tax[]>()
  return (wanted) => {
    const key = wanted.join()
    const cached = sets.get(key) ?? members(wanted).map(({ tax }) => tax)
    sets.set(key, cached)
    return cached
  }
}

/** The taxes of a set, in the order of computation, and the group of taxes that each came with. */
export interface GroupedTaxes {
  readonly taxes: readonly Tax[]
  groupOf(tax: number): number | null
}

/** As `loadTaxes`, with the groups. */
export async function loadGroupedTaxes(
  env: Environment,
  ids: readonly number[],
): Promise<(ids: readonly number[]) => GroupedTaxes> {
  const members = await loadMembers(env, ids)
  const sets = new Map<string, GroupedTaxes>()
  return (wanted) => {
    const key = wanted.join()
    const cached = sets.get(key) ?? grouped(members(wanted))
    sets.set(key, cached)
    return cached
  }
}

function grouped(members: readonly Member[]): GroupedTaxes {
  const groups = new Map(members.map(({ tax, group }) => [tax.id, group]))
  return { taxes: members.map(({ tax }) => tax), groupOf: (tax) => groups.get(tax) ?? null }
}

/** As `loadTaxes`, each tax with the group that it came with. */
export async function loadMembers(env: Environment, ids: readonly number[]): Promise<TaxesOf<Member>> {
  const memberById = new Map<number, Ordered<Member>>()
  if (ids.length) {
    const all = env.sudo().withContext({ active_test: false }).model('account.tax')
    const rows = await all.browse([...new Set(ids)]).load([...taxPaths])
    // Few taxes are groups.
    const groups = rows.flatMap((row) => (row.amount_type === 'group' ? [row.id] : []))
    const members = groups.length ? await all.browse(groups).load(['children_tax_ids']) : []
    const childrenOf = new Map(
      members.map((member) => [member.id, member.children_tax_ids.map(({ id }) => id)]),
    )
    const below = [...new Set([...childrenOf.values()].flat())]
    const belowTaxes = below.length ? await all.browse(below).load([...taxPaths]) : []
    const children = new Map(belowTaxes.map((child) => [child.id, child]))
    type Row = (typeof rows)[number]
    const ordered = (
      row: Row,
      group: number | null,
      below: readonly Ordered<Member>[] = [],
    ): Ordered<Member> => ({
      id: row.id,
      sequence: row.sequence,
      tax: { tax: taxOf(row), group },
      children: below,
    })
    for (const row of rows) {
      const below = (childrenOf.get(row.id) ?? []).flatMap((id) => {
        const child = children.get(id)
        return child ? [ordered(child, row.id)] : []
      })
      // An empty group is no tax.
      if (row.amount_type !== 'group') memberById.set(row.id, ordered(row, null))
      else if (below.length) memberById.set(row.id, ordered(row, null, below))
    }
  }
  return (wanted) => inOrder(wanted.flatMap((id) => memberById.get(id) ?? []))
}

interface Row {
  readonly id: number
  readonly amount_type: string
  readonly amount: number
  readonly price_include: boolean
  readonly include_base_amount: boolean
  readonly is_base_affected: boolean
  readonly has_negative_factor: boolean
  readonly tax_group_id: { readonly id: number } | null
}

const taxOf = (row: Row): Tax => ({
  id: row.id,
  amountType: row.amount_type as Tax['amountType'],
  amount: row.amount,
  priceInclude: row.price_include,
  includeBaseAmount: row.include_base_amount,
  isBaseAffected: row.is_base_affected,
  hasNegativeFactor: row.has_negative_factor,
  taxGroupId: row.tax_group_id?.id ?? 0,
})

/**
 * Reads the taxes of products, for sale or purchase, in all companies, before their ids are known: a
 * later `loadTaxes` finds them in the cache.
 */
export const readTaxesOf = (
  env: Environment,
  products: readonly number[],
  purchase = false,
): Promise<void> => {
  const table = purchase ? 'product_supplier_taxes_rel' : 'product_taxes_rel'
  return readAmong(env, 'account.tax', taxPaths, {
    shape: table,
    values: [products],
    ids: ([some = sql`NULL`]) =>
      sql`SELECT r.tax_id FROM product_product p JOIN ${raw(table)} r ON r.prod_id = p.product_tmpl_id WHERE p.id = ANY((SELECT ${some}::int[])::int[])`,
  })
}
