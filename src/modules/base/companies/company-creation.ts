// Making and changing companies: their contacts, who may act for them, what branches share
// (spec/models-api.md section 6).

import type { Environment, Records, Vals, WriteChange } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'

type Given = Record<string, unknown>
const isGiven = (vals: unknown): vals is Given =>
  typeof vals === 'object' && vals !== null && !Array.isArray(vals)

/** Values that belong to the company's contact, taken out of `vals`; those of the company stay. */
function contactValues(env: Environment, vals: Given): { company: Given; contact: Given } {
  const company: Given = {}
  const contact: Given = { is_company: true }
  const { fields } = env.def('res.company')
  for (const [name, value] of Object.entries(vals)) {
    const field = fields.get(name)
    if (field?.inherited && !field.automatic) contact[name] = value
    else company[name] = value
  }
  contact.name = vals.name
  if ('logo' in vals) contact.image_1920 = vals.logo
  return { company, contact }
}

/**
 * Gives each company a contact, all new ones in one call, its name as the contact has it, and branches the
 * currency of their parent.
 */
export async function withPartners(env: Environment, list: readonly unknown[]): Promise<unknown[]> {
  const split = list.map((vals) => (isGiven(vals) && !vals.partner_id ? contactValues(env, vals) : null))
  const fresh = split.flatMap((parts) => parts ?? [])
  const createdIds = fresh.length
    ? (await env.model('res.partner').create(fresh.map((f) => f.contact as Vals<'res.partner'>))).ids
    : []
  const nameOf = new Map<number, string | null>()
  const named = list.flatMap((vals) =>
    isGiven(vals) && typeof vals.partner_id === 'number' && !vals.name ? vals.partner_id : [],
  )
  for (const p of named.length ? await env.model('res.partner').browse(named).load(['name']) : [])
    nameOf.set(p.id, p.name)
  const currencies = await currenciesOf(env, list)
  return list.map((vals, i) => {
    if (!isGiven(vals)) return vals
    const parts = split[i]
    const complete: Given = parts
      ? { ...parts.company, partner_id: createdIds[fresh.indexOf(parts)] }
      : { name: nameOf.get(vals.partner_id as number), ...vals }
    const shared = currencies.get(vals.parent_id as number)
    return shared ? { ...complete, currency_id: shared } : complete
  })
}

async function currenciesOf(env: Environment, list: readonly unknown[]): Promise<Map<number, number>> {
  const parents = list.flatMap((vals) =>
    isGiven(vals) && typeof vals.parent_id === 'number' ? vals.parent_id : [],
  )
  if (parents.length === 0) return new Map()
  const parentRows = await env
    .sudo()
    .model('res.company')
    .browse([...new Set(parents)])
    .load(['currency_id'])
  return new Map(parentRows.map((parent) => [parent.id, parent.currency_id.id]))
}

/** Users who create a company may act for it from their next call on. */
export async function joinCompanies(created: Records<'res.company'>): Promise<void> {
  const { env } = created
  // The very first company is there before any user.
  const maker = await env.sudo().model('res.users').browse([env.uid]).exists()
  if (maker.length) await maker.write({ company_ids: created.ids.map((id) => [4, id] as const) })
}

/**
 * Throws UserError when a company would get another parent: rules count on the one that it has
 * (docs/decisions/0083).
 */
export async function assertSameParents(
  companies: Records<'res.company'>,
  changes: readonly WriteChange[],
): Promise<void> {
  const wanted = new Map(
    changes.flatMap(({ ids, vals }) =>
      'parent_id' in vals ? ids.map((id) => [id, vals.parent_id || null] as const) : [],
    ),
  )
  const rows = wanted.size ? await companies.browse([...wanted.keys()]).load(['parent_id']) : []
  if (rows.some((c) => (c.parent_id?.id ?? null) !== wanted.get(c.id)))
    throw new UserError('The company hierarchy cannot be changed.')
}

/** A root's currency is that of all its branches; a branch cannot leave it. */
export async function shareCurrencies(
  { env }: Records<'res.company'>,
  changes: readonly WriteChange[],
): Promise<void> {
  const newCurrencies = changes.flatMap(({ ids, vals }) =>
    vals.currency_id ? ids.map((id) => ({ id, currency: vals.currency_id as number })) : [],
  )
  if (newCurrencies.length === 0) return
  // When several companies of one tree are changed, the last one wins.
  const rows = await env.rows(
    sql`SELECT b.id, x.currency FROM jsonb_array_elements(${JSON.stringify(newCurrencies)}::jsonb) WITH ORDINALITY AS sent(entry, place)
      CROSS JOIN LATERAL jsonb_to_record(sent.entry) AS x(id int, currency int)
      JOIN res_company c ON c.id = x.id JOIN res_company b ON split_part(b.parent_path, '/', 1) = split_part(c.parent_path, '/', 1) ORDER BY sent.place`,
    { reads: ['res.company'], row: ['int', 'int'] },
  )
  const wanted = new Map(rows.map((row) => [row[0], row[1]]))
  const standing = await env
    .sudo()
    .model('res.company')
    .browse([...wanted.keys()])
    .load(['currency_id'])
  const stale = standing.filter((c) => c.currency_id.id !== wanted.get(c.id))
  if (stale.length)
    await env
      .sudo()
      .model('res.company')
      .writeEach(new Map(stale.map((c) => [c.id, { currency_id: present(wanted.get(c.id)) }])))
}
