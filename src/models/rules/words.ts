// The words of record rules: what a rule says of the user, the companies and the clock, as values that the
// compiler knows.
import type { Rec } from '../language/records.ts'

/** Ids of records of one type: those of another model do not fit where these are asked for. */
export interface IdOf<R> {
  readonly __record?: (record: R) => R
}

/** Stands in a rule for a value of each caller's own; `text` is how the rule's text writes it. */
export class RuleWord<out V> {
  readonly text: string
  declare readonly __value?: V
  constructor(text: string) {
    this.text = text
  }
}

/** A word for a list. */
export class RuleList<out E> extends RuleWord<readonly E[]> {
  declare readonly __element?: E
  /** The list with records of none, `company_ids + [False]`. */
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

/** Who calls. `user.id`, `user.partner_id.commercial_partner_id.id`, `user.company_ids.ids`. */
export const user = {
  ...linked<User>('user'),
  login: new RuleWord<string>('user.login'),
  name: new RuleWord<string>('user.name'),
  active: new RuleWord<boolean>('user.active'),
  /** Code of the language, false where there is none. */
  lang: new RuleWord<string>('user.lang'),
  /** Name of the time zone, false where there is none. */
  tz: new RuleWord<string>('user.tz'),
  /** Whether they are no internal user. */
  share: new RuleWord<boolean>('user.share'),
  partner_id: {
    ...linked<Partner>('user.partner_id'),
    commercial_partner_id: linked<Partner>('user.partner_id.commercial_partner_id'),
  },
  /** The default company; `companyId` is the one that the call is in. */
  company_id: linked<Company>('user.company_id'),
  /** All companies they may act for. */
  company_ids: { ids: new RuleList<Company>('user.company_ids.ids') },
  /** Groups assigned, without those implied. */
  group_ids: { ids: new RuleList<Group>('user.group_ids.ids') },
  all_group_ids: { ids: new RuleList<Group>('user.all_group_ids.ids') },
}

/** The company that the call is in. */
export const companyId = new RuleWord<Company>('company_id')

/** The companies that the call is in, a part of those that the user may act for. */
export const companyIds = new RuleList<Company>('company_ids')

/** The caller's day, `YYYY-MM-DD`, in their time zone. A rule with it changes with the time of day. */
export const today = new RuleWord<string>("context_today().strftime('%Y-%m-%d')")

/** The moment of the call, `YYYY-MM-DD HH:MM:SS`, UTC. A rule with it changes with the time of day. */
export const now = new RuleWord<string>("time.strftime('%Y-%m-%d %H:%M:%S')")
