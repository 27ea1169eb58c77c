// Words of record rules: the user, the companies and the clock, as typed placeholders.
import type { Rec } from '../language/records.ts'

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

/** A placeholder for a list. */
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
