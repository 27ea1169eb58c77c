// Addresses and shared values of whole families reckoned in memory: what one write after the other would come
// to, written at once (partner-sync.ts writes step by step).

import type { Environment, WriteChange } from '#models'
import { isInteger } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { addressFields } from '../places/address.ts'
import {
  commercialFields,
  differs,
  loadAny,
  type Partners,
  pick,
  upward,
  type Values,
} from './partner-shared.ts'

/** A contact of a family, as it stands after the writes so far. */
interface Member {
  readonly id: number
  readonly contact: boolean
  readonly active: boolean
  readonly parent: number | null
  readonly entity: number | null
  readonly values: Record<string, unknown>
  /** Fields that changed. */
  readonly touched: Set<string>
  /** Changed by way of somebody who stands below: that takes the caller's rights. */
  asked: boolean
}

/**
 * Values to write: the requested changes with what follows from them, then contacts reached from below,
 * then contacts reached from above.
 */
export interface Settled {
  readonly changes: readonly WriteChange[]
  readonly asked: ReadonlyMap<number, Values>
  readonly passed: ReadonlyMap<number, Values>
}

/** Values that stand as they are given: reckoning with others takes what the engine makes of them. */
const isPlain = (value: unknown): boolean =>
  value === false || value === null || (typeof value === 'string' && value !== '')
const isId = (value: unknown): boolean => value === false || value === null || (isInteger(value) && value > 0)

/**
 * True if changes can be computed in memory: they move no contact, change no contact's type, and have no
 * child records to write.
 */
export function isComputableInMemory(env: Environment, changes: readonly WriteChange[]): boolean {
  const { fields } = env.def('res.partner')
  const travelling = new Set<string>([...addressFields, ...commercialFields(env)])
  const standing = new Set(['parent_id', 'type', 'active', 'is_company', 'company_type'])
  return changes.every(({ vals }) =>
    Object.entries(vals).every(([name, value]) => {
      const kind = fields.get(name)?.kind
      if (standing.has(name) || kind === 'one2many' || kind === 'many2many') return false
      if (!travelling.has(name)) return true
      return kind === 'many2one' ? isId(value) : (kind === 'char' || kind === 'text') && isPlain(value)
    }),
  )
}

/** Computes the values of all contacts that the changes touch, applied one after the other. */
export async function settle(partners: Partners, changes: readonly WriteChange[]): Promise<Settled> {
  const { env } = partners
  const family = await Family.of(env, changes)
  const named = new Set(changes.flatMap(({ ids }) => ids))
  for (const { ids, vals } of changes) for (const id of ids) family.write(id, vals, true)
  const ends = changes.flatMap(({ ids, vals }) =>
    ids.map((id) => ({ ids: [id], vals: { ...vals, ...family.changed(id) } })),
  )
  const [requested, passed] = [new Map<number, Values>(), new Map<number, Values>()]
  for (const member of family.members.values()) {
    if (member.touched.size === 0 || named.has(member.id)) continue
    ;(member.asked ? requested : passed).set(member.id, family.changed(member.id))
  }
  return { changes: ends, asked: requested, passed }
}

class Family {
  readonly members: Map<number, Member>
  readonly #commercial: readonly string[]
  readonly #below = new Map<number, Member[]>()
  readonly #sharing = new Map<number, Member[]>()

  private constructor(members: readonly Member[], commercial: readonly string[]) {
    this.members = new Map(members.map((member) => [member.id, member]))
    this.#commercial = commercial
    const add = (map: Map<number, Member[]>, key: number | null, member: Member) => {
      if (key === null) return
      const list = map.get(key)
      if (list) list.push(member)
      else map.set(key, [member])
    }
    // Values are passed down to contacts that are not archived.
    for (const member of members.filter(({ active }) => active)) {
      if (member.contact) add(this.#below, member.parent, member)
      if (member.entity !== member.id) add(this.#sharing, member.entity, member)
    }
  }

  static async of(env: Environment, changes: readonly WriteChange[]): Promise<Family> {
    const ids = [...new Set(changes.flatMap(({ ids }) => ids))]
    const rows = await env.rows(
      sql`WITH RECURSIVE above(id, parent_id) AS (
        SELECT id, parent_id FROM res_partner WHERE id = ANY(${idList(ids)})
        UNION SELECT p.id, p.parent_id FROM above JOIN res_partner p ON p.id = above.parent_id),
      below(id) AS (SELECT id FROM above WHERE parent_id IS NULL UNION SELECT p.id FROM below JOIN res_partner p ON p.parent_id = below.id)
      SELECT id FROM below ORDER BY id`,
      { reads: ['res.partner'], row: ['int'] },
    )
    const commercial = commercialFields(env)
    const fields = [...addressFields, ...commercial]
    const everyone = env
      .sudo()
      .withContext({ active_test: false })
      .model('res.partner')
      .browse(rows.map((row) => row[0]))
    const records = await loadAny(everyone, [
      'type',
      'active',
      'parent_id',
      'commercial_partner_id',
      ...fields,
    ])
    const idOf = (value: unknown) => (value as { id: number } | null)?.id ?? null
    const members = records.map(
      (p): Member => ({
        id: p.id,
        contact: p.type === 'contact',
        active: p.active === true,
        parent: idOf(p.parent_id),
        entity: idOf(p.commercial_partner_id),
        values: { ...pick(p, fields) },
        touched: new Set(),
        asked: false,
      }),
    )
    return new Family(members, commercial)
  }

  /** Values of a contact that changed, as `write` takes them. */
  changed(id: number): Values {
    const member = this.members.get(id)
    return member ? pick(member.values, [...member.touched]) : {}
  }

  /**
   * One write with all that follows: up to those above, then down to those below. `isRequested`:
   * with the caller's rights.
   */
  write(id: number, vals: Values, isRequested: boolean): void {
    const member = this.members.get(id)
    // One that is not there is found out by the write itself.
    if (!member) return
    const address = addressFields.filter((field) => field in vals)
    const shared = this.#commercial.filter((field) => field in vals)
    if (isRequested) member.asked = true
    for (const field of [...address, ...shared]) {
      member.values[field] = vals[field]
      member.touched.add(field)
    }
    const [parent, entity] = [this.members.get(member.parent ?? 0), this.members.get(member.entity ?? 0)]
    if (parent && member.contact && differs(member.values, parent.values, address))
      this.write(parent.id, pick(member.values, address), isRequested)
    const up = upward.filter((field) => field in vals)
    if (parent && entity && entity !== member && differs(member.values, entity.values, up))
      this.write(entity.id, pick(member.values, up), isRequested)
    this.#passDown(member, this.#below, address)
    this.#passDown(member, this.#sharing, shared)
  }

  #passDown(member: Member, to: ReadonlyMap<number, readonly Member[]>, fields: readonly string[]): void {
    if (fields.length === 0) return
    for (const other of to.get(member.id) ?? [])
      if (differs(other.values, member.values, fields))
        this.write(other.id, pick(member.values, fields), false)
  }
}
