// Options of fields: what each says. `field.ts` says which of them each field type takes.

/** The fate of a record whose many2one leads to a record that is removed. */
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
   * Whether `fields_get` says that it is stored, where the recorded system keeps a value that
   * follows from others here when it is read, or the other way round (decision 0117).
   */
  readonly asStored?: boolean
  /**
   * With `stored`: computed before the row is inserted, so that a required column can be filled and the row
   * is written once. Its function may ask for other records; of its own it knows the paths it depends on, and
   * it rounds amounts itself.
   */
  readonly precompute?: boolean
  /** A path through many2ones, such as `partner_id.name`. */
  readonly related?: string
  /**
   * A value for records created without one. Values that follow from the environment stand in the behaviour's
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
  /** Of a computed many2many: `fields_get` says that it is a one2many (decision 0117). */
  readonly asLines?: boolean
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
export type NamedModels = Iterable<{ readonly name: string; readonly label: string }>

/**
 * The place where a field of the settings keeps its value: a group that every internal user has while it is
 * on, a parameter, or the default of another model's field.
 */
export type Setting =
  | { readonly group: string }
  | { readonly parameter: string }
  | { readonly defaultOf: string; readonly field?: string }
