// Options that only some kinds have, for code that meets fields of all kinds: undefined where there are none.
import type { OptionsOf } from '../contract/field.ts'
import type { FieldDef } from './definitions.ts'

/** Precision and scale of a number with a fraction. */
export const digitsOf = (field: FieldDef | undefined): OptionsOf['float']['digits'] =>
  field?.kind === 'float' ? field.options.digits : undefined

/** The name of the many2one to the currency that amounts are in; the usual one for what is no amount. */
export const currencyOf = (field: FieldDef): string =>
  (field.kind === 'monetary' ? field.options.currency : undefined) ?? 'currency_id'

/** The field with the model's name beside a many2one_reference. */
export const modelFieldOf = (field: FieldDef | undefined): string | undefined =>
  field?.kind === 'many2one_reference' ? field.options.modelField : undefined

/** What a relation's records are read with. */
export const contextOf = (field: FieldDef): OptionsOf['many2one']['context'] =>
  field.comodel && field.options.context

/** The fixed condition on a relation's records. */
export const domainOf = (field: FieldDef): OptionsOf['many2one']['domain'] =>
  field.comodel && field.options.domain

/** The field at the end of a related or delegated field's path. */
export function endOfPath(field: FieldDef): FieldDef | null {
  let model = field.model
  let found: FieldDef | undefined
  for (const name of field.related ?? []) {
    found = model.fields.get(name)
    if (found?.comodel) model = found.comodel
  }
  if (found?.related) return endOfPath(found)
  return found ?? null
}

/** Whether orders, groups and, where there is no search rule, domains may name a field that has an SQL form. */
export function isAskable(field: FieldDef): boolean {
  const source = field.related && !field.stored ? endOfPath(field) : field
  return source?.compute?.options.searchable !== false
}

/** Whether a binary field holds images alone. */
export const isImageField = (field: FieldDef): boolean =>
  field.kind === 'binary' && field.options.image === true

/** The largest width that a field's images are kept in, in pixels. */
export const maxWidthOf = (field: FieldDef): number | undefined =>
  field.kind === 'binary' ? field.options.maxWidth : undefined

/** Of a properties field: the many2one to the record with its definitions, and their field there. */
export function definitionPath(field: FieldDef): readonly [via: string, name: string] {
  const [via = '', name = ''] =
    (field.kind === 'properties' ? field.options.definition : undefined)?.split('.') ?? []
  return [via, name]
}
