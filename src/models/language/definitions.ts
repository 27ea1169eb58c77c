// What a database's registry is made of: composed, frozen definitions of models, fields and methods.

import type { Sql } from '../../sql/index.ts'
import type { FieldKind, OptionsOf } from '../contract/field.ts'
import type { ModelOptions, TableRule } from '../contract/model.ts'
import type { Param } from '../contract/param.ts'
import type { Auditing } from './audited.ts'
import type { Computed, Concerns, MethodRun, Onchange, SearchRule, WriteRun } from './behaviour.ts'
import type { Context, Environment } from './environment.ts'
import type { FieldType } from './field-type.ts'
import type { Module } from './module.ts'
import type { SearchOptions } from './records.ts'
import type { Scope } from './scope.ts'
import type { Tree } from './tree.ts'
import type { Authority } from './writable.ts'

/** What definitions of all kinds have in common. */
interface Defined<K extends FieldKind> {
  readonly name: string
  readonly model: ModelDef
  readonly kind: K
  /** Behaviour of the kind. */
  readonly type: FieldType
  readonly options: OptionsOf[K]
  readonly label: string
  /** Module that introduced it; null for the automatic ones. */
  readonly module: string | null
  readonly required: boolean
  readonly readonly: boolean
  /** Kept by the model itself: a column, a relation table, an attachment, or the other side's column. */
  readonly stored: boolean
  /** Has a column in the model's table. */
  readonly column: boolean
  readonly translate: boolean
  readonly copy: boolean
  /** External ids of groups that may see it; empty: everybody. */
  readonly groups: readonly string[]
  /** `['partner_id', 'name']` for a related or delegated field. */
  readonly related: readonly string[] | null
  /** Seen through delegation (`inherits`). */
  readonly inherited: boolean
  readonly compute: Computed | null
  /** Conditions on it are conditions on others. */
  readonly search: SearchRule | null
  readonly defaultOf: ((env: Environment) => unknown) | null
  /** Log fields and id: set by the server, given values are ignored. */
  readonly automatic: boolean
}

/** Parts of relations, which the others are without. */
interface Apart {
  readonly comodel: undefined
  readonly link: null
  readonly inverse: null
}

interface Valued<K extends FieldKind> extends Defined<K>, Apart {}

/** A field whose value stands by itself. */
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
/** One of the keys; of a reference: of the models. */
export type ChoiceDef = Valued<'selection' | 'reference'>
export type Many2oneReferenceDef = Valued<'many2one_reference'>
export type PropertiesDef = Valued<'properties'>

export interface Many2oneDef extends Defined<'many2one'> {
  /** The model that it leads to. */
  readonly comodel: ModelDef
  readonly link: null
  readonly inverse: null
}

export interface One2manyDef extends Defined<'one2many'> {
  readonly comodel: ModelDef
  readonly link: null
  /** The comodel's field that leads back. */
  readonly inverse: string
}

export interface Many2manyDef extends Defined<'many2many'> {
  readonly comodel: ModelDef
  /** Null where nothing is stored. */
  readonly link: LinkTable | null
  readonly inverse: null
}

export type X2manyDef = One2manyDef | Many2manyDef
export type RelationDef = Many2oneDef | X2manyDef

