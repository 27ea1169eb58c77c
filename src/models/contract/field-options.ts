// The meaning of each option of fields. `field.ts` lists the options of each field type.

/** The effect on a record when the target of its many2one is deleted. */
export type OnDelete = 'set null' | 'restrict' | 'cascade'

/** Options that all field types take. */
export interface CommonOptions {
  /** Name for users; derived from the technical name if absent. */
  readonly label?: string
  readonly help?: string
  readonly required?: boolean
  /** Forms do not change it. The API may still write it unless it is computed without inverse. */
  readonly readonly?: boolean
  /** The implementation computes it (`computed` of `implement`). */
  readonly computed?: boolean
  /** Stored in the table. True unless computed or related. */
  readonly stored?: boolean
  /**
   * Whether `fields_get` reports it as stored, where the recorded system differs: it stores a value that
   * is computed on reading here, or the other way round (decision 0116).
   */
  readonly asStored?: boolean
  /**
   * With `stored`: computed before the row is inserted, so that a required column has a value and the
   * row is written once. Its function may query other records. Of its own record it gets the paths it
   * depends on, and it rounds amounts itself.
   */
  readonly precompute?: boolean
  /** A path through many2ones, such as `partner_id.name`. */
  readonly related?: string
  /**
   * A value for records created without one. Defaults that depend on the environment belong in
   * `defaults` of `implement`.
   */
  readonly default?:
    | string
    | number
    | boolean
    | null
    | readonly unknown[]
    | { readonly [key: string]: unknown }
  /** `set`: a partial index of records with a value, if few have one and no query looks for the others. */
  readonly index?: true | 'set' | 'trigram' | 'unique'
  /**
   * Copied by `copy`. True unless computed, related, or a one2many. A one2many with `copy` has its
   * records copied.
   */
  readonly copy?: boolean
  /** External ids of groups that may see the field, separated by commas. */
  readonly groups?: string
  readonly aggregator?: string | null
  readonly companyDependent?: boolean
  /** Only the engine may read, search, order or group by it. */
  readonly hidden?: boolean
  /**
   * Whether a client that creates a record must send it, if that does not follow from `required` and the
   * default: a rule requires it, or `create` derives a value.
   */
  readonly mustSend?: boolean
  /** On contacts: a company shares its value with its contacts (spec/models-api.md section 6). */
  readonly commercial?: boolean
  /** On `res.config.settings` only: the stored setting that the field shows. */
  readonly setting?: Setting
}

export interface TextOptions {
  readonly translate?: boolean
  /** Truncated to this many characters. */
  readonly size?: number
  readonly trim?: boolean
  readonly sanitize?: boolean
}

export interface NumberOptions {
  /**
   * Precision and scale; 0 keeps every decimal, as exactly as PostgreSQL's `numeric`. Unit prices have
   * false: they keep every decimal of a binary number, and `fields_get` reports no digits.
   */
  readonly digits?: readonly [number, number] | 0 | false
  /** A usage of `decimal.precision` instead of `digits`; 2 decimals if the database has no such usage. */
  readonly precision?: string
  /** Name of the many2one to the currency of a monetary amount. */
  readonly currency?: string
}

export interface FileOptions {
  /** Stored as an attachment instead of in the table. */
  readonly attachment?: boolean
  /** Refuses values that are not images. `maxWidth` and `maxHeight` are in pixels. */
  readonly image?: boolean
  readonly maxWidth?: number
}

export interface ChoiceOptions {
  /** Keys and labels. A function gets the models of the database and is called on each use. */
  readonly selection?: Choices | ((models: NamedModels) => Choices)
  /** The field with the definitions of a properties field, as `many2one.field`. */
  readonly definition?: string
}

export interface RelationOptions {
  readonly ondelete?: OnDelete
  readonly inverse?: string
  readonly relation?: { readonly table: string; readonly column: string; readonly other: string }
  /** A fixed domain on the records of a relation. */
  readonly domain?: readonly unknown[]
  readonly context?: Readonly<Record<string, unknown>>
  /** The field that contains the model's name for a many2one_reference. */
  readonly modelField?: string
  /**
   * For a many2one or many2many: whether the target must fit the record's company. By default, targets of
   * set-up that always are of a company must, and those of values by company (write/checks.ts).
   */
  readonly checkCompany?: boolean
  /** For a computed many2many: `fields_get` reports it as a one2many (decision 0116). */
  readonly asLines?: boolean
  /**
   * For a many2many: values computed from the links are kept when linked records are deleted, as
   * documents keep amounts of deleted taxes.
   */
  readonly outlives?: boolean
}

/** Options of fields. Each field type takes the common ones and some others (`optionNames` in `field.ts`). */
export type FieldOptions = CommonOptions &
  TextOptions &
  NumberOptions &
  FileOptions &
  ChoiceOptions &
  RelationOptions

type Choices = Readonly<Record<string, string>>
export type NamedModels = Iterable<{ readonly name: string; readonly label: string }>

/**
 * Where a field of the settings stores its value: as a group that every internal user gets while it is
 * on, a parameter, or the default of another model's field.
 */
export type Setting =
  | { readonly group: string }
  | { readonly parameter: string }
  | { readonly defaultOf: string; readonly field?: string }
