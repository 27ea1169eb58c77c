// Type checks for domains of record rules: fields to the end of every path, operators by the field's
// type, values by both. Types only.
import type { ModelName } from '../contract/names.ts'
import type { MomentPart, Operator, Rec, Recordset, UserRef } from '../language/records.ts'
import type { IdOf, RuleList, RuleWord } from './words.ts'

/** A model of the same module by its name, a model of another module as `account/account.move`. */
export type RuledModel = ModelName | `${string}/${ModelName}`
type NameIn<M> = M extends `${string}/${infer N extends ModelName}` ? N : M extends ModelName ? M : never

/** A rule's domain checked against the fields of its model, term by term. */
export type CheckedRule<M extends RuledModel, D> = Checked<Rec<NameIn<M>>, D>

type Checked<R, D> = { readonly [I in keyof D]: CheckedTerm<R, D[I]> }
type CheckedTerm<R, T> = T extends readonly [infer P extends string, infer O, infer V]
  ? At<R, P> extends infer E
    ? [E] extends [Lost]
      ? readonly [{ readonly 'no such field': P }, O, V]
      : O extends OperatorOf<E>
        ? readonly [P, O, Operand<E, O, V>]
        : readonly [P, { readonly 'no operator of this field': O }, V]
    : never
  : T extends Join | Leaf
    ? T
    : { readonly 'no term of a domain': T }
type Join = '&' | '|' | '!'
type Leaf = readonly [0 | 1, '=', 1]

/** The end of a path: a value, a record, or records; `Lost` if the path does not exist. */
interface Lost {
  readonly __lost: true
}
interface One<R> {
  readonly __one: R
}
interface Many<R> {
  readonly __many: R
}
type RecordOf<E> = E extends One<infer R> | Many<infer R> ? R : never

/** Authors of records are typed without their model, which is always `res.users`. */
type Linked<V> = [UserRef] extends [V] ? Rec<'res.users'> : V

type At<R, P extends string> = P extends `${infer H}.${infer T}`
  ? H extends keyof R
    ? Behind<EndOf<R, H>, T>
    : Lost
  : P extends keyof R
    ? EndOf<R, P>
    : Lost
type EndOf<R, K extends keyof R> = K extends 'id'
  ? One<R>
  : unknown extends R[K]
    ? unknown
    : Exclude<R[K], null> extends infer V
      ? [V] extends [Recordset<infer N>]
        ? Many<Rec<N>>
        : [V] extends [{ readonly id: number }]
          ? One<Linked<V>>
          : [V] extends [(...parameters: never) => unknown]
            ? Lost
            : V
      : never
type Behind<E, T extends string> = unknown extends E
  ? unknown
  : [E] extends [One<infer R> | Many<infer R>]
    ? At<R, T>
    : [E] extends [string]
      ? T extends MomentPart
        ? number
        : Lost
      : Lost

type Equality = '=' | '!=' | 'in' | 'not in' | '=?'
type Order = '<' | '<=' | '>' | '>='
type Inner = 'any' | 'not any'
type Up = 'child_of' | 'parent_of'
type Pattern = Exclude<Operator, Equality | Order | Inner | Up>
type OperatorOf<E> = unknown extends E
  ? Operator
  : [E] extends [One<unknown>]
    ? Operator
    : [E] extends [Many<unknown>]
      ? Exclude<Operator, Order>
      : [E] extends [boolean]
        ? Equality
        : Exclude<Operator, Inner | Up>

type Unset = false | null
/**
 * A value for a field: its own type or a word; for a relation an id, a name, or a word for an id of its
 * model.
 */
type Value<E> = [E] extends [One<unknown> | Many<unknown>]
  ? number | string | Unset | RuleWord<IdOf<RecordOf<E>>>
  : E | Unset | RuleWord<E>
type List<E> =
  | readonly Value<E>[]
  | ([E] extends [One<unknown> | Many<unknown>] ? RuleList<IdOf<RecordOf<E>>> : RuleList<E>)

type Operand<E, O, V> = unknown extends E
  ? V
  : O extends Inner
    ? Checked<RecordOf<E>, V>
    : O extends Pattern
      ? string | RuleWord<string>
      : O extends 'in' | 'not in'
        ? List<E>
        : O extends Up
          ? Value<E> | List<E>
          : Value<E> | ([E] extends [One<unknown> | Many<unknown>] ? List<E> : never)
