// `address_get`: the nearest contact of each kind of address.
import { atOnce, type Environment, type Records } from '#models'
import { idList, sql } from '../../../sql/index.ts'

interface Node {
  readonly id: number
  readonly type: string | null
  readonly is_company: boolean
  readonly active: boolean
  readonly parent_id: { readonly id: number } | null
}

/**
 * For each kind the first contact found: below the contact, then below each contact above it up to its
 * company. Sub-companies are not entered.
 * A kind that is not found is the contact of kind `contact`, else the contact itself
 * (spec/business-models.md, sale orders).
 */
export function nearest(
  start: number,
  family: ReadonlyMap<number, Node>,
  kinds: ReadonlySet<string>,
): Record<string, number> {
  const addresses: Record<string, number> = {}
  const seen = new Set<number>()
  const below = new Map<number, Node[]>()
  for (const node of family.values()) {
    if (node.parent_id && node.active && !node.is_company)
      below.set(node.parent_id.id, [...(below.get(node.parent_id.id) ?? []), node])
  }
  const visit = (node: Node): void => {
    if (seen.has(node.id)) return
    seen.add(node.id)
    if (node.type && kinds.has(node.type) && !(node.type in addresses)) addresses[node.type] = node.id
    for (const child of below.get(node.id) ?? []) visit(child)
  }
  let member = family.get(start)
  while (member && Object.keys(addresses).length < kinds.size) {
    visit(member)
    member = member.is_company || !member.parent_id ? undefined : family.get(member.parent_id.id)
  }
  const fallback = addresses.contact ?? start
  for (const kind of kinds) addresses[kind] ??= fallback
  return addresses
}

/** Everybody of the companies that contacts belong to, in the order of contacts. */
async function familiesOf(env: Environment, ids: readonly number[]): Promise<Map<number, Node>> {
  const rows = await env.rows(
    sql`SELECT f.id, f.type, f.is_company, f.active, f.parent_id FROM res_partner f
    WHERE f.commercial_partner_id = ANY(ARRAY(SELECT commercial_partner_id FROM res_partner WHERE id = ANY(${idList(ids)})))
    ORDER BY f.complete_name, f.id DESC`,
    { reads: ['res.partner'], row: ['int', 'text?', 'bool?', 'bool?', 'int?'], kept: [] },
  )
  return new Map(
    rows.map(([id, type, company, active, parent]) => [
      id,
      {
        ...{ id, type, is_company: company === true, active: active === true },
        parent_id: parent ? { id: parent } : null,
      },
    ]),
  )
}

/**
 * For each contact its nearest contacts of the kinds, by kind: two statements at once for any number of
 * contacts. Those that are gone are left out.
 */
export async function addressesOf(
  partners: Records<'res.partner'>,
  kinds: ReadonlySet<string>,
): Promise<Map<number, Record<string, number>>> {
  const [starts, family] = await atOnce(
    partners.env,
    () => partners.load(['commercial_partner_id']),
    () => familiesOf(partners.env, partners.ids),
  )
  return new Map(starts.map((p) => [p.id, nearest(p.id, family, kinds)]))
}

/**
 * The nearest contacts of the contacts, by kind; false for each without any. Of several contacts the last one
 * counts.
 */
export async function addressGet(
  partners: Records<'res.partner'>,
  types: readonly string[] | null,
): Promise<Record<string, number | false>> {
  const kinds = new Set(['contact', ...(types ?? [])])
  if (partners.length === 0) return Object.fromEntries([...kinds].map((kind) => [kind, false]))
  return Object.assign({}, ...(await addressesOf(partners, kinds)).values()) as Record<string, number | false>
}
