// Whether records satisfy a domain, by the cache alone.
import { type Lowered, matches } from '../domain/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { knownColumns } from './known-columns.ts'

/** A record's value of a field: null where unset, many2ones as ids; undefined where it is not known. */
type Known = (field: FieldDef) => unknown

/**
 * A test of single records against the domain; it returns undefined if more than the cached columns of
 * the record is needed.
 */
export function deciding(env: Environment, domain: Lowered): (id: number) => boolean | undefined {
  const columns = knownColumns(env)
  let own = 0
  const known: Known = (field) => columns(field, own)
  return (id) => {
    own = id
    return decidedBy(domain, id, known)
  }
}

/** Whether a record satisfies the domain by what `known` says of the record's own columns. */
export function decidedBy(domain: Lowered, id: number | null, known: Known): boolean | undefined {
  switch (domain.type) {
    case 'always':
      return domain.value
    case 'not': {
      const child = decidedBy(domain.child, id, known)
      return child === undefined ? undefined : !child
    }
    case 'all':
      return firstOf(domain.children, id, known, false)
    case 'anyOf':
      return firstOf(domain.children, id, known, true)
    case 'value':
    case 'id': {
      const value = valueIn(domain, id, known)
      return value === undefined ? undefined : matches(domain, { value: () => value, all: () => [] }, id ?? 0)
    }
    default:
      return undefined
  }
}

/** One condition that is `decisive` decides; otherwise all of them must be known. */
function firstOf(
  children: readonly Lowered[],
  id: number | null,
  known: Known,
  decisive: boolean,
): boolean | undefined {
  let isOpen = false
  for (const child of children) {
    const found = decidedBy(child, id, known)
    if (found === decisive) return decisive
    isOpen ||= found === undefined
  }
  return isOpen ? undefined : !decisive
}

type Own = Extract<Lowered, { readonly type: 'value' | 'id' }>

function valueIn(domain: Own, id: number | null, known: Known): unknown {
  const { field } = domain
  if (field.name === 'id') return id ?? undefined
  if (domain.type === 'value' && domain.text) return undefined
  if (!field.column || (domain.type === 'id' && !leadsToOne(field))) return undefined
  return known(field)
}
