// Values that come with a record: its own, and those of the one record to which a link of it leads.
import { present } from '../../kit/present.ts'
import type { Sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Scope } from '../language/scope.ts'
import { expressionOf } from './expressions.ts'

/** A value of the record behind a link. */
export class Behind {
  readonly link: Value
  readonly field: FieldDef
  /** Names the value among those of the record that all begins with. */
  readonly text: string

  constructor(link: Value, field: FieldDef) {
    this.link = link
    this.field = field
    this.text = `${link instanceof Behind ? link.text : link.name}.${field.name}`
  }
}

export type Value = FieldDef | Behind

export const isBehind = (value: Value): value is Behind => value instanceof Behind

/** The field that a value is one of. */
export const linkedValue = (value: Value): FieldDef => (isBehind(value) ? value.field : value)

/** Each value is one object, by which others know it. */
const all = new WeakMap<Value, Map<FieldDef, Behind>>()

export function behind(link: Value, field: FieldDef): Behind {
  const own = all.get(link) ?? new Map<FieldDef, Behind>()
  all.set(link, own)
  const known = own.get(field)
  if (known) return known
  const made = new Behind(link, field)
  own.set(field, made)
  return made
}

/**
 * Many2ones that a table keeps, with a foreign key: what they lead to is there. What a query gives may name
 * what is not, and nothing shall be known of that.
 */
export const isLink = (field: FieldDef): boolean =>
  field.kind === 'many2one' &&
  field.column &&
  field.model.hasTable &&
  !field.options.companyDependent &&
  field.comodel.hasTable

/** The value as an expression. Throws Error for one that needs code. */
export const valueSql = (scope: Scope, value: Value): Sql =>
  present(
    isBehind(value) ? expressionOf(targetOf(scope, value.link), value.field) : expressionOf(scope, value),
  )

/** The row to which a link leads. */
const targetOf = (scope: Scope, link: Value): Scope =>
  isBehind(link) ? targetOf(scope, link.link).join(link.field) : scope.join(link)
