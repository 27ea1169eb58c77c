// Type checks for domains of record rules: fields to the end of every path, operators by the field's
// type, values by both. Types only.
import type { ModelName } from '../contract/names.ts'
import type { MomentPart, Operator, Rec, Recordset, UserRef } from '../language/records.ts'

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
/** A value for a field: its type or a word; for a relation an id, a name, or a word for an id. */
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

// Words of record rules: the user, the companies and the clock, as typed placeholders.

/** An id of a record of one type: an id of another model is a type error. */
export interface IdOf<R> {
  readonly __record?: (record: R) => R
}

/** A placeholder in a rule for a value of the caller. `text` is its form in the rule's text. */
export class RuleWord<out V> {
  readonly text: string
  declare readonly __value?: V
  constructor(text: string) {
    this.text = text
  }
}

export class RuleList<out E> extends RuleWord<readonly E[]> {
  declare readonly __element?: E
  /** The list and unset: `company_ids + [False]`. */
  orNone(): RuleList<E> {
    return new RuleList(`${this.text} + [False]`)
  }
}

type User = IdOf<Rec<'res.users'>>
type Partner = IdOf<Rec<'res.partner'>>
type Company = IdOf<Rec<'res.company'>>
type Group = IdOf<Rec<'res.groups'>>

const linked = <I>(path: string) => ({
  id: new RuleWord<I>(`${path}.id`),
  ids: new RuleList<I>(`${path}.ids`),
})

/** The caller: `user.id`, `user.partner_id.commercial_partner_id.id`, `user.company_ids.ids`. */
export const user = {
  ...linked<User>('user'),
  login: new RuleWord<string>('user.login'),
  name: new RuleWord<string>('user.name'),
  active: new RuleWord<boolean>('user.active'),
  /** Code of the language; false if unset. */
  lang: new RuleWord<string>('user.lang'),
  /** Name of the time zone; false if unset. */
  tz: new RuleWord<string>('user.tz'),
  /** Whether the user is not an internal user. */
  share: new RuleWord<boolean>('user.share'),
  partner_id: {
    ...linked<Partner>('user.partner_id'),
    commercial_partner_id: linked<Partner>('user.partner_id.commercial_partner_id'),
  },
  /** The default company. `companyId` is the current one. */
  company_id: linked<Company>('user.company_id'),
  /** All companies that the user may act for. */
  company_ids: { ids: new RuleList<Company>('user.company_ids.ids') },
  /** Assigned groups, without implied ones. */
  group_ids: { ids: new RuleList<Group>('user.group_ids.ids') },
  all_group_ids: { ids: new RuleList<Group>('user.all_group_ids.ids') },
}

/** The current company of the call. */
export const companyId = new RuleWord<Company>('company_id')

/** The active companies of the call, some or all of those that the user may act for. */
export const companyIds = new RuleList<Company>('company_ids')

/** The caller's day, `YYYY-MM-DD`, in their time zone. It makes the rule depend on the time of day. */
export const today = new RuleWord<string>("context_today().strftime('%Y-%m-%d')")

/** The time of the call, `YYYY-MM-DD HH:MM:SS`, UTC. It makes the rule depend on the time of day. */
export const now = new RuleWord<string>("time.strftime('%Y-%m-%d %H:%M:%S')")