/** A field of a composed model: its kind, or that it has a comodel, says which parts and options there are. */
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
  /** Its result is kept nowhere. */
  readonly secret: boolean
  /** Its effect cannot be taken back. */
  readonly lasting: boolean
  /** Its result holds values of records. */
  readonly tellsValues: boolean
  /** It finds records, page by page. */
  readonly pages: boolean
  /** The part beyond the documented API that it belongs to. */
  readonly extension: 'upsert' | null
  /** The parameter by which it takes what is right and lists what was refused; null: it cannot. */
  readonly lenient: string | null
  readonly params: Readonly<Record<string, Param>>
  readonly returns: Param | null
  /** The module that declared it; `core` for those of every model. */
  readonly module: string
  /** The model that declared it. */
  readonly origin: string
  /** A module wrapped it: what runs is more than the declared method. */
  readonly wrapped: boolean
  /** The composed chain: last module's wrap first. */
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
  /** Has a table of its own. */
  readonly hasTable: boolean
  /** Has records that can be found and read: those of its table, or of its query. */
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
  /** `onchange` may save a form and undo it. */
  readonly formsBySaving: boolean
  /** Delegation: model name → own many2one. */
  readonly inherits: ReadonlyMap<string, string>
  readonly logAccess: boolean
  /** The fields that people may write, by state; null: all that their rights open. */
  readonly authority: Authority | null
  /** Changes of its records that go to the audit log; null: none. */
  readonly auditing: Auditing | null
  readonly rules: ReadonlyMap<string, TableRule>
  readonly checks: readonly Check[]
  readonly prepares: readonly ((
    vals: Record<string, unknown>,
    env: Environment,
    ids: readonly number[] | null,
  ) => void)[]
  /** Writes, through every module's wrap: the last module's comes first. */
  readonly writing: WriteRun
  /** What concerns the wraps that modules put around creations and writes, one for each module's. */
  readonly concerns: {
    readonly create: readonly NonNullable<Concerns['create']>[]
    readonly write: readonly NonNullable<Concerns['write']>[]
  }
  readonly onchanges: readonly Onchange[]
  /** The class of its recordsets, with its methods on the prototype. */
  recordset(): RecordsetClass
}

/** Makes recordsets of one model. */
export type RecordsetClass = new (env: Environment, def: ModelDef, ids: readonly number[]) => LooseRecords

/** A recordset as the engine handles it; module authors see `Records<N>` (records.ts). */
export interface LooseRecords extends Iterable<LooseRecords> {
  readonly env: Environment
  readonly def: ModelDef
  readonly ids: readonly number[]
  readonly length: number
  readonly name: string
  browse(ids: readonly number[]): LooseRecords
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

export interface Check {
  readonly message: string
  readonly rule: Computed
}

/** Stored computed fields that follow a field: `path` leads from the dependent model to the changed one. */
export interface Trigger {
  readonly field: FieldDef
  /** Many2ones and x2manys from `field.model` to the changed model; empty when it is the same record. */
  readonly path: readonly FieldDef[]
}

/** What lower parts of the engine ask of higher ones; handed in, because those stand on them. */
export interface Engine {
  /** Computes what waits, of the fields that `only` takes: all of it, or that of some records. */
  flush(env: Environment, only?: (field: FieldDef) => boolean | ReadonlySet<number>): Promise<void>
  /** Values of a computed field by record id. */
  compute(env: Environment, field: FieldDef, ids: readonly number[]): Promise<Map<number, unknown>>
  /** A domain as a condition over a row, never NULL. */
  condition(scope: Scope, tree: Tree): Sql
  /** Writes values that differ from record to record. */
  writeEach(env: Environment, model: ModelDef, changes: readonly Change[]): Promise<void>
}

/** Values to write on some records. */
export interface Change {
  readonly ids: readonly number[]
  readonly vals: unknown
}

export interface Registry {
  readonly engine: Engine
  readonly models: ReadonlyMap<string, ModelDef>
  /** The modules that it was composed of, each after those it needs, and their names. */
  readonly declared: readonly Module[]
  readonly modules: readonly string[]
  /** Changed field → what is to be recomputed. */
  readonly triggers: ReadonlyMap<FieldDef, readonly Trigger[]>
  /** Stored computed fields that follow a field, at any number of removes. */
  followers(field: FieldDef): ReadonlySet<FieldDef>
  /** Stored computed fields in an order in which their dependencies come first, where that is possible. */
  readonly computeOrder: ReadonlyMap<FieldDef, number>
  /**
   * Many2ones that orders go over and every row of this database has a target of, as `table.column`: its
   * columns are NOT NULL. None where that was not asked.
   */
  readonly filled: ReadonlySet<string>
  /** Tables that had very many rows when the database was looked at. None where that was not asked. */
  readonly large: ReadonlySet<string>
  /** Constraint name → message of a table's rule. */
  readonly constraintMessages: ReadonlyMap<string, string>
  /** The model, or undefined; safe for names that come from outside. */
  get(name: string): ModelDef | undefined
}

/** An SQL expression over a model's row, or null when the value needs code. */
export type Expression = Sql | null
