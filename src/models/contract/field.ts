// Field declarations: one builder per kind. A field here is plain data with a type; behaviour is in
// `models/kinds`.

export type FieldKind =
  | 'char'
  | 'text'
  | 'html'
  | 'integer'
  | 'float'
  | 'monetary'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'time'
  | 'binary'
  | 'selection'
  | 'reference'
  | 'many2one'
  | 'many2one_reference'
  | 'one2many'
  | 'many2many'
  | 'json'
  | 'properties'
  | 'properties_definition'

/**
 * A declared field: its kind, its options, and (in types only) its value, target model and the domain that it
 * was declared with.
 */
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

/** What happens to the holder of a many2one when its target is removed. */
export type OnDelete = 'set null' | 'restrict' | 'cascade'

/** Options of every kind; each builder below narrows them. */
export interface FieldOptions {
  /** Human name; made from the technical one when absent. */
  readonly label?: string
  readonly help?: string
  readonly required?: boolean
  /** Not to be changed by forms; the API may still write it unless it is computed without inverse. */
  readonly readonly?: boolean
  /** The behaviour computes it (`computed` of `implement`). */
  readonly computed?: boolean
  /** Kept in the table. True unless computed or related. */
  readonly stored?: boolean
  /**
   * With `stored`: computed before the row is inserted, so that a required column can be filled and the row
   * is written once. Its function may ask for other records; of its own it knows the paths it depends on, and
   * it rounds amounts itself.
   */
  readonly precompute?: boolean
  /** A path through many2ones, such as `partner_id.name`. */
  readonly related?: string
  /**
   * A value for records created without one. What follows from the environment stands in the behaviour's
   * `defaults`.
   */
  readonly default?:
    | string
    | number
    | boolean
    | null
    | readonly unknown[]
    | { readonly [key: string]: unknown }
  /** `set`: an index of those records that have a value, where few have one and nobody asks for the others. */
  readonly index?: true | 'set' | 'trigram' | 'unique'
  /**
   * Copied by `copy`. True unless computed, related, or a one2many; the lines of a one2many are copied with
   * it when it says so.
   */
  readonly copy?: boolean
  /** External ids of groups that may see the field, separated by commas. */
  readonly groups?: string
  readonly translate?: boolean
  /** Cut to this many characters. */
  readonly size?: number
  /**
   * Precision and scale; 0 keeps every decimal, as exactly as PostgreSQL's `numeric` does. Prices of one unit
   * say false: they keep every decimal of a binary number, and clients are told that nothing cuts them.
   */
  readonly digits?: readonly [number, number] | 0 | false
  /** A usage of `decimal.precision` in place of `digits`; 2 decimals where the database says nothing. */
  readonly precision?: string
  /** Name of the many2one to the currency of a monetary amount. */
  readonly currency?: string
  /** Keys and labels; a function is given the models of the database, and asked anew each time. */
  readonly selection?: Choices | ((models: NamedModels) => Choices)
  readonly ondelete?: OnDelete
  readonly inverse?: string
  readonly relation?: { readonly table: string; readonly column: string; readonly other: string }
  /** A fixed condition on the records of a relation. */
  readonly domain?: readonly unknown[]
  readonly context?: Readonly<Record<string, unknown>>
  /** Field with the model's name beside a many2one_reference. */
  readonly modelField?: string
  /** Kept as an attachment and not in the table. */
  readonly attachment?: boolean
  /** Refuses what is no image; `maxWidth` and `maxHeight` in pixels. */
  readonly image?: boolean
  readonly maxWidth?: number
  readonly sanitize?: boolean
  readonly aggregator?: string | null
  readonly companyDependent?: boolean
  /** Of a many2one or many2many: what it refers to fits the record's company (write/company-check.ts). */
  readonly checkCompany?: boolean
  /**
   * Of a many2many: what was computed from the links outlives linked records that are removed, as documents
   * outlive taxes.
   */
  readonly outlives?: boolean
  readonly trim?: boolean
  /** Field with the definitions of a properties field, as `many2one.field`. */
  readonly definition?: string
  /** Never read, searched, ordered or grouped by anyone but the engine. */
  readonly hidden?: boolean
  /**
   * Whether who creates a record has to send it, where `required` and the default do not tell: a rule asks
   * for it, or `create` finds a value.
   */
  readonly mustSend?: boolean
  /** On contacts: a company shares it with its people (spec/models-api.md section 6). */
  readonly commercial?: boolean
  /** On `res.config.settings` alone: what the switch stands for. */
  readonly setting?: Setting
}

type Choices = Readonly<Record<string, string>>
type NamedModels = Iterable<{ readonly name: string; readonly label: string }>

/**
 * What a field of the settings keeps its value in: a group that every internal user has while it is on, a
 * parameter, or the default of another model's field.
 */
export type Setting =
  | { readonly group: string }
  | { readonly parameter: string }
  | { readonly defaultOf: string; readonly field?: string }

type Common = Pick<
  FieldOptions,
  | 'label'
  | 'help'
  | 'required'
  | 'readonly'
  | 'computed'
  | 'stored'
  | 'precompute'
  | 'related'
  | 'default'
  | 'index'
  | 'copy'
  | 'groups'
  | 'companyDependent'
  | 'aggregator'
  | 'hidden'
  | 'mustSend'
  | 'setting'
  | 'commercial'
>
type Text = Common & Pick<FieldOptions, 'translate' | 'size' | 'trim'>
type Option<K extends keyof FieldOptions> = Common & Pick<FieldOptions, K>

