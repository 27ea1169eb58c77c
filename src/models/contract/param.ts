// Parameters and results of methods: what JSON-2 binds by name, RPC by position, and documentation reads.

/** What a parameter takes; each is checked before a method runs (`methods/bind.ts`). */
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

/** A described parameter or result. Required exactly when it has no default. */
export interface Param<V = unknown, Optional extends boolean = boolean> {
  readonly type: ParamType
  readonly doc?: string
  readonly hasDefault: Optional
  readonly default?: V
  /** As documentation prints it, e.g. `list[int]`. */
  readonly annotation?: string
  /** Documented as part of a `**name` that gathers what is given by name only. */
  readonly gathered?: string
  readonly __value?: V
}

interface ParamOptions {
  readonly doc?: string
  readonly annotation?: string
  readonly gathered?: string
}

/** A parameter that must be given. */
export function required<V>(type: ParamType, options: ParamOptions = {}): Param<V, false> {
  return Object.freeze({ type, hasDefault: false, ...options } as const)
}

/** A parameter that may be left out; null counts as given. */
export function optional<V>(type: ParamType, fallback: V, options: ParamOptions = {}): Param<V, true> {
  return Object.freeze({ type, hasDefault: true, default: fallback, ...options } as const)
}

/** What a method answers. */
export function returns<V>(type: ParamType, annotation: string, doc?: string): Param<V, false> {
  return Object.freeze({ type, hasDefault: false as const, annotation, ...(doc ? { doc } : {}) })
}

/** A method as clients see it. */
export interface MethodSpec {
  readonly doc: string
  /** `model`: takes no ids (spec/wire.md section 5). */
  readonly level?: 'model' | 'records'
  /** Runs in a read-only transaction. */
  readonly readonly?: boolean
  /** Its result is a secret, shown this once: it is kept nowhere, not for a retry either. */
  readonly secret?: boolean
  /** Its effect cannot be taken back, so it has no rehearsal. */
  readonly lasting?: boolean
  /** Its result holds values of records, which may be told in the typed form too. */
  readonly tellsValues?: boolean
  /** It finds records by a domain in an order: pages may begin behind a row, and all may be counted. */
  readonly pages?: boolean
  /** The part beyond the documented API that it belongs to: where that is off, there is no such method. */
  readonly extension?: 'upsert'
  /** The parameter that `Prefer: handling=lenient` sets: take what is right, and list what was refused. */
  readonly lenient?: string
  /** For code only: 403 from outside. */
  readonly private?: boolean
  /** Surplus named parameters are handed on instead of refused. */
  readonly params: Readonly<Record<string, Param>>
  readonly returns?: Param
}

export type Methods = Readonly<Record<string, MethodSpec>>

/** Parameters as a method's code gets them: those left out have their defaults. */
export type Params<M extends MethodSpec> = {
  -readonly [K in keyof M['params']]: M['params'][K] extends Param<infer V> ? V : never
}
type Defaulted<M extends MethodSpec> = {
  [K in keyof M['params']]: M['params'][K] extends Param<unknown, true> ? K : never
}[keyof M['params']]
/** Parameters as callers give them: those with a default may be left out. */
export type Given<M extends MethodSpec> = Omit<Params<M>, Defaulted<M>> & {
  [K in Defaulted<M>]?: Params<M>[K]
}
export type Returns<M extends MethodSpec> = M['returns'] extends Param<infer V> ? V : null
