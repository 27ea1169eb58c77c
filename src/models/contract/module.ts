// Module declarations: a name, what it needs, its models, its data.
import type { Environment } from '../environment.ts'
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
  readonly depends: readonly string[]
  /** In the order in which they are to be read: contracts before their extensions. */
  readonly models: readonly Behaviour[]
  /** Data in the order of loading; a function is asked when the module is installed. */
  readonly data?: readonly (DataSet | ((env: Environment) => DataSet | Promise<DataSet>))[]
  readonly demo?: readonly (DataSet | ((env: Environment) => DataSet | Promise<DataSet>))[]
}

/** Declares a module. */
export function defineModule(module: Module): Module {
  return Object.freeze({ ...module })
}
