// Parameters and results of methods: bound by name in JSON-2, by position in RPC, and described in
// documentation.

/** Types of parameters. Values are checked before a method runs (`methods/bind.ts`). */
export type ParamType =
  | 'any'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'string'
  | 'text'
  | 'domain'
  | 'fields'
  | 'strings'
  | 'order'
  | 'limit'
  | 'offset'
  | 'vals'
  | 'valsList'
  | 'object'
  | 'array'
  | 'ids'
  | 'specification'
  | 'records'
  | 'nothing'

/** A described parameter or result. A parameter is required if it has no default. */
export interface Param<V = unknown, Optional extends boolean = boolean> {
  readonly type: ParamType
  readonly doc?: string
  readonly hasDefault: Optional
  readonly default?: V
  /** The type in documentation, e.g. `list[int]`. */
  readonly annotation?: string
  /** Documented as part of a `**name` that collects arguments passed by name only. */
  readonly gathered?: string
  readonly __value?: V
}

interface ParamOptions {
  readonly doc?: string
  readonly annotation?: string
  readonly gathered?: string
}

/** Declares a required parameter of type `type`. `V` is its type in code. */
export function required<V>(type: ParamType, options: ParamOptions = {}): Param<V, false> {
  return Object.freeze({ type, hasDefault: false, ...options } as const)
}

/** Declares an optional parameter with a default. An explicit null is a value, not the default. */
export function optional<V>(type: ParamType, fallback: V, options: ParamOptions = {}): Param<V, true> {
  return Object.freeze({ type, hasDefault: true, default: fallback, ...options } as const)
}

/** Declares the result of a method. */
export function returns<V>(type: ParamType, annotation: string, doc?: string): Param<V, false> {
  return Object.freeze({ type, hasDefault: false as const, annotation, ...(doc ? { doc } : {}) })
}

/** The declaration of a method. */
export interface MethodSpec {
  readonly doc: string
  /** `model`: takes no ids (spec/wire.md section 5). */
  readonly level?: 'model' | 'records'
  /** Runs in a read-only transaction. */
  readonly readonly?: boolean
  /** Its result is a secret that is returned once and not stored, not even for a retry. */
  readonly secret?: boolean
  /** Its effect cannot be rolled back, so it has no dry run. */
  readonly lasting?: boolean
  /** It answers itself for records that do not exist and for values of a wrong type; other methods refuse them. */
  readonly checksItself?: boolean
  /** Its result contains values of records, which can have the typed form too. */
  readonly tellsValues?: boolean
  /** It searches records by a domain and an order: pages may begin after a row, and all may be counted. */
  readonly pages?: boolean
  /** The extension of the documented API that it belongs to. If that is off, there is no such method. */
  readonly extension?: 'upsert'
  /** The parameter that `Prefer: handling=lenient` sets: valid entries count, refused ones are listed. */
  readonly lenient?: string
  /** For code only: calls from clients get 403. */
  readonly private?: boolean
  /** By name. Surplus named parameters are passed on instead of refused. */
  readonly params: Readonly<Record<string, Param>>
  readonly returns?: Param
}

export type Methods = Readonly<Record<string, MethodSpec>>

/** Parameters as a method's code gets them. Those left out have their defaults. */
export type Params<M extends MethodSpec> = {
  -readonly [K in keyof M['params']]: M['params'][K] extends Param<infer V> ? V : never
}
type Defaulted<M extends MethodSpec> = {
  [K in keyof M['params']]: M['params'][K] extends Param<unknown, true> ? K : never
}[keyof M['params']]
/** Parameters as callers pass them. Those with a default may be left out. */
export type Given<M extends MethodSpec> = Omit<Params<M>, Defaulted<M>> & {
  [K in Defaulted<M>]?: Params<M>[K]
}
export type Returns<M extends MethodSpec> = M['returns'] extends Param<infer V> ? V : null