/** Options by kind: those that each builder below takes, and what it makes of its own arguments. */
export interface OptionsOf {
  readonly char: Text
  readonly text: Text
  readonly html: Text & Option<'sanitize'>
  readonly integer: Common
  readonly float: Option<'digits' | 'precision'>
  readonly monetary: Option<'currency'>
  readonly boolean: Common
  readonly date: Common
  readonly datetime: Common
  readonly time: Common
  readonly binary: Option<'attachment' | 'image' | 'maxWidth'>
  readonly json: Common
  readonly selection: Option<'selection'>
  readonly reference: Option<'selection'>
  readonly many2one: Option<'ondelete' | 'domain' | 'context' | 'checkCompany'>
  readonly many2one_reference: Option<'modelField'>
  readonly one2many: Option<'domain' | 'context' | 'inverse'>
  readonly many2many: Option<'domain' | 'context' | 'relation' | 'checkCompany' | 'outlives'>
  readonly properties: Option<'definition'>
  readonly properties_definition: Common
}
type Maybe<O, V> = O extends { readonly required: true } ? V : V | null
/** The domain that a relation was declared with, never where there is none. */
type DomainIn<O> = O extends { readonly domain: infer D } ? D : never
/** Marks a many2one that is always set; see `ValueOf`. */
export type Always = 'always'
type Link<O> = O extends { readonly required: true } ? Always : 'maybe'

/** Reads as a string, unset as null (on the wire: false). */
export const char = <const O extends Text = object>(options?: O): Field<Maybe<O, string>, 'char', never> =>
  field('char', options)
export const text = <const O extends Text = object>(options?: O): Field<Maybe<O, string>, 'text', never> =>
  field('text', options)
/** Cleaned on the way in unless `sanitize` is false. */
export const html = <const O extends OptionsOf['html'] = object>(
  options?: O,
): Field<Maybe<O, string>, 'html', never> => field('html', options)
/** 32 bits; unset reads as 0. */
export const integer = <const O extends Common = object>(options?: O): Field<number, 'integer', never> =>
  field('integer', options)
/** Rounded half up to the scale of `digits`, or to the decimals of a named `precision`; unset reads as 0. */
export const float = <const O extends OptionsOf['float'] = object>(
  options?: O,
): Field<number, 'float', never> => field('float', options)
/** Rounded to its currency; unset reads as 0. */
export const monetary = <const O extends OptionsOf['monetary'] = object>(
  options?: O,
): Field<number, 'monetary', never> => field('monetary', options)
export const boolean = <const O extends Common = object>(options?: O): Field<boolean, 'boolean', never> =>
  field('boolean', options)
/** `YYYY-MM-DD`. */
export const date = <const O extends Common = object>(options?: O): Field<Maybe<O, string>, 'date', never> =>
  field('date', options)
/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const datetime = <const O extends Common = object>(
  options?: O,
): Field<Maybe<O, string>, 'datetime', never> => field('datetime', options)
/** `HH:MM:SS`, a time of day without a zone. */
export const time = <const O extends Common = object>(options?: O): Field<Maybe<O, string>, 'time', never> =>
  field('time', options)
/** Base64 text on the wire; in an attachment unless `attachment` is false. */
export const binary = <const O extends OptionsOf['binary'] = object>(
  options?: O,
): Field<Maybe<O, string>, 'binary', never> => field('binary', options)
/** A free JSON value. */
export const json = <V = unknown, const O extends Common = object>(
  options?: O,
): Field<V | null, 'json', never> => field('json', options)
/** One of the keys; labels are for people. */
export const selection = <const S extends Readonly<Record<string, string>>, const O extends Common = object>(
  values: S | ((models: NamedModels) => S),
  options?: O,
): Field<Maybe<O, keyof S & string>, 'selection', never> =>
  field('selection', { ...options, selection: values })
/** `model,id` of any of the models. */
export const reference = <const S extends Readonly<Record<string, string>>, const O extends Common = object>(
  models: S | (() => S),
  options?: O,
): Field<Maybe<O, string>, 'reference', never> => field('reference', { ...options, selection: models })
export const many2one = <const N extends string, const O extends OptionsOf['many2one'] = object>(
  target: N,
  options?: O,
): Field<Link<O>, 'many2one', N, DomainIn<O>> => field('many2one', options, target)
/** The id of a record whose model stands in `modelField`; unset reads as 0. */
export const many2oneReference = <const O extends OptionsOf['many2one_reference']>(
  options: O,
): Field<number, 'many2one_reference', never> => field('many2one_reference', options)
export const one2many = <
  const N extends string,
  const O extends Common & Pick<FieldOptions, 'domain' | 'context'> = object,
>(
  target: N,
  inverse: string,
  options?: O,
): Field<unknown, 'one2many', N, DomainIn<O>> => field('one2many', { ...options, inverse }, target)
export const many2many = <const N extends string, const O extends OptionsOf['many2many'] = object>(
  target: N,
  options?: O,
): Field<unknown, 'many2many', N, DomainIn<O>> => field('many2many', options, target)
/** Free-form values by the definitions at `definition`; comes alive with the issue on properties. */
export const properties = <const O extends Common & { readonly definition: string }>(
  options: O,
): Field<unknown, 'properties', never> => field('properties', options)
export const propertiesDefinition = <const O extends Common = object>(
  options?: O,
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

export type Fields = Readonly<Record<string, Field<unknown, FieldKind, string>>>
