// Types of the parameters of a model's methods, and of the outcome of an upsert.
import type { ErrorObject } from '../errors.ts'
import type { CheckedDomain, DomainOf, Operator } from './domains.ts'
import type { OrderTerms } from './orders.ts'
import type { FieldsOf } from './schema.ts'
import type { Load } from './shapes.ts'
import type { CallOptions } from './transport.ts'

/** A domain, checked as the literal it is. */
export type Checked<M, N, D extends DomainOf<M, N>> = D & CheckedDomain<M, FieldsOf<M, N>, D>

/** An order, checked as the literal it is. */
type CheckedOrder<M, N, O extends string> = O & OrderTerms<FieldsOf<M, N>, O>

/** Options of `searchCount`. */
export interface CountQuery<M, N, D extends DomainOf<M, N>> extends CallOptions {
  readonly domain?: Checked<M, N, D>
  readonly limit?: number | null
}

/** Options of `search` and `searchRead`: domain, order and a window of the results. */
export interface SearchQuery<M, N, D extends DomainOf<M, N>, O extends string = string>
  extends CountQuery<M, N, D> {
  readonly offset?: number
  /** Such as `name desc, id`; the model's own order when absent. */
  readonly order?: CheckedOrder<M, N, O> | null
}

/** The fields to read, and their form. */
export interface ReadOptions<F extends string, L extends Load> extends CallOptions {
  /** Every readable field when absent or empty. */
  readonly fields?: readonly F[]
  /** Null: a many2one reads as its id and not as `[id, display name]`. */
  readonly load?: L
}

/** Options of `pages`, `each` and `keysetPages`. */
export interface PageQuery<
  M,
  N,
  D extends DomainOf<M, N>,
  F extends string,
  L extends Load,
  O extends string = string,
> extends ReadOptions<F, L> {
  readonly domain?: Checked<M, N, D>
  /** Records a page. Default 500. */
  readonly size?: number
  /** Pages by offset in this order; by id when absent. */
  readonly order?: CheckedOrder<M, N, O> | null
}

/** Options of `nameSearch`. */
export interface NameQuery<M, N, D extends DomainOf<M, N>> extends CallOptions {
  readonly domain?: Checked<M, N, D>
  /** Default `ilike`. */
  readonly operator?: Operator
  /** Default 100. */
  readonly limit?: number | null
}

/** Options of `call`: the records, and whether the call may be repeated. */
export interface MethodOptions extends CallOptions {
  readonly ids?: number | readonly number[]
  /**
   * Running the method again changes nothing more, so that it may be repeated when no answer came. Known for
   * generic reading methods.
   */
  readonly safe?: boolean
}

/** Outcome of a row, by its index; `error` has the five members of the error object. */
export type UpsertOutcome =
  | {
      readonly index: number
      readonly status: 'created' | 'updated' | 'unchanged'
      readonly id: number
    }
  | { readonly index: number; readonly status: 'failed'; readonly error: ErrorObject }
