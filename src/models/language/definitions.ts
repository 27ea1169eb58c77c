// Composed, frozen definitions of models, fields and methods, of which a database's registry consists.

import type { Sql } from '../../sql/index.ts'
import type { FieldKind, OptionsOf } from '../contract/field.ts'
import type { ModelOptions, TableRule } from '../contract/model.ts'
import type { Param } from '../contract/param.ts'
import type { Auditing, Authority } from './audited.ts'
import type { Computed, MethodRun, ModelHooks, SearchRule } from './behaviour.ts'
import type { Context, Environment } from './environment.ts'
import type { FieldType } from './field-type.ts'
import type { Module } from './module.ts'
import type { SearchOptions } from './records.ts'
import type { Scope } from './scope.ts'
import type { Tree } from './tree.ts'

/** Properties of definitions of all field types. */
interface Defined<K extends FieldKind> {
  readonly name: string
  readonly model: ModelDef
  readonly kind: K
  /** The field type's implementation. */
  readonly type: FieldType
  readonly options: OptionsOf[K]
  readonly label: string
  /** Module that introduced it; null for the automatic ones. */
  readonly module: string | null
  readonly required: boolean
  readonly readonly: boolean
  /** The model stores the value: in a column, a relation table, an attachment, or the inverse's column. */
  readonly stored: boolean
  /** Has a column in the model's table. */
  readonly column: boolean
  readonly translate: boolean
  readonly copy: boolean
  /** External ids of groups that may see it. Empty: all users. */
  readonly groups: readonly string[]
  /** `['partner_id', 'name']` for a related or delegated field. */
  readonly related: readonly string[] | null
  readonly inherited: boolean
  readonly compute: Computed | null
  /** Translates conditions on the field to conditions on other fields. */
  readonly search: SearchRule | null
  readonly defaultOf: ((env: Environment) => unknown) | null
  /** Log fields and id: set by the server, explicit values are ignored. */
  readonly automatic: boolean
}

/** Properties of relations, absent for other field types. */
interface Apart {
  readonly comodel: undefined
  readonly link: null
  readonly inverse: null
}

interface Valued<K extends FieldKind> extends Defined<K>, Apart {}

/** A field of a type without a definition of its own. */
export type PlainDef = Valued<Exclude<FieldKind, Special>>
/** The field types with a definition of their own, below. */
type Special =
  | 'char'
  | 'text'
  | 'html'
  | 'float'
  | 'monetary'
  | 'binary'
  | 'selection'
  | 'reference'
  | 'properties'
  | 'many2one_reference'
  | 'many2one'
  | 'one2many'
  | 'many2many'
export type TextDef = Valued<'char' | 'text'>
export type HtmlDef = Valued<'html'>
export type FloatDef = Valued<'float'>
export type MonetaryDef = Valued<'monetary'>
export type BinaryDef = Valued<'binary'>
/** One of the options of a selection, or one of the models of a reference. */
export type ChoiceDef = Valued<'selection' | 'reference'>
export type Many2oneReferenceDef = Valued<'many2one_reference'>
export type PropertiesDef = Valued<'properties'>

export interface Many2oneDef extends Defined<'many2one'> {
  /** The target model. */
  readonly comodel: ModelDef
  readonly link: null
  readonly inverse: null
}

export interface One2manyDef extends Defined<'one2many'> {
  readonly comodel: ModelDef
  readonly link: null
  /** The comodel's field that refers back. */
  readonly inverse: string
}

export interface Many2manyDef extends Defined<'many2many'> {
  readonly comodel: ModelDef
  /** Null if nothing is stored. */
  readonly link: LinkTable | null
  readonly inverse: null
}

export type X2manyDef = One2manyDef | Many2manyDef
export type RelationDef = Many2oneDef | X2manyDef

/** A field of a composed model. `kind` and `comodel` narrow the type to its properties and options. */
export type FieldDef =
  | PlainDef
  | TextDef
  | HtmlDef
  | FloatDef
  | MonetaryDef
  | BinaryDef
  | ChoiceDef
  | Many2oneReferenceDef
  | PropertiesDef
  | RelationDef

export interface LinkTable {
  readonly table: string
  readonly column: string
  readonly other: string
}

/** A method of a composed model. */
export interface MethodDef {
  readonly name: string
  readonly doc: string
  readonly level: 'model' | 'records'
  readonly readonly: boolean
  readonly private: boolean
  /** Its result is not stored or logged anywhere. */
  readonly secret: boolean
  /** Its effect cannot be rolled back. */
  readonly lasting: boolean
  /** It answers itself for records that do not exist and for values of a wrong type. */
  readonly checksItself: boolean
  /** Its result contains values of records. */
  readonly tellsValues: boolean
  /** It returns records in pages. */
  readonly pages: boolean
  /** The extension of the documented API that it belongs to. */
  readonly extension: 'upsert' | null
  /** The parameter that makes the method skip invalid entries and list them; null if it has none. */
  readonly lenient: string | null
  readonly params: Readonly<Record<string, Param>>
  readonly returns: Param | null
  /** The module that declared it; `core` for those of every model. */
  readonly module: string
  /** The model that declared it. */
  readonly origin: string
  /** A module wrapped it: more code runs than the declared method. */
  readonly wrapped: boolean
  /** The composed chain: the last module's wrap is the outermost. */
  readonly run: MethodRun
}

