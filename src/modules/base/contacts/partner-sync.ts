// Values synchronized between a company and its people: commercial fields down (and the tax number up),
// the address both ways (spec/models-api.md section 6).

import { atOnce, type Environment, type WriteChange } from '#models'
import { present } from '../../../kit/present.ts'
import { addressFields } from '../places/address.ts'
import { exchange, type Person } from './partner-exchange.ts'
import {
  commercialFields,
  differs,
  idOf,
  isSet,
  loadAny,
  type Partners,
  pick,
  prefixed,
  setValues,
  upward,
  type Values,
} from './partner-shared.ts'

/**
 * Values to create contacts with, and which of them (by place in the list) bring something that their parent
 * lacks.
 */
export interface Taken {
  readonly list: readonly unknown[]
  readonly bringing: readonly number[]
}

/**
 * New contacts take their parent's address (kind `contact` only) and what the commercial entity shares with
 * its people.
 * The parent is read with the caller's rights: what is hidden cannot be learnt from a contact put below it.
 */
export async function takeFromParents(partners: Partners, list: readonly unknown[]): Promise<Taken> {
  const { context } = partners.env
  const effective = (vals: Values, name: string) => (name in vals ? vals[name] : context[`default_${name}`])
  const parentOf = (vals: unknown) => (isVals(vals) ? idOf(effective(vals, 'parent_id')) : null)
  const ids = [...new Set(list.flatMap((vals) => parentOf(vals) ?? []))]
  if (ids.length === 0) return { list, bringing: [] }
  const addresses = new Map((await partners.browse(ids).load(addressFields)).map((p) => [p.id, p as Values]))
  const commercial = commercialFields(partners.env)
  const parents = await loadAny(partners.browse(ids).sudo(), prefixed('commercial_partner_id', commercial))
  const entities = new Map(parents.map((p) => [p.id, p.commercial_partner_id as Values | null]))
  const bringing: number[] = []
  const taken = list.map((entry, place) => {
    const parent = parentOf(entry)
    if (parent === null || !isVals(entry)) return entry
    const vals: Record<string, unknown> = { ...entry }
    const kind = effective(vals, 'type')
    const contact = kind === undefined || kind === 'contact'
    const address = contact ? setValues(addresses.get(parent) ?? {}, addressFields) : null
    if (address) Object.assign(vals, address)
    const company = effective(vals, 'is_company') || effective(vals, 'company_type') === 'company'
    const entity = company ? null : entities.get(parent)
    if (entity)
      Object.assign(
        vals,
        pick(
          entity,
          commercial.filter((field) => isSet(entity[field])),
        ),
      )
    const bringsAddress = contact && !address && addressFields.some((field) => vals[field])
    if (bringsAddress || (entity && upward.some((field) => vals[field] && !isSet(entity[field]))))
      bringing.push(place)
    return vals
  })
  return { list: taken, bringing }
}

const isVals = (vals: unknown): vals is Values =>
  typeof vals === 'object' && vals !== null && !Array.isArray(vals)

/**
 * After `create`: an address or tax number that the parent lacks goes up to it, that of the first who has
 * one.
 */
export async function copyToParents(created: Partners, { bringing }: Taken): Promise<void> {
  const newcomers = created.browse(bringing.map((place) => present(created.ids[place])))
  const ways = newcomers.ids.map(
    (id) => [id, { takes: true, shares: upward, address: addressFields, upward }] as const,
  )
  await exchangeValues(newcomers, await peopleOf(newcomers, new Map(ways), newcomers.ids))
}

/** Contacts that values move below another one and that are a commercial entity of their own, before that. */
export async function commercialBefore(
  partners: Partners,
  changes: readonly WriteChange[],
): Promise<readonly number[]> {
  const moved = changes.filter(({ vals }) => idOf(vals.parent_id) !== null).flatMap(({ ids }) => ids)
  if (moved.length === 0) return []
  const records = await partners.browse(moved).sudo().load(['commercial_partner_id'])
  return records.filter((p) => p.commercial_partner_id?.id === p.id).map((p) => p.id)
}

/**
 * After a write: takes from above, gives upward, passes on downward, each only where values differ. `alone`
 * are those of `commercialBefore`.
 */
