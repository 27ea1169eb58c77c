// What a domain says of a record by what the cache knows of it, without a look at the table.
import { type Lowered, matches } from '../domain/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { variantOf } from '../row/held.ts'

/** Whether the record satisfies the domain; undefined where that takes more than its own known columns. */
export function decided(env: Environment, domain: Lowered, id: number): boolean | undefined {
  switch (domain.type) {
    case 'always':
      return domain.value
    case 'not': {
      const child = decided(env, domain.child, id)
      return child === undefined ? undefined : !child
    }
    case 'all':
      return firstOf(env, domain.children, id, false)
    case 'anyOf':
      return firstOf(env, domain.children, id, true)
    case 'value':
    case 'id':
      return isKnown(env, domain, id) ? matches(domain, factsOf(env), id) : undefined
    default:
      return undefined
  }
}

/** One condition that is `decisive` decides; otherwise all of them must be known. */
function firstOf(
  env: Environment,
  children: readonly Lowered[],
  id: number,
  decisive: boolean,
): boolean | undefined {
  const found = children.map((child) => decided(env, child, id))
  if (found.includes(decisive)) return decisive
  return found.includes(undefined) ? undefined : !decisive
}

type Own = Extract<Lowered, { readonly type: 'value' | 'id' }>

function isKnown(env: Environment, domain: Own, id: number): boolean {
  const { field } = domain
  if (field.name === 'id') return true
  if (domain.type === 'value' && domain.text) return false
  if (!field.column || (domain.type === 'id' && !leadsToOne(field))) return false
  return placeOf(env, field).has(id) && !env.unit.pending.get(field)?.has(id)
}

const placeOf = (env: Environment, field: FieldDef) => env.unit.cache.of(field, variantOf(env, field))

const factsOf = (env: Environment) => ({
  value: (field: FieldDef, id: number) => placeOf(env, field).get(id) ?? null,
  all: () => [],
})
