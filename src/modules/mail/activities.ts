// Activities of records (mail.activity.mixin): what models take over whose records have some.
import {
  abstract,
  char,
  computed,
  date,
  implement,
  many2one,
  type Of,
  one2many,
  optional,
  required,
  returns,
  type Scope,
  selection,
} from '#models'
import { raw, type Sql, sql } from '../../sql/index.ts'
import { stateSql } from './activity.ts'
import { activityRuns } from './activity-runs.ts'
import { decorations } from './activity-type.ts'
import { concerning, writingActivity } from './mixin-writes.ts'

const any = (annotation: string, fallback: unknown = null) =>
  optional<unknown>('any', fallback, { annotation })
const which = {
  act_type_xmlids: required<unknown>('any', { annotation: 'list[str]' }),
  user_id: any('int | None'),
  only_automated: optional<boolean>('boolean', true, { annotation: 'bool' }),
} as const
const ids = returns<readonly number[]>('ids', 'list[int]', 'Activities')
const yes = returns<true>('boolean', 'bool')

export const activityMethods = {
  activity_schedule: {
    doc: 'Plans an activity of a type for each record.',
    params: {
      act_type_xmlid: any('str', ''),
      date_deadline: any('str | None'),
      summary: any('str', ''),
      note: any('str', ''),
      user_id: any('int | None'),
      activity_type_id: any('int | None'),
      automated: any('bool | None'),
    },
    returns: ids,
  },
  activity_reschedule: {
    doc: 'Moves activities of types to another day, or to somebody else.',
    params: { ...which, date_deadline: any('str | None'), new_user_id: any('int | None') },
    returns: ids,
  },
  activity_feedback: {
    doc: 'Marks activities of types as done.',
    params: { ...which, feedback: any('str | None'), attachment_ids: any('list[int] | None') },
    returns: yes,
  },
  activity_unlink: { doc: 'Deletes activities of types.', params: which, returns: yes },
  activity_search: {
    doc: 'Activities of types, or all.',
    readonly: true,
    params: {
      ...which,
      act_type_xmlids: any('list[str]', ''),
      additional_domain: optional<readonly unknown[]>('domain', [], { annotation: 'DomainType | None' }),
    },
    returns: ids,
  },
} as const

const mixin = abstract('mail.activity.mixin', {
  label: 'Activity Mixin',
  fields: {
    activity_ids: one2many('mail.activity', 'res_id', { label: 'Activities', groups: 'base.group_user' }),
    activity_state: selection(
      { overdue: 'Overdue', today: 'Today', planned: 'Planned' },
      { label: 'Activity State', computed: true, groups: 'base.group_user' },
    ),
    activity_user_id: many2one('res.users', {
      label: 'Responsible User',
      computed: true,
      groups: 'base.group_user',
    }),
    activity_type_id: many2one('mail.activity.type', {
      label: 'Next Activity Type',
      computed: true,
      readonly: false,
      groups: 'base.group_user',
    }),
    activity_type_icon: char({ label: 'Activity Type Icon', computed: true }),
    activity_date_deadline: date({
      label: 'Next Activity Deadline',
      computed: true,
      groups: 'base.group_user',
    }),
    my_activity_date_deadline: date({
      label: 'My Activity Deadline',
      computed: true,
      groups: 'base.group_user',
    }),
    activity_summary: char({
      label: 'Next Activity Summary',
      computed: true,
      readonly: false,
      groups: 'base.group_user',
    }),
    activity_exception_decoration: selection(decorations, {
      label: 'Activity Exception Decoration',
      computed: true,
    }),
    activity_exception_icon: char({ label: 'Icon', computed: true }),
  },
  methods: activityMethods,
})

declare module '#models' {
  interface Models {
    'mail.activity.mixin': ActivityMixin
  }
  interface ActivityMixin extends Of<typeof mixin> {}
}

/** A value of the first activity of the record that is open, or of those that a condition lets through. */
const ofFirst = ({ model, id }: Scope, column: Sql, where: Sql = sql`TRUE`): Sql =>
  sql`(SELECT ${column} FROM mail_activity a LEFT JOIN mail_activity_type k ON k.id = a.activity_type_id
    WHERE a.res_model = ${model.name} AND a.res_id = ${id} AND a.active AND ${where} ORDER BY a.date_deadline, a.id LIMIT 1)`
const first = (column: string, where?: (scope: Scope) => Sql) =>
  computed(mixin, [], () => null, {
    sql: (scope) => ofFirst(scope, raw(column), where?.(scope)),
  })
const decorated = () => sql`k.decoration_type IS NOT NULL`

export default implement(mixin, {
  computed: {
    activity_state: computed(mixin, [], () => null, {
      sql: (scope) => ofFirst(scope, stateSql(sql`a.date_deadline`, sql`a.user_id`)),
    }),
    activity_user_id: first('a.user_id'),
    activity_type_id: first('a.activity_type_id'),
    activity_type_icon: first('k.icon'),
    activity_date_deadline: first('a.date_deadline'),
    my_activity_date_deadline: first('a.date_deadline', ({ env }) => sql`a.user_id = ${env.uid}::int`),
    activity_summary: first('a.summary'),
    activity_exception_decoration: first('k.decoration_type', decorated),
    activity_exception_icon: first('k.icon', decorated),
  },
  methods: activityRuns,
  concerns: concerning('activity_type_id', 'activity_summary'),
  wrapWrite: writingActivity,
})