/** A composed model. */
export interface ModelDef {
  readonly name: string
  readonly label: string
  readonly kind: 'model' | 'abstract' | 'transient'
  readonly module: string
  readonly options: ModelOptions
  readonly table: string
  readonly hasTable: boolean
  /** Has records that can be searched and read: those of its table, or of its query. */
  readonly hasRows: boolean
  /** In order of declaration: id first, log fields last. */
  readonly fields: ReadonlyMap<string, FieldDef>
  readonly methods: ReadonlyMap<string, MethodDef>
  readonly order: string
  readonly recName: string | null
  readonly displayName: FieldDef
  readonly active: FieldDef | null
  readonly parent: string | null
  readonly parentStore: boolean
  /** `onchange` may save a form and roll that back. */
  readonly formsBySaving: boolean
  /** Delegation: model name → the many2one to it. */
  readonly inherits: ReadonlyMap<string, string>
  readonly logAccess: boolean
  /** The fields that users may write, by state; null: all that their rights allow. */
  readonly authority: Authority | null
  /** Changes of its records that go to the audit log; null: none. */
  readonly auditing: Auditing | null
  readonly rules: ReadonlyMap<string, TableRule>
  readonly hooks: ModelHooks
  /** The class of its recordsets, with its methods on the prototype; created with the first of them. */
  recordset(): RecordsetClass
}

/** Ids of records of one model. */
export type Ids = readonly number[]

/** Values by the names of fields, of parameters or of a context's keys. */
export type LooseVals = Readonly<Record<string, unknown>>

export type RecordsetClass = new (env: Environment, def: ModelDef, ids: Ids) => LooseRecords

/** A recordset as the engine handles it; for module authors: `Records<N>` (records.ts). */
export interface LooseRecords extends Iterable<LooseRecords> {
  readonly env: Environment
  readonly def: ModelDef
  readonly ids: Ids
  readonly length: number
  readonly name: string
  browse(ids: Ids): LooseRecords
  load(paths: readonly string[]): Promise<Record<string, unknown>[]>
  one(paths: readonly string[]): Promise<Record<string, unknown>>
  search(domain: readonly unknown[], options?: SearchOptions): Promise<LooseRecords>
  searchCount(domain: readonly unknown[], limit?: number | null): Promise<number>
  create(vals: readonly Record<string, unknown>[]): Promise<LooseRecords>
  write(vals: Record<string, unknown>): Promise<void>
  writeEach(values: ReadonlyMap<number, Record<string, unknown>>): Promise<void>
  unlink(): Promise<void>
  copy(overrides?: Record<string, unknown> | null): Promise<LooseRecords>
  filtered(domain: readonly unknown[]): Promise<LooseRecords>
  exists(): Promise<LooseRecords>
  read(fields?: readonly string[] | null, load?: string | null): Promise<Record<string, unknown>[]>
  union(other: LooseRecords): LooseRecords
  sudo(): LooseRecords
  withContext(context: Context): LooseRecords
  emit(event: string): void
  ensureOne(): number
  invoke(method: string, params: Record<string, unknown>): Promise<unknown>
}

/** A stored computed field that depends on a field of the model at the end of `path`. */
export interface Trigger {
  readonly field: FieldDef
  /** Many2ones and x2manys from `field.model` to the changed model; empty when it is the same record. */
  readonly path: readonly FieldDef[]
}

/** Functions of higher layers, which lower layers cannot import. The registry supplies them. */
export interface Engine {
  /** Computes pending values of the fields that `only` accepts: all, or those of the returned ids. */
  flush(env: Environment, only?: (field: FieldDef) => boolean | ReadonlySet<number>): Promise<void>
  /** Values of a computed field by record id. */
  compute(env: Environment, field: FieldDef, ids: Ids): Promise<Map<number, unknown>>
  /** Compiles a domain to a condition over a row, never NULL. */
  condition(scope: Scope, tree: Tree): Sql
  /** Writes values that differ from record to record. */
  writeEach(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void>
}

export interface Change {
  readonly ids: Ids
  readonly vals: unknown
}

/** The composed modules of a database. */
export interface Registry {
  readonly engine: Engine
  readonly models: ReadonlyMap<string, ModelDef>
  /** The modules that it is composed of, each after its dependencies, and their names. */
  readonly declared: readonly Module[]
  readonly modules: readonly string[]
  /** Changed field → fields to recompute. */
  readonly triggers: ReadonlyMap<FieldDef, readonly Trigger[]>
  /** Stored computed fields that depend on a field, directly or through others. */
  followers(field: FieldDef): ReadonlySet<FieldDef>
  /** Stored computed fields in topological order: dependencies come first, except in cycles. */
  readonly computeOrder: ReadonlyMap<FieldDef, number>
  /**
   * Many2ones in orders for which every row of this database has a target, as `table.column`: their
   * columns are NOT NULL. Empty if the registry was composed without looking at the database.
   */
  readonly filled: ReadonlySet<string>
  /** Tables with very many rows. Empty if the registry was composed without a look at the database. */
  readonly large: ReadonlySet<string>
  /** Constraint name → message of a table's rule. */
  readonly constraintMessages: ReadonlyMap<string, string>
  /** The model, or undefined. Safe for untrusted names. */
  get(name: string): ModelDef | undefined
}

/** An SQL expression over a model's row, or null when the value needs code. */
export type Expression = Sql | null
