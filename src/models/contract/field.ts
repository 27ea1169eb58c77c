// Field declarations: the field types with their options, and a builder for each. A field here is plain
// data with a type; the implementations of field types are in `models/kinds`.

import type { FieldOptions, NamedModels } from './field-options.ts'

const common = [
  'label',
  'help',
  'required',
  'readonly',
  'computed',
  'stored',
  'asStored',
  'precompute',
  'related',
  'default',
  'index',
  'copy',
  'groups',
  'companyDependent',
  'aggregator',
  'hidden',
  'mustSend',
  'setting',
  'commercial',
] as const
const texts = [...common, 'translate', 'size', 'trim'] as const

/**
 * The field types and the options of each, including those that its builder takes as separate arguments.
 * The builders' types derive from it. Composition checks modules against it that were not type-checked.
 */
export const optionNames = {
  char: texts,
  text: texts,
  html: [...texts, 'sanitize'],
  integer: common,
  float: [...common, 'digits', 'precision'],
  monetary: [...common, 'currency'],
  boolean: common,
  date: common,
  datetime: common,
  time: common,
  binary: [...common, 'attachment', 'image', 'maxWidth'],
  json: common,
  selection: [...common, 'selection'],
  reference: [...common, 'selection'],
  many2one: [...common, 'ondelete', 'domain', 'context', 'checkCompany'],
  many2one_reference: [...common, 'modelField'],
  one2many: [...common, 'domain', 'context', 'inverse'],
  many2many: [...common, 'domain', 'context', 'relation', 'checkCompany', 'outlives', 'asLines'],
  properties: [...common, 'definition'],
  properties_definition: common,
} as const satisfies Readonly<Record<string, readonly (keyof FieldOptions)[]>>

/** The name of a field type, such as `char` or `many2one`. */
export type FieldKind = keyof typeof optionNames

/** Options by field type, as types. */
export type OptionsOf = {
  readonly [K in FieldKind]: Pick<FieldOptions, (typeof optionNames)[K][number]>
}

/** A declared field: its type, its options, and (in types only) its value, target model and domain. */
export interface Field<
  V = unknown,
  Kind extends FieldKind = FieldKind,
  Target extends string = string,
  Domain = unknown,
> {
  readonly kind: Kind
  readonly target?: Target
  readonly options: FieldOptions
  readonly __value?: V
  readonly __domain?: Domain
}

/** Marks a many2one that is always set; see `ValueOf`. */
export type Always = 'always'
type Maybe<R, V> = [R] extends [true] ? V : V | null
type Link<R> = [R] extends [true] ? Always : 'maybe'
/**
 * Options as a builder takes them. An object literal with an unknown option does not compile, because no
 * option name is inferred.
 */
type Taken<K extends FieldKind, R, Own extends keyof FieldOptions = never> = Omit<
  OptionsOf[K],
  'required' | Own
> & { readonly required?: R }
/** Options of a relation: the domain is kept in the type, for `implement` to follow its paths. */
type Related<K extends FieldKind, R, D, Own extends keyof FieldOptions = never> = Taken<
  K,
  R,
  Own | 'domain'
> & { readonly domain?: D }
type Condition = readonly unknown[]

/** Declares a field whose value is a text in code, null if unset unless it is required. */
type Textual<K extends FieldKind> = <const R extends boolean = false>(
  options?: Taken<K, R>,
) => Field<Maybe<R, string>, K, never>

/** Text on one line; unset as null (on the wire: false). */
export const char: Textual<'char'> = (options) => field('char', options)
/** Text of several lines; unset as null (on the wire: false). */
export const text: Textual<'text'> = (options) => field('text', options)
/** Markup, sanitized on input unless `sanitize` is false; unset as null. */
export const html: Textual<'html'> = (options) => field('html', options)
/** A whole number of 32 bits; unset as 0. */
export const integer = (options?: OptionsOf['integer']): Field<number, 'integer', never> =>
  field('integer', options)
