// Domains that the compiler checks: fields to the end of every path, operators by the field's kind, operands
// by both. Types only.
// Rules: spec/models-api.md section 2.
import type { AnyFields, Field, FieldsOf, Kind, Scalars, Target } from './schema.ts'

type Equality = '=' | '!=' | 'in' | 'not in' | '=?'
type Order = '<' | '<=' | '>' | '>='
type Pattern = 'like' | 'ilike' | 'not like' | 'not ilike' | '=like' | '=ilike' | 'not =like' | 'not =ilike'
type Tree = 'child_of' | 'parent_of'
type Inner = 'any' | 'not any'
/** An operator of a condition in a domain. */
export type Operator = Equality | Order | Pattern | Tree | Inner

type Plain = Equality | Order | Pattern
interface Operators extends Record<Kind, Operator> {
  readonly id: Operator
  readonly char: Plain
  readonly text: Plain
  readonly html: Plain
  readonly string: Plain
  readonly integer: Plain
  readonly float: Plain
  readonly monetary: Plain
  readonly boolean: Equality
  readonly date: Plain
  readonly datetime: Plain
  readonly time: Plain
  readonly binary: '=' | '!='
  readonly selection: Plain
  readonly reference: Plain
  readonly many2one: Operator
  readonly many2one_reference: Plain
  readonly one2many: Equality | Pattern | Tree | Inner
  readonly many2many: Equality | Pattern | Tree | Inner
}

/** Types of the values that a field may be compared with, apart from unset. */
interface Operands<Of> extends Record<Exclude<Kind, keyof Scalars>, unknown>, Scalars {
  readonly binary: never
  readonly selection: Of
  readonly many2one: number | string
  readonly one2many: number | string
  readonly many2many: number | string
}

/** Kinds that `=` compares with a list too. */
type Relation = 'id' | 'many2one' | 'one2many' | 'many2many'
type Unset = false | null

type Operand<M, F, O, V> =
  F extends Field<infer K, infer Of>
    ? O extends 'in' | 'not in'
      ? readonly (Operands<Of>[K] | Unset)[]
      : O extends Tree
        ? number | string | readonly (number | string)[] | Unset
        : O extends Inner
          ? V extends readonly unknown[]
            ? CheckedDomain<M, K extends 'id' ? AnyFields : Target<M, Of>, V>
            : readonly unknown[]
          : O extends Pattern
            ? string | (K extends 'any' | 'json' | 'properties' ? unknown : Unset)
            : Operands<Of>[K] | Unset | (K extends Relation ? readonly (number | string | Unset)[] : never)
    : never

/** Parts of a moment, as the end of a path. */
type Part =
  | 'year_number'
  | 'quarter_number'
  | 'month_number'
  | 'iso_week_number'
  | 'day_of_year'
  | 'day_of_month'
  | 'day_of_week'
  | 'hour_number'
  | 'minute_number'
  | 'second_number'

/** The field at the end of a path; never when the path leads nowhere. */
type FieldAt<M, Fs, P extends string> = string extends P
  ? Field<'any'>
  : P extends `${infer Head}.${infer Rest}`
    ? Head extends keyof Fs
      ? After<M, Fs[Head], Rest>
      : never
    : P extends keyof Fs
      ? Fs[P]
      : never

type After<M, F, Rest extends string> =
  F extends Field<infer K, infer Of>
    ? K extends 'many2one' | 'one2many' | 'many2many'
      ? FieldAt<M, Target<M, Of>, Rest>
      : K extends 'date' | 'datetime' | 'string'
        ? Rest extends Part
          ? Field<'integer'>
          : never
        : K extends 'properties' | 'any'
          ? Field<'any'>
          : never
    : never

type Leaf = readonly [0 | 1, '=', 1]
type Join = '&' | '|' | '!'
type Term<Fs> = string extends keyof Fs
  ? unknown
  : Join | Leaf | readonly [(keyof Fs & string) | `${keyof Fs & string}.${string}`, Operator, unknown]

/**
 * A domain of a model, checked as far as a single type allows: the first field of every path. `CheckedDomain`
 * checks the rest of a literal.
 */
export type DomainOf<M, N> = readonly Term<FieldsOf<M, N>>[]

type CheckedTerm<M, Fs, T> = T extends Join | Leaf
  ? T
  : T extends readonly [infer P extends string, infer O, infer V]
    ? [FieldAt<M, Fs, P>] extends [never]
      ? readonly [{ readonly 'no such field': P }, O, V]
      : readonly [P, OperatorFor<FieldAt<M, Fs, P>>, Operand<M, FieldAt<M, Fs, P>, O, V>]
    : Term<Fs>

type OperatorFor<F> = F extends Field<infer K> ? Operators[K] : Operator

/**
 * A literal domain against the fields of a model. Domains whose terms are known at run time only are let
 * through.
 */
export type CheckedDomain<M, Fs, D extends readonly unknown[]> = string extends keyof Fs
  ? unknown
  : number extends D['length']
    ? unknown
    : { readonly [I in keyof D]: CheckedTerm<M, Fs, D[I]> }
