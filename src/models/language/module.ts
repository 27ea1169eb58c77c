// A module as it declares itself: its name, what it needs, its models, its data, its words in other
// languages.
import type { Delegates, ModelName } from '../contract/names.ts'
import type { Behaviour } from './behaviour.ts'
import type { Environment } from './environment.ts'
import type { Command, FieldKey, Rec, Recordset } from './records.ts'

/** A placeholder for the id of a record known by its external id. */
export class Ref {
  readonly xmlid: string
  constructor(xmlid: string) {
    this.xmlid = xmlid
  }
}

/** A value of a field as data gives it: ids may be references to records that are brought earlier. */
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
/** Values of a record that a module brings; those of a delegate's fields are passed on to it. */
export type DataVals<N extends ModelName> = FieldsIn<N> &
  ([DelegateOf<N>] extends [never] ? unknown : Omit<FieldsIn<DelegateOf<N>>, FieldKey<Rec<N>>>)

/** Records of one model that a module brings, by external id without the module's name. */
export interface DataSetOf<N extends ModelName> {
  readonly model: N
  /** Written at installation only, never again by an upgrade. */
  readonly noupdate?: boolean
  /** External id → values; `ref('base.us')` stands for a record brought earlier. */
  readonly records: Readonly<Record<string, DataVals<N>>>
}

/** Records of any model that a module brings: the values are those of the model that it names. */
export type DataSet = { readonly [N in ModelName]: DataSetOf<N> }[ModelName]

/** Texts of one field where its words mean something else than elsewhere. */
export interface FieldTerms {
  readonly label?: string
  readonly help?: string
  /** Option → label. */
  readonly options?: Readonly<Record<string, string>>
}

/** One language's terms. Each part may be left out. */
export interface Terms {
  /**
   * English text → text: labels, helps, options, names of models, names of records that the module brings.
   */
  readonly texts?: Readonly<Record<string, string>>
  /** Model → its name, before `texts`. */
  readonly models?: Readonly<Record<string, string>>
  /** `model.field` → its texts, before `texts`. */
  readonly fields?: Readonly<Record<string, FieldTerms>>
  /** Model → external id → field → text, before `texts`. */
  readonly records?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>
  /**
   * What is said to callers: English → text. `{words}` in braces stand for what differs from case to case.
   */
  readonly messages?: Readonly<Record<string, string>>
}

/** Terms of a language such as `fr_CA`, or null where there are none. */
export type TermSource = (lang: string) => Terms | null

/** Data that an upgrade changes, some records at a time, while people and older builds work on. */
export interface Migration {
  /** Its name within the module: what was done once is not done again. */
  readonly name: string
  /** The model whose records are gone through, in the order of their ids. */
  readonly model: string
  /**
   * Changes those of these records that need it, in a transaction of its own, in a fixed number of
   * statements. It may run again over the same ones: after a process died, and at the end of a roll, for what
   * older builds wrote meanwhile.
   */
  readonly run: (env: Environment, ids: readonly number[]) => Promise<void>
}

export interface Module {
  readonly name: string
  readonly version: string
  readonly summary: string
  /** What people call it; made from the name when absent. */
  readonly title?: string
  readonly author?: string
  /** External id of the category it is listed under. */
  readonly category?: string
  /** Stands at the top of lists: something that is used by itself. */
  readonly application?: boolean
  readonly depends: readonly string[]
  /** In the order in which they are to be read: contracts before their extensions. */
  readonly models: readonly Behaviour[]
  /** Data in the order of loading; a function is asked when the module is installed. */
  readonly data?: readonly (DataSet | ((env: Environment) => DataSet | Promise<DataSet>))[]
  /**
   * Run after the data at installation and at every upgrade, for what data sets cannot say: records that
   * depend on what the database holds. It looks first whether it is done.
   */
  readonly ready?: (env: Environment) => Promise<void>
  /** What an upgrade does to records that are there, once each. */
  readonly migrations?: readonly Migration[]
  /** What its texts are in other languages: `termsIn(new URL('./i18n/', import.meta.url))`. */
  readonly terms?: TermSource
  /**
   * Sample records, for databases made with `--demo`. A function that gives null did itself what a data set
   * cannot say, such as confirming orders.
   */
  readonly demo?: readonly (DataSet | ((env: Environment) => DataSet | null | Promise<DataSet | null>))[]
  /**
   * What keeps a copy of a database from reaching the outside, or being reached: switches off connections,
   * removes credentials. Run in the order of dependencies, beside all rights, in one transaction, more than
   * once too.
   */
  readonly neutralize?: (env: Environment) => Promise<void>
}
