// Which contacts may be written together: values travel in families, and what comes later in a list of
// changes must find what came before.
import type { Environment, Scope, WriteChange } from '#models'
import { id, idList, type Sql, sql } from '../../../sql/index.ts'
import { addressFields } from '../places/address.ts'
import { commercialFields, idOf, type Partners, type Values } from './partner-shared.ts'

/** Values that say who belongs to whom, and who takes part. */
const standing = ['type', 'active', 'is_company', 'company_type'] as const

/** Whether values change anything that travels. */
export const changesSharedFields = (env: Environment, vals: Values): boolean =>
  ['parent_id', 'type', ...addressFields, ...commercialFields(env)].some((field) => field in vals)

/** Values that name people, and who they are to each other. */
const about = ['name', 'email', 'parent_id', ...standing] as const

/**
 * Whether more is done with values than to write them: for who stands below or above somebody, where they
 * travel.
 */
export function concernsContacts(
  names: ReadonlySet<string>,
  env: Environment,
): boolean | ((scope: Scope) => Sql) {
  if (about.some((name) => names.has(name))) return true
  if (![...addressFields, ...commercialFields(env)].some((name) => names.has(name))) return false
  return (scope) => {
    const [parent, entity] = [scope.column('parent_id'), scope.column('commercial_partner_id')]
    const others = (way: 'parent_id' | 'commercial_partner_id') =>
      sql`EXISTS (SELECT FROM res_partner o WHERE o.${id(way)} = ${scope.id} AND o.id <> ${scope.id})`
    return sql`${parent} IS NOT NULL OR ${entity} IS DISTINCT FROM ${scope.id} OR ${others('parent_id')} OR ${others('commercial_partner_id')}`
  }
}

interface Turn {
  readonly round: number
  /** Parent and values that changes of this round share: other changes below the same root wait. */
  readonly alike: string
}

/**
 * The changes in parts to be written one after the other, with the same outcome as if all of them were.
 * Families do not touch each other, and neither do siblings, whose values meet in their parent in the order
 * of the changes: lists of any length are one part, companies with their people two.
 */
export async function roundsOf(
  partners: Partners,
  changes: readonly WriteChange[],
): Promise<(readonly WriteChange[])[]> {
  const { env } = partners
  const stirs = ({ vals }: WriteChange) =>
    changesSharedFields(env, vals) || standing.some((field) => field in vals)
  if (changes.filter(stirs).length < 2) return [changes]
  const families = await Families.of(env, changes.filter(stirs))
  const turns = new Map<number, Turn>()
  /**
   * Roots from below which somebody left, and when: who comes later in the list is not written before that.
   */
  const left = new Map<number, number>()
  const rounds: WriteChange[][] = [[]]
  for (const [place, change] of changes.entries()) {
    if (!stirs(change)) {
      rounds[0]?.push(change)
      continue
    }
    const moves = change.ids.map((id) => families.move(id, change.vals))
    const key = JSON.stringify([
      idOf(change.vals.parent_id) !== null,
      ...standing.map((field) => change.vals[field]),
    ])
    const parents = new Set(moves.map(({ parent }) => parent))
    const alike = parents.size === 1 ? `${[...parents][0]} ${key}` : `change ${place}`
    let round = 0
    for (const { from, to } of moves) {
      const turn = turns.get(to)
      const leaving = from === to ? undefined : turns.get(from)
      round = Math.max(
        round,
        left.get(to) ?? 0,
        turn ? turn.round + (turn.alike === alike ? 0 : 1) : 0,
        leaving ? leaving.round + 1 : 0,
      )
    }
    for (const { from, to } of moves) {
      turns.set(to, { round, alike })
      if (from !== to) left.set(from, Math.max(left.get(from) ?? 0, round))
    }
    const together = rounds[round] ?? []
    together.push(change)
    rounds[round] = together
  }
  return rounds.filter((round) => round.length > 0)
}

interface Move {
  /** The root above the contact before and after. */
  readonly from: number
  readonly to: number
  readonly parent: number | null
}

/** Contacts with all above them, as they stand after the changes looked at so far. */
class Families {
  readonly #parents: Map<number, number | null>

  private constructor(parents: Map<number, number | null>) {
    this.#parents = parents
  }

  static async of(env: Environment, changes: readonly WriteChange[]): Promise<Families> {
    const ids = [...new Set(changes.flatMap(({ ids, vals }) => [...ids, idOf(vals.parent_id) ?? []].flat()))]
    const rows = await env.rows(
      sql`WITH RECURSIVE above(id, parent_id) AS (
        SELECT id, parent_id FROM res_partner WHERE id = ANY(${idList(ids)})
        UNION SELECT p.id, p.parent_id FROM above JOIN res_partner p ON p.id = above.parent_id)
      SELECT id, parent_id FROM above`,
      { reads: ['res.partner'], row: ['int', 'int?'] },
    )
    return new Families(new Map(rows.map((row) => [row[0], row[1]])))
  }

  move(id: number, vals: Values): Move {
    const from = this.#root(id)
    if ('parent_id' in vals) this.#parents.set(id, idOf(vals.parent_id))
    return { from, to: this.#root(id), parent: this.#parents.get(id) ?? null }
  }

  /** Circles are refused by the write itself. */
  #root(id: number): number {
    const seen = new Set<number>()
    let root = id
    for (
      let next: number | null = id;
      next !== null && !seen.has(next);
      next = this.#parents.get(next) ?? null
    ) {
      seen.add(next)
      root = next
    }
    return root
  }
}
