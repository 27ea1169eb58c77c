// Lists of lines that need not be read: of what was just made or linked the cache knows all that decides
// which lines there are, and in what order.
import { present } from '../../kit/present.ts'
import { lower, needsPreparation, parseDomain } from '../domain/index.ts'
import type { FieldDef, ModelDef, RelationDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { variantOf } from '../row/cache-key.ts'
import { parseOrder } from '../row/order.ts'
import { perModel } from '../unit/per-model.ts'
import { deciding } from './decide.ts'

/**
 * Keeps what a read by the superuser would give of an x2many field of these records, whose lines are these
 * and no others; where that is not known, nothing is kept.
 */
export function keepLists(
  env: Environment,
  field: FieldDef,
  lines: ReadonlyMap<number, readonly number[]>,
): void {
  const su = env.sudo()
  const cachedLists = su.unit.cache.of(field, variantOf(su, field))
  const shown = field.comodel ? shownBy(su, field) : null
  for (const [record, ids] of lines) {
    const list = shown && field.comodel ? listOf(su, field, field.comodel, shown, ids) : null
    if (list) cachedLists.set(record, list)
    else cachedLists.delete(record)
  }
}

/** Whether a field shows a line; undefined where that is not known. */
type Shown = (id: number) => boolean | undefined

/** By the field's domain, and what is archived; null where that takes a look at the tables. */
function shownBy(env: Environment, field: RelationDef): Shown | null {
  const { comodel } = field
  const inside = env.withContext(field.options.context ?? {})
  const domain = parseDomain(field.options.domain ?? [])
  if (needsPreparation(comodel, domain)) return null
  const children = [lower(inside, comodel, domain)]
  if (comodel.active && inside.activeTest)
    children.push(lower(inside, comodel, parseDomain([[comodel.active.name, '=', true]])))
  const open = children.filter((child) => child.type !== 'always' || !child.value)
  return open.length ? deciding(inside, { type: 'all', children: open }) : () => true
}

/**
 * Lines as a read returns them: ordered, without those that the field leaves out. Null if the cache
 * does not decide that.
 */
function listOf(
  env: Environment,
  field: FieldDef,
  comodel: ModelDef,
  shown: Shown,
  ids: readonly number[],
): number[] | null {
  const visible: number[] = []
  for (const id of new Set(ids)) {
    const isShown = shown(id)
    if (isShown === undefined) return null
    if (isShown) visible.push(id)
  }
  return visible.length > 1 ? ordered(env, field, comodel, visible) : visible
}

/** The terms that a list is ordered by. */
const termsOf = perModel(({ order }) => parseOrder(order))

/** By whole numbers alone: what text comes first only PostgreSQL knows. */
function ordered(env: Environment, field: FieldDef, comodel: ModelDef, ids: number[]): number[] | null {
  const keys: { readonly of: ReadonlyMap<number, unknown> | null; readonly sign: number }[] = []
  for (const { path, descending, nulls } of termsOf(comodel)) {
    const by = comodel.fields.get(present(path[0]))
    if (by && by.name === field.inverse) continue
    if (!by || path.length > 1 || nulls || (by.name !== 'id' && (by.kind !== 'integer' || !by.column)))
      return null
    const of = by.name === 'id' ? null : env.unit.cache.of(by, variantOf(env, by))
    // 0 may stand for what is unset, which comes last.
    if (of && !ids.every((id) => of.get(id))) return null
    keys.push({ of, sign: descending ? -1 : 1 })
  }
  const value = (of: ReadonlyMap<number, unknown> | null, id: number) => (of ? (of.get(id) as number) : id)
  const compare = (a: number, b: number) => {
    for (const { of, sign } of keys) {
      const apart = (value(of, a) - value(of, b)) * sign
      if (apart) return apart
    }
    return a - b
  }
  // Lines are mostly made in their order.
  const stand = ids.every((id, n) => n === 0 || compare(ids[n - 1] ?? 0, id) <= 0)
  return stand ? ids : ids.sort(compare)
}