export async function syncAfterWrite(
  partners: Partners,
  changes: readonly WriteChange[],
  alone: readonly number[],
): Promise<void> {
  const { env } = partners
  const commercial = commercialFields(env)
  const ways = new Map<number, Way>()
  const addresses = new Map<number, readonly string[]>()
  const shared = new Map<number, readonly string[]>()
  for (const { ids, vals } of changes) {
    const moved = idOf(vals.parent_id) !== null
    const address = addressFields.filter((field) => field in vals)
    const way: Way = {
      takes: moved || vals.type === 'contact',
      shares: moved ? commercial : [],
      address: moved ? addressFields : address,
      upward: upward.filter((field) => moved || field in vals),
    }
    const down = commercial.filter((field) => field in vals)
    for (const id of ids) {
      if (way.takes || way.address.length || way.upward.length) ways.set(id, way)
      if (address.length) addresses.set(id, address)
      if (down.length) shared.set(id, down)
    }
  }
  // Contacts below are looked up together with those above: these writes change neither.
  const [people, contacts, sharing] = await atOnce(
    env,
    () => peopleOf(partners, ways, alone),
    () => below(env, 'parent_id', addresses, [['type', '=', 'contact']]),
    () => below(env, 'commercial_partner_id', shared),
  )
  await exchangeValues(partners, people)
  await passDown(contacts, 'parent_id', addresses)
  await passDown(sharing, 'commercial_partner_id', shared)
}

type Way = Pick<Person, 'takes' | 'shares' | 'address' | 'upward'>

/** Reads the records and those above them. */
async function peopleOf(
  partners: Partners,
  ways: ReadonlyMap<number, Way>,
  alone: readonly number[],
): Promise<Person[]> {
  if (ways.size === 0) return []
  const all = [...ways.values()]
  const address = all.some(({ takes }) => takes)
    ? addressFields
    : addressFields.filter((f) => all.some((way) => way.address.includes(f)))
  const shared = [...new Set(all.flatMap((way) => [...way.shares, ...way.upward]))]
  const paths = ['type', 'parent_id', 'commercial_partner_id', ...address, ...shared]
  const above = [...prefixed('parent_id', address), ...prefixed('commercial_partner_id', shared)]
  const records = await loadAny(partners.browse([...ways.keys()]).sudo(), [...paths, ...above])
  const keep = new Set(alone)
  return records.map((p): Person => {
    const [parent, entity] = [p.parent_id, p.commercial_partner_id] as Person['parent'][]
    return {
      ...present(ways.get(p.id)),
      id: p.id,
      contact: p.type === 'contact',
      values: p,
      parent: parent ?? null,
      entity: entity && entity.id !== p.id ? entity : null,
      keeps: keep.has(p.id),
    }
  })
}

/**
 * Those above follow their people with the caller's rights; what is taken from them is not a matter of
 * rights.
 */
async function exchangeValues(partners: Partners, people: readonly Person[]): Promise<void> {
  const exchanged = exchange(people)
  if (exchanged.passedUp.size) await partners.writeEach(exchanged.passedUp as never)
  if (exchanged.taken.size) await partners.sudo().writeEach(exchanged.taken as never)
}

/** Contacts below others that are not archived; hidden ones are included. */
async function below(
  env: Environment,
  way: 'parent_id' | 'commercial_partner_id',
  changedFields: ReadonlyMap<number, readonly string[]>,
  only: readonly (readonly ['type', '=', 'contact'])[] = [],
): Promise<Partners> {
  const everyone = env.sudo().withContext({ active_test: true }).model('res.partner')
  return changedFields.size ? everyone.search([[way, 'in', [...changedFields.keys()]], ...only]) : everyone
}

/**
 * Passes changed values to the contacts below, where they differ. `changedFields` are by id.
 */
async function passDown(
  everyone: Partners,
  way: 'parent_id' | 'commercial_partner_id',
  changedFields: ReadonlyMap<number, readonly string[]>,
): Promise<void> {
  if (everyone.length === 0) return
  const fields = [...new Set([...changedFields.values()].flat())]
  const values = new Map<number, Values>()
  const stale = new Map<number, Values>()
  for (const p of await loadAny(everyone, [...fields, ...prefixed(way, fields)])) {
    const above = p[way] as (Values & { readonly id: number }) | null
    const changed = above && above.id !== p.id ? (changedFields.get(above.id) ?? []) : []
    if (!above || !differs(p, above, changed)) continue
    const vals = values.get(above.id) ?? pick(above, changed)
    values.set(above.id, vals)
    stale.set(p.id, vals)
  }
  if (stale.size) await everyone.writeEach(stale as never)
}
