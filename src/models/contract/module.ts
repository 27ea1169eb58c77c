// Module declarations: a name, what it needs, its models, its data.
import type { Environment } from '../environment.ts'
import type { TermSource } from '../terms/files.ts'
import type { Behaviour } from './behaviour.ts'

/** Records of one model that a module brings, by external id without the module's name. */
export interface DataSet {
  readonly model: string
  /** Written at installation only, never again by an upgrade. */
  readonly noupdate?: boolean
  /** External id → values; `ref('base.us')` stands for a record brought earlier. */
  readonly records: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** A placeholder for the id of a record known by its external id. */
export class Ref {
  readonly xmlid: string
  constructor(xmlid: string) {
    this.xmlid = xmlid
  }
}

/** The id of the record behind an external id such as `base.us`, looked up when the data is loaded. */
export const ref = (xmlid: string): Ref => new Ref(xmlid)

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
   * Run after the data at installation and at every upgrade, for what data sets cannot say: records that depend on what the database
   * holds. It looks first whether it is done.
   */
  readonly ready?: (env: Environment) => Promise<void>
  /** What its texts are in other languages: `termsIn(new URL('./i18n/', import.meta.url))`. */
  readonly terms?: TermSource
  /** Sample records, for databases made with `--demo`. A function that gives null did itself what a data set cannot say, such as confirming orders. */
  readonly demo?: readonly (DataSet | ((env: Environment) => DataSet | null | Promise<DataSet | null>))[]
  /**
   * What keeps a copy of a database from reaching the outside, or being reached: switches off connections, removes credentials. Run in the
   * order of dependencies, beside all rights, in one transaction, more than once too.
   */
  readonly neutralize?: (env: Environment) => Promise<void>
}

/** Declares a module. */
export function defineModule(module: Module): Module {
  return Object.freeze({ ...module })
}
