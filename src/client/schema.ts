// Building blocks of the types of models: fields by kind, methods by parameters and result. Types only.
// `comptoir types` writes them for a database; the records that modules declare with `comptoir/models` have
// the same form.
import type { FieldKind } from '../models/contract/field.ts'

/**
 * Kinds of fields as the wire names them; `id` is the record's own, `string` some text whose kind is not
 * known, `any` anything.
 */
export type Kind = FieldKind | 'id' | 'string' | 'any'

/** JSON types of the values of simple kinds, apart from unset: read, written and compared. */
export interface Scalars {
  readonly id: number
  readonly char: string
  readonly text: string
  readonly html: string
  readonly string: string
  readonly integer: number
  readonly float: number
  readonly monetary: number
  readonly boolean: boolean
  readonly date: string
  readonly datetime: string
  readonly time: string
  readonly reference: string
  readonly many2one_reference: number
}

/**
 * A field. `Of`: the keys of a selection, the model of a relation. `Always`: true where it is never unset.
 * `Needed`: true where no record can be created without it.
 */
export interface Field<
  K extends Kind = Kind,
  Of = unknown,
  Always extends boolean = boolean,
  Needed extends boolean = boolean,
> {
  readonly kind: K
  readonly of: Of
  readonly always: Always
  readonly needed: Needed
}

/** A method: parameters by name, and the result as it comes over the wire. */
export interface Method<Params = unknown, Result = unknown> {
  readonly params: Params
  readonly result: Result
}

/** A model: its fields and its methods by name. */
export interface Model<Fields = unknown, Methods = unknown> {
  readonly fieldTypes: Fields
  readonly methodTypes: Methods
}

/** The fields of a model without types: any name, any value. */
export interface AnyFields {
  readonly [name: string]: Field<'any', unknown, true>
}

type IsAny<M> = 0 extends 1 & M ? true : false

/** Names of the models; any text where none are typed. */
export type ModelName<M> = [keyof M] extends [never] ? string : keyof M & string

/** The fields of a model by name. */
export type FieldsOf<M, N> =
  IsAny<M> extends true
    ? AnyFields
    : N extends keyof M
      ? M[N] extends Model<infer F>
        ? F
        : RecordFields<M[N]>
      : AnyFields

/** The fields of the model that a relation leads to: by its name, or by the record that a module declared. */
export type Target<M, Of> = Of extends keyof M
  ? FieldsOf<M, Of>
  : Of extends { readonly record: infer R }
    ? RecordFields<R>
    : AnyFields

/** Names of a model's fields. */
export type FieldName<M, N> = keyof FieldsOf<M, N> & string

/** Fields that every model has. */
interface BaseFields {
  readonly id: Field<'id', unknown, true>
  readonly display_name: Field<'char', unknown, true>
  readonly create_date: Field<'datetime', unknown, false>
  readonly write_date: Field<'datetime', unknown, false>
  readonly create_uid: Field<'many2one', 'res.users', false>
  readonly write_uid: Field<'many2one', 'res.users', false>
}

type DataKey<R> = { [K in keyof R]: R[K] extends (...args: never) => unknown ? never : K }[keyof R]

/** The fields of a record that modules declare. */
export type RecordFields<R> = BaseFields & {
  readonly [K in Exclude<DataKey<R>, keyof BaseFields>]: FieldOfValue<R[K], null extends R[K] ? false : true>
}

/**
 * The field that has a value, as code sees it: null where unset, a record for a many2one, a recordset for
 * lines.
 */
type FieldOfValue<V, Always extends boolean> = unknown extends V
  ? Field<'any', unknown, true>
  : [V] extends [null]
    ? Field<'many2one', unknown, false>
    : [NonNullable<V>] extends [boolean]
      ? Field<'boolean', unknown, true>
      : [NonNullable<V>] extends [number]
        ? Field<'float', unknown, true>
        : [NonNullable<V>] extends [string]
          ? string extends NonNullable<V>
            ? Field<'string', unknown, Always>
            : Field<'selection', NonNullable<V>, Always>
          : [NonNullable<V>] extends [{ readonly ids: readonly number[]; readonly name: infer T }]
            ? Field<'many2many', T, true>
            : [NonNullable<V>] extends [{ readonly id: number; readonly display_name: string }]
              ? Field<'many2one', { readonly record: NonNullable<V> }, Always>
              : Field<'json', unknown, Always>
