// Orders read plainly: the records of a generated model sorted one by one in memory, as spec/models-api.md
// section 3 says.
import type { FieldDef, ModelDef } from '../../src/models/language/definitions.ts'
import type { World } from './facts.ts'

export interface Term {
  readonly path: string
  readonly descending: boolean
  readonly nulls: 'first' | 'last' | null
}

/** One value that decides, and which way. */
export interface Key extends Omit<Term, 'path'> {
  readonly value: unknown
}

/** The terms of an order, `name desc nulls last, id`. */
export function termsOf(order: string): Term[] {
  return order.split(',').map((text) => {
    const words = text.trim().split(/\s+/)
    const rest = words.slice(1).map((word) => word.toLowerCase())
    const nulls = rest.includes('nulls') ? (rest.at(-1) as 'first' | 'last') : null
    return { path: words[0] as string, descending: rest.includes('desc'), nulls }
  })
}

/** The sort keys of a record; `trail`: many2ones that led here. A null record has unset values only. */
export function keysOf(
  world: World,
  model: ModelDef,
  record: number | null,
  terms: readonly Term[],
  trail: readonly FieldDef[] = [],
): Key[] {
  return terms.flatMap((term): Key[] => {
    const [name, ...rest] = term.path.split('.')
    if (name === 'id') return [{ ...term, value: record }]
    const field = model.fields.get(name as string) as FieldDef
    const value = record === null ? null : (world.value(field, record) ?? null)
    if (field.kind === 'boolean') return [{ ...term, value: value === true }]
    if (field.kind !== 'many2one' || rest.length || trail.includes(field)) return [{ ...term, value }]
    return targetKeys(world, field.comodel as ModelDef, value as number | null, term, [...trail, field])
  })
}

/**
 * A related record: unset ones at one end, the others by the order of their model, turned round when
 * descending.
 */
export function targetKeys(
  world: World,
  model: ModelDef,
  record: number | null,
  { descending, nulls }: Omit<Term, 'path'>,
  trail: readonly FieldDef[] = [],
): Key[] {
  const first = nulls === null ? descending : nulls === 'first'
  const inner = termsOf(model.order).map((term) => (descending ? turned(term) : term))
  const end = inner.findIndex(({ path }) => path === 'id')
  const used = end < 0 ? inner : inner.slice(0, end + 1)
  return [
    { value: record === null, descending: first, nulls: null },
    ...keysOf(world, model, record, used, trail),
  ]
}

const turned = ({ path, descending, nulls }: Term): Term => ({
  path,
  descending: !descending,
  nulls: nulls && (nulls === 'first' ? 'last' : 'first'),
})

/**
 * Which of two lists of keys comes first. Unset values count as the greatest unless a key says where they go.
 */
export function compareKeys(keys: readonly Key[], other: readonly Key[]): number {
  for (const [i, { value, descending, nulls }] of keys.entries()) {
    const against = other[i]?.value
    if (value === null || against === null) {
      if (value === against) continue
      const last = nulls === null ? !descending : nulls === 'last'
      return (value === null) === last ? 1 : -1
    }
    const decided = compareValues(value, against)
    if (decided) return descending ? -decided : decided
  }
  return 0
}

/** Texts go by their code points, all others by size. */
export function compareValues(value: unknown, other: unknown): number {
  if (typeof value === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(value), Buffer.from(other))
  return Number(value) - Number(other)
}

/** Ids in the order asked for; the id decides last. */
export function sorted(world: World, model: ModelDef, ids: readonly number[], order: string): number[] {
  const terms = [...termsOf(order), { path: 'id', descending: false, nulls: null }]
  return ids
    .map((id) => ({ id, keys: keysOf(world, model, id, terms) }))
    .sort((record, other) => compareKeys(record.keys, other.keys))
    .map(({ id }) => id)
}
