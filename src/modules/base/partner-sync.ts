// What travels between a company and its people: commercial fields down (and the tax number up), the address both ways (spec/models-api.md section 6).
import type { Environment, Records } from '#models'
import { addressFields } from './address.ts'

type Partners = Records<'res.partner'>
type Vals = Record<string, unknown>

/** Fields that a company shares with its people, those of all modules (`commercial` in their declaration). */
function commercialFields(env: Environment): readonly string[] {
  return [...env.def('res.partner').fields.values()].filter((field) => field.options.commercial).map((field) => field.name)
}
/** Those that a person may change for the company. */
const upward = ['vat'] as const

const prefixed = <P extends string, F extends string>(path: P, fields: readonly F[]) => fields.map((field) => `${path}.${field}` as const)

/** Records with fields that only the database's modules know; what else is to be loaded is named by `known`. */
const loadAlso = <P extends string>(partners: Partners, known: readonly P[], more: readonly string[]): Promise<Vals[]> =>
  partners.load([...known, ...more] as never)

/** A loaded value in the form that `write` takes. */
const plain = (value: unknown): unknown => (typeof value === 'object' && value !== null ? (value as { id: number }).id : (value ?? false))
const same = (a: unknown, b: unknown): boolean => plain(a) === plain(b)
const isSet = (value: unknown): boolean => plain(value) !== false && plain(value) !== ''

/** The fields of a loaded record as values, or null when none is set. */
function valuesOf(record: Vals, fields: readonly string[]): Vals | null {
  if (!fields.some((field) => isSet(record[field]))) return null
  return Object.fromEntries(fields.map((field) => [field, plain(record[field])]))
}

const differs = (a: Vals, b: Vals, fields: readonly string[]): boolean => fields.some((field) => !same(a[field], b[field]))
const pick = (vals: Vals, fields: readonly string[]): Vals => Object.fromEntries(fields.filter((f) => f in vals).map((f) => [f, vals[f]]))

/** Writes values by record, records with the same values together. */
async function writeEach(partners: Partners, values: ReadonlyMap<number, Vals>): Promise<void> {
  const groups = new Map<string, { vals: Vals; ids: number[] }>()
  for (const [id, vals] of values) {
    const key = JSON.stringify(vals)
    const group = groups.get(key) ?? { vals, ids: [] }
    group.ids.push(id)
    groups.set(key, group)
  }
  for (const { vals, ids } of groups.values()) await partners.browse(ids).write(vals as never)
}

const idOf = (value: unknown): number | null => (typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null)

/** Values to create contacts with, and which of them (by place in the list) bring something that their parent lacks. */
export interface Taken {
  readonly list: readonly unknown[]
  readonly bringing: readonly number[]
}

/**
 * New contacts take their parent's address (kind `contact` only) and what the commercial entity shares with its people.
 * The parent is read with the caller's rights: what is hidden cannot be learnt from a contact put below it.
 */
export async function takeFromParents(partners: Partners, list: readonly unknown[]): Promise<Taken> {
  const { context } = partners.env
  const effective = (vals: Vals, name: string) => (name in vals ? vals[name] : context[`default_${name}`])
  const parentOf = (vals: unknown) => (isVals(vals) ? idOf(effective(vals, 'parent_id')) : null)
  const ids = [...new Set(list.flatMap((vals) => parentOf(vals) ?? []))]
  if (ids.length === 0) return { list, bringing: [] }
  const addresses = new Map((await partners.browse(ids).load(addressFields)).map((p) => [p.id, p as Vals]))
  const commercial = commercialFields(partners.env)
  const parents = await loadAlso(partners.browse(ids).sudo(), [], prefixed('commercial_partner_id', commercial))
  const entities = new Map(parents.map((p) => [p.id as number, p.commercial_partner_id as Vals | null]))
  const bringing: number[] = []
  const taken = list.map((given, place) => {
    const parent = parentOf(given)
    if (parent === null || !isVals(given)) return given
    const vals: Vals = { ...given }
    const kind = effective(vals, 'type')
    const contact = kind === undefined || kind === 'contact'
    const address = contact ? valuesOf(addresses.get(parent) ?? {}, addressFields) : null
    if (address) Object.assign(vals, address)
    const company = effective(vals, 'is_company') || effective(vals, 'company_type') === 'company'
    const entity = company ? null : entities.get(parent)
    if (entity) for (const field of commercial) if (isSet(entity[field])) vals[field] = plain(entity[field])
    const bringsAddress = contact && !address && addressFields.some((field) => vals[field])
    if (bringsAddress || (entity && upward.some((field) => vals[field] && !isSet(entity[field])))) bringing.push(place)
    return vals
  })
  return { list: taken, bringing }
}

const isVals = (vals: unknown): vals is Vals => typeof vals === 'object' && vals !== null && !Array.isArray(vals)

/** After `create`: an address or tax number that the parent lacks goes up to it. */
export async function giveToParents(made: Partners, { bringing }: Taken): Promise<void> {
  await sendUp(made.browse(bringing.map((place) => made.ids[place] as number)), addressFields, upward)
}

/** What a write has to know of the records as they were. */
export interface Before {
  /** Records that were a commercial entity of their own. */
  readonly own: ReadonlySet<number>
}

