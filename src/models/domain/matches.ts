// Matching in memory: a domain in plain forms over facts about records, with the answers that SQL gives.
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Lowered, Within } from './lower.ts'
import { invalidCondition } from './refusal.ts'

/** Values of records. Read only for what `gather` (read/filter.ts) loaded. */
export interface Facts {
  /**
   * A record's value: null where unset, many2ones as ids, x2manys as lists of ids, archived lines among them.
   */
  value(field: FieldDef, id: number): unknown
  /** All records of a model: for trees above records that are given by name. */
  all(model: ModelDef): Iterable<number>
}

/** Whether the record satisfies the domain. */
export function matches(domain: Lowered, facts: Facts, id: number): boolean {
  switch (domain.type) {
    case 'always':
      return domain.value
    case 'not':
      return !matches(domain.child, facts, id)
    case 'all':
      return domain.children.every((child) => matches(child, facts, id))
    case 'anyOf':
      return domain.children.some((child) => matches(child, facts, id))
    case 'opaque':
      throw invalidCondition(domain.leaf, 'it is decided by the database alone')
    case 'value':
      return domain.test(valueIn(facts, domain.field, id))
    case 'id':
      return targets(facts, domain.field, id).some((target) => domain.any || domain.ids.has(target))
    case 'line':
      return targets(facts, domain.field, id).some((target) => matches(domain.child, facts, target))
    case 'within':
      return inTrees(domain, facts, id)
  }
}

const valueIn = (facts: Facts, field: FieldDef, id: number): unknown =>
  field.name === 'id' ? id : facts.value(field, id)

/** Ids of the targets of a relation; for the field `id`, the record itself. */
export function targets(facts: Facts, field: FieldDef, id: number): readonly number[] {
  const value = valueIn(facts, field, id)
  return Array.isArray(value) ? (value as number[]) : value ? [value as number] : []
}

function inTrees(domain: Within, facts: Facts, id: number): boolean {
  const { direction, ids, named, model } = domain
  const isSeed = (record: number) => ids.has(record) || (named !== null && matches(named, facts, record))
  if (direction === 'child_of')
    return targets(facts, domain.field, id).some((target) => chain(domain, facts, target).some(isSeed))
  const above = new Set([...ids].flatMap((seed) => chain(domain, facts, seed)))
  if (named)
    for (const record of facts.all(model))
      if (matches(named, facts, record))
        for (const ancestor of chain(domain, facts, record)) above.add(ancestor)
  return targets(facts, domain.field, id).some((target) => above.has(target))
}

/** The record and all above it. */
function chain({ parent }: Within, facts: Facts, from: number): number[] {
  const seen = new Set<number>()
  let current: unknown = from
  while (typeof current === 'number' && !seen.has(current)) {
    seen.add(current)
    current = parent ? facts.value(parent, current) : null
  }
  return [...seen]
}
