// A module's declaration: name, dependencies, models, data, translations.

import type { Delegates, ModelName } from '../contract/names.ts'
import type { Behaviour } from './behaviour.ts'
import type { Ids } from './definitions.ts'
import type { Environment } from './environment.ts'
import type { Command, FieldKey, Rec, Recordset } from './records.ts'

/** A placeholder for the id of a record known by its external id. */
export class Ref {
  readonly xmlid: string
  constructor(xmlid: string) {
    this.xmlid = xmlid
  }
}

/** A field's value in data: ids may be references to records that are loaded earlier. */
type DataValue<V> =
  V extends Recordset<ModelName>
    ? readonly (Command | number | Ref)[]
    : V extends { readonly id: number }
      ? number | Ref
      : V extends number
        ? V | Ref
        : V

type FieldsIn<N extends ModelName> = {
  readonly [K in FieldKey<Rec<N>>]?: DataValue<Rec<N>[K]> | null | false
}
type DelegateOf<N extends ModelName> = N extends keyof Delegates ? Delegates[N] & ModelName : never
/** Values of a record in a module's data. Values of a delegate's fields are passed on to the delegate. */
export type DataVals<N extends ModelName> = FieldsIn<N> &
  ([DelegateOf<N>] extends [never] ? unknown : Omit<FieldsIn<DelegateOf<N>>, FieldKey<Rec<N>>>)

/** Records of one model in a module's data, by external id without the module's name. */
export interface DataSetOf<N extends ModelName> {
  readonly model: N
  /** True: written at installation only, never by an upgrade. */
  readonly noupdate?: boolean
  /** External id → values. `ref('base.us')` is the id of a record that is loaded earlier. */
  readonly records: Readonly<Record<string, DataVals<N>>>
}

/** Records of any model in a module's data. The values are typed by the model that `model` names. */
export type DataSet = { readonly [N in ModelName]: DataSetOf<N> }[ModelName]

/** Translations of one field's texts that differ from those in `texts`. */
export interface FieldTerms {
  readonly label?: string
  readonly help?: string
  /** Option → label. */
  readonly options?: Readonly<Record<string, string>>
}

/** A module's translations into one language. Each part may be left out. */
export interface Terms {
  /** English text → translation: labels, helps, options, names of models and of data records. */
  readonly texts?: Readonly<Record<string, string>>
  /** Model → its name; takes precedence over `texts`. */
  readonly models?: Readonly<Record<string, string>>
  /** `model.field` → its texts; takes precedence over `texts`. */
  readonly fields?: Readonly<Record<string, FieldTerms>>
  /** Model → external id → field → text; takes precedence over `texts`. */
  readonly records?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
  /** Messages to callers: English → translation. `{words}` in braces are placeholders of values. */
  readonly messages?: Readonly<Record<string, string>>
}

/** Returns the translations into a language such as `fr_CA`, or null if there are none. */
export type TermSource = (lang: string) => Terms | null

/** A change of existing data by an upgrade, in batches, while users and older builds work on. */
export interface Migration {
  /** Its name, unique within the module. A migration that is done does not run again. */
  readonly name: string
  /** The model whose records are migrated, in the order of their ids. */
  readonly model: string
  /**
   * Changes those of these records that need it, in one transaction with a fixed number of statements.
   * Must be idempotent: it runs again after a crash, and at the end of a rolling upgrade for records
   * that older builds wrote meanwhile.
   */
  readonly run: (env: Environment, ids: Ids) => Promise<void>
}

/** A module: models, data and rights that are installed together. `defineModule` creates it. */
export interface Module {
  readonly name: string
  readonly version: string
  readonly summary: string
  /** Its title for users; derived from the name if absent. */
  readonly title?: string
  readonly author?: string
  /** External id of its category. */
  readonly category?: string
  /** Listed first: an application that users choose for itself. */
  readonly application?: boolean
  readonly depends: readonly string[]
  /** Its contracts and implementations, contracts before their extensions. */
  readonly models: readonly Behaviour[]
  /** Data in the order of loading. A function is called when the module is installed or upgraded. */
  readonly data?: readonly (DataSet | ((env: Environment) => DataSet | Promise<DataSet>))[]
  /**
   * Runs after the data at installation and at every upgrade, for records that depend on the database's
   * contents. Must be idempotent.
   */
  readonly ready?: (env: Environment) => Promise<void>
  /** Migrations of existing records by upgrades, each done once. */
  readonly migrations?: readonly Migration[]
  /** Its translations: `termsIn(new URL('./i18n/', import.meta.url))`. */
  readonly terms?: TermSource
  /**
   * Sample records, for databases created with `--demo`. A function may also do what data sets cannot
   * express, such as confirming orders, and return null.
   */
  readonly demo?: readonly (DataSet | ((env: Environment) => DataSet | null | Promise<DataSet | null>))[]
  /**
   * Keeps a copy of a database from calling or being called by other systems: switches off connections,
   * removes credentials. Runs in the order of dependencies, as superuser, in one transaction. Must be
   * idempotent.
   */
  readonly neutralize?: (env: Environment) => Promise<void>
}