/** Whether values change anything that travels. */
export const travels = (env: Environment, vals: Vals): boolean =>
  ['parent_id', 'type', ...addressFields, ...commercialFields(env)].some((field) => field in vals)

/** Before a write that moves contacts: who stood on their own. */
export async function standing(partners: Partners, vals: Vals): Promise<Before> {
  if (!idOf(vals.parent_id)) return { own: new Set() }
  const records = await partners.sudo().load(['commercial_partner_id'])
  return { own: new Set(records.filter((p) => p.commercial_partner_id?.id === p.id).map((p) => p.id)) }
}

/** After a write of `vals` on `partners`: takes from above, gives upward, passes on downward, each only where values differ. */
export async function passOn(partners: Partners, vals: Vals, before: Before): Promise<void> {
  const moved = idOf(vals.parent_id) !== null
  if (moved || vals.type === 'contact') await takeFromAbove(partners, moved, before)
  const address = addressFields.filter((field) => field in vals)
  const commercial = commercialFields(partners.env).filter((field) => field in vals)
  const shared = upward.filter((field) => moved || field in vals)
  if (moved || address.length || shared.length) await sendUp(partners, moved ? addressFields : address, shared)
  if (address.length) await addressDown(partners, pick(vals, address), address)
  if (commercial.length) await commercialDown(partners, pick(vals, commercial), commercial)
}

async function takeFromAbove(partners: Partners, moved: boolean, before: Before): Promise<void> {
  const shared = commercialFields(partners.env)
  const records = await loadAlso(
    partners.sudo(),
    ['type', ...addressFields, ...prefixed('parent_id', addressFields)],
    [...shared, ...prefixed('commercial_partner_id', shared)],
  )
  const taken = new Map<number, Vals>()
  for (const p of records) {
    const vals: Vals = {}
    const address = p.parent_id && p.type === 'contact' ? valuesOf(p.parent_id as Vals, addressFields) : null
    if (address && differs(p, address, addressFields)) Object.assign(vals, address)
    const entity = p.commercial_partner_id as (Vals & { id: number }) | null
    if (moved && entity && entity.id !== p.id) {
      // Who stood alone keeps what the new company has not; who comes from another company keeps nothing of that one.
      for (const field of shared) {
        if ((isSet(entity[field]) || !before.own.has(p.id as number)) && !same(p[field], entity[field])) vals[field] = plain(entity[field])
      }
    }
    if (Object.keys(vals).length) taken.set(p.id as number, vals)
  }
  await writeEach(partners.sudo(), taken)
}

/** The parent follows its contacts' address, the commercial entity its people's tax number; with the caller's rights. */
async function sendUp(
  partners: Partners,
  address: readonly (typeof addressFields)[number][],
  shared: readonly (typeof upward)[number][],
): Promise<void> {
  if (partners.length === 0) return
  const records = await partners
    .sudo()
    .load([
      'type',
      ...address,
      ...shared,
      ...prefixed('parent_id', address),
      ...prefixed('commercial_partner_id', shared),
      'parent_id',
      'commercial_partner_id',
    ])
  const given = new Map<number, Vals>()
  const add = (target: number, vals: Vals) => given.set(target, { ...vals, ...given.get(target) })
  for (const p of records as readonly Vals[]) {
    const parent = p.parent_id as (Vals & { id: number }) | null
    const entity = p.commercial_partner_id as (Vals & { id: number }) | null
    if (!parent) continue
    if (address.length && p.type === 'contact' && differs(p, parent, address))
      add(parent.id, Object.fromEntries(address.map((f) => [f, plain(p[f])])))
    if (shared.length && entity && entity.id !== p.id && differs(p, entity, shared))
      add(entity.id, Object.fromEntries(shared.map((f) => [f, plain(p[f])])))
  }
  await writeEach(partners, given)
}

/** Contacts below take the changed parts of the address. */
async function addressDown(partners: Partners, vals: Vals, fields: readonly (typeof addressFields)[number][]): Promise<void> {
  const below = await everyone(partners.env).search([
    ['parent_id', 'in', partners.ids],
    ['type', '=', 'contact'],
  ])
  const records = await below.load([...fields, ...prefixed('parent_id', fields)])
  const stale = records.filter((p) => p.parent_id && differs(p, p.parent_id, fields)).map((p) => p.id)
  if (stale.length) await below.browse(stale).write(vals as never)
}

/** People of these commercial entities, on every level, take what changed. */
async function commercialDown(partners: Partners, vals: Vals, fields: readonly string[]): Promise<void> {
  const below = await everyone(partners.env).search([
    ['commercial_partner_id', 'in', partners.ids],
    ['id', 'not in', partners.ids],
  ])
  const records = await loadAlso(below, [], [...fields, ...prefixed('commercial_partner_id', fields)])
  const stale = records.flatMap((p) =>
    p.commercial_partner_id && differs(p, p.commercial_partner_id as Vals, fields) ? (p.id as number) : [],
  )
  if (stale.length) await below.browse(stale).write(vals as never)
}

/** Contacts that are not archived, hidden ones too: passing on is not a matter of who may see what. */
const everyone = (env: Environment): Partners => env.sudo().withContext({ active_test: true }).model('res.partner')
