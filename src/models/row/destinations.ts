// The destination of a value of a record: a column, another record, commands on a list, a file, or a
// function that writes it back. It follows from the field alone.

import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import type { FieldDef, X2manyDef } from '../language/definitions.ts'
import { isTreePath, leadsToMany, leadsToOne } from '../language/field-options.ts'

/** Explicit values of one record, or of all records of a write, by destination. */
export interface Sorted {
  readonly columns: Map<FieldDef, unknown>
  /** Delegated values, by the many2one that leads to the delegate. */
  readonly delegated: Map<string, Record<string, unknown>>
  /** Related fields that may be written: the record at the end of their path takes the value. */
  readonly related: Map<FieldDef, unknown>
  readonly lines: Map<X2manyDef, unknown>
  /** Values of computed fields that have an inverse function. */
  readonly inverse: Map<FieldDef, unknown>
  /** Binary fields kept as attachments: base64 text or null. */
  readonly files: Map<FieldDef, unknown>
  /** The first required column that an explicit value leaves empty. */
  readonly emptied: FieldDef | null
}

export interface Destination {
  readonly field: FieldDef
  /** Null: the value is ignored. */
  readonly to: Exclude<keyof Sorted, 'emptied'> | null
  /** Whether a column's value goes to the inverse function of its field too. */
  readonly writesBack: boolean
}

export const destinationOf = oncePer((field: FieldDef): Destination => {
  const to = mapFor(field)
  const isOwn = to !== null && to !== 'delegated'
  return { field, to, writesBack: isOwn && field.column && Boolean(field.compute?.options.inverse) }
})

function mapFor(field: FieldDef): Destination['to'] {
  if (field.inherited && field.related) return field.automatic ? null : 'delegated'
  if (field.automatic || isTreePath(field)) return null
  // A stored related field follows the end of its path, so that is where the value goes.
  if (field.column) return field.related && !field.readonly ? 'related' : 'columns'
  if (field.related && !field.stored) return field.readonly ? null : 'related'
  if (field.compute && !field.stored) return field.compute.options.inverse ? 'inverse' : null
  if (leadsToMany(field)) return 'lines'
  return field.kind === 'binary' ? 'files' : null
}

export type Sorting = { -readonly [K in keyof Sorted]: Sorted[K] }

/** Most records have columns alone: other maps are created with their first value (`writable`). */
const NONE = Object.assign(new Map<never, never>(), {
  set(): never {
    throw new Error('The shared empty map has no values.')
  },
})

export const NOTHING_ELSE = { delegated: NONE, related: NONE, lines: NONE, inverse: NONE, files: NONE }

const writable = <K, V>(map: Map<K, V>): Map<K, V> => (Object.is(map, NONE) ? new Map<K, V>() : map)

/** Puts a value that is no column's. Throws InvalidValue for what the field does not take. */
export function place(sorted: Sorting, { field, to }: Destination, value: unknown): void {
  if (to === 'lines' && leadsToMany(field)) sorted.lines = writable(sorted.lines).set(field, value)
  else if (to === 'files') sorted.files = writable(sorted.files).set(field, field.type.toColumn(field, value))
  else if (to === 'inverse') sorted.inverse = writable(sorted.inverse).set(field, checked(field, value))
  else if (to === 'related')
    sorted.related = writable(sorted.related).set(field, field.column ? checked(field, value) : value)
  else if (to === 'delegated') {
    const via = present(field.related?.[0])
    const values = sorted.delegated.get(via) ?? {}
    values[field.name] = value
    sorted.delegated = writable(sorted.delegated).set(via, values)
  }
}

/** Keeps the value of a column for the inverse function of its field. */
export function writeBack(sorted: Sorting, field: FieldDef, value: unknown): void {
  sorted.inverse = writable(sorted.inverse).set(field, value)
}

/** A value for a function or another record, refused as the field does; numbers as numbers. */
function checked(field: FieldDef, value: unknown): unknown {
  if (leadsToMany(field)) return value
  const column = field.type.toColumn(field, value)
  return typeof column === 'number' && !leadsToOne(field) ? column : value
}