/** A number, rounded half up to the scale of `digits` or of a named `precision`; unset as 0. */
export const float = (options?: OptionsOf['float']): Field<number, 'float', never> => field('float', options)
/** An amount, rounded to the currency in `currency` (default `currency_id`); unset as 0. */
export const monetary = (options?: OptionsOf['monetary']): Field<number, 'monetary', never> =>
  field('monetary', options)
/** True or false, never unset. */
export const boolean = (options?: OptionsOf['boolean']): Field<boolean, 'boolean', never> =>
  field('boolean', options)
/** A day, `YYYY-MM-DD`; unset as null. */
export const date: Textual<'date'> = (options) => field('date', options)
/** A moment in UTC, `YYYY-MM-DD HH:MM:SS`; unset as null. */
export const datetime: Textual<'datetime'> = (options) => field('datetime', options)
/** A time of day without a time zone, `HH:MM:SS`; unset as null. */
export const time: Textual<'time'> = (options) => field('time', options)
/** Bytes, as base64 text on the wire. Stored in an attachment unless `attachment` is false. */
export const binary: Textual<'binary'> = (options) => field('binary', options)
/** Any JSON value; unset as null. */
export const json = <V = unknown>(options?: OptionsOf['json']): Field<V | null, 'json', never> =>
  field('json', options)
/**
 * One of the keys of `values`, whose labels are for users; unset as null. A function gets the models of
 * the database and returns keys and labels.
 */
export const selection = <const S extends Readonly<Record<string, string>>, const R extends boolean = false>(
  values: S | ((models: NamedModels) => S),
  options?: Taken<'selection', R, 'selection'>,
): Field<Maybe<R, keyof S & string>, 'selection', never> =>
  field('selection', { ...options, selection: values })
/** A record of any of the models, as `model,id`; unset as null. */
export const reference = <const S extends Readonly<Record<string, string>>, const R extends boolean = false>(
  models: S | (() => S),
  options?: Taken<'reference', R, 'selection'>,
): Field<Maybe<R, string>, 'reference', never> => field('reference', { ...options, selection: models })
/**
 * A reference to one record of the model `target`: a record in code, `[id, display name]` on the wire;
 * unset as null. `ondelete` says what happens when the target is deleted.
 */
export const many2one = <
  const N extends string,
  const R extends boolean = false,
  const D extends Condition = never,
>(
  target: N,
  options?: Related<'many2one', R, D>,
): Field<Link<R>, 'many2one', N, D> => field('many2one', options, target)
/** The id of a record whose model is in the field `modelField`; unset as 0. */
export const many2oneReference = (
  options: OptionsOf['many2one_reference'],
): Field<number, 'many2one_reference', never> => field('many2one_reference', options)
/** The records of the model `target` whose many2one `inverse` refers to this record. It has no column. */
export const one2many = <const N extends string, const D extends Condition = never>(
  target: N,
  inverse: string,
  options?: Related<'one2many', boolean, D, 'inverse'>,
): Field<unknown, 'one2many', N, D> => field('one2many', { ...options, inverse }, target)
/** A list of records of the model `target`, linked by a table. `relation` names the table and its columns. */
export const many2many = <const N extends string, const D extends Condition = never>(
  target: N,
  options?: Related<'many2many', boolean, D>,
): Field<unknown, 'many2many', N, D> => field('many2many', options, target)
/** Free-form values. Another record has their definitions: `definition` is `many2one.field`. */
export const properties = (
  options: OptionsOf['properties'] & { readonly definition: string },
): Field<unknown, 'properties', never> => field('properties', options)
/** Definitions for `properties` fields of other records: a list of objects with a name and a type. */
export const propertiesDefinition = (
  options?: OptionsOf['properties_definition'],
): Field<unknown, 'properties_definition', never> => field('properties_definition', options)

function field<V, K extends FieldKind, T extends string, D>(
  kind: K,
  options: FieldOptions = {},
  target?: T,
): Field<V, K, T, D> {
  return Object.freeze({
    kind,
    options: Object.freeze({ ...options }),
    ...(target === undefined ? {} : { target }),
  })
}

/** Declared fields by name. */
export type Fields = Readonly<Record<string, Field<unknown, FieldKind, string>>>
