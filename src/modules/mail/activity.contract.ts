// Activities (mail.activity): what is promised. A person is to do something about a record, until a day.
import {
  boolean,
  char,
  date,
  html,
  many2many,
  many2one,
  many2oneReference,
  model,
  type Of,
  optional,
  required,
  returns,
  selection,
  text,
} from '#models'
import { timeZones } from '../base/index.ts'
import { categories, chainings, decorations } from './activity-type.ts'

const nothing = returns<null>('nothing', 'None')
const feedback = {
  feedback: optional<unknown>('any', false, { annotation: 'str | None' }),
  attachment_ids: optional<unknown>('any', null, { annotation: 'list[int] | None' }),
} as const
const message = returns<number | false>('any', 'int | bool', 'The message about the activity')

export const activity = model('mail.activity', {
  label: 'Activity',
  recName: 'summary',
  order: 'date_deadline, id',
  rules: { place: { index: ['res_model', 'res_id', 'date_deadline'] } },
  fields: {
    res_model_id: many2one('ir.model', { label: 'Document Model', ondelete: 'cascade', index: true }),
    res_model: char({ label: 'Related Document Model', readonly: true }),
    res_id: many2oneReference({ label: 'Related Document ID', modelField: 'res_model' }),
    res_name: char({ label: 'Document Name', computed: true }),
    activity_type_id: many2one('mail.activity.type', {
      label: 'Activity Type',
      ondelete: 'restrict',
      index: true,
    }),
    activity_category: selection(categories, { label: 'Action', related: 'activity_type_id.category' }),
    activity_decoration: selection(decorations, {
      label: 'Decoration Type',
      related: 'activity_type_id.decoration_type',
    }),
    icon: char({ label: 'Icon', related: 'activity_type_id.icon' }),
    chaining_type: selection(chainings, {
      label: 'Chaining Type',
      related: 'activity_type_id.chaining_type',
    }),
    summary: char({ label: 'Summary' }),
    note: html({ label: 'Note' }),
    date_deadline: date({ label: 'Due Date', required: true, index: true, mustSend: false }),
    date_done: date({ label: 'Done Date', readonly: true }),
    feedback: text({ label: 'Feedback' }),
    automated: boolean({ label: 'Automated activity', readonly: true }),
    active: boolean({ label: 'Active', default: true }),
    user_id: many2one('res.users', { label: 'Assigned to', index: true, ondelete: 'cascade' }),
    user_tz: selection(timeZones, { label: 'Timezone', related: 'user_id.tz' }),
    state: selection(
      { overdue: 'Overdue', today: 'Today', planned: 'Planned', done: 'Done' },
      { label: 'State', computed: true },
    ),
    attachment_ids: many2many('ir.attachment', {
      label: 'Attachments',
      relation: { table: 'activity_attachment_rel', column: 'activity_id', other: 'attachment_id' },
    }),
    previous_activity_type_id: many2one('mail.activity.type', {
      label: 'Previous Activity Type',
      readonly: true,
      ondelete: 'set null',
    }),
    recommended_activity_type_id: many2one('mail.activity.type', {
      label: 'Recommended Activity Type',
      ondelete: 'set null',
    }),
    can_write: boolean({ label: 'Can Write', computed: true }),
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
    placeable: boolean({
      label: 'Placeable',
      computed: true,
      help: 'Belongs to a record that the user may write.',
    }),
  },
  methods: {
    action_feedback: {
      doc: 'Marks activities as done, and posts the feedback in the threads of their records.',
      params: feedback,
      returns: message,
    },
    action_done: { doc: 'Marks activities as done.', params: {}, returns: message },
    action_done_schedule_next: {
      doc: 'Marks activities as done and plans the activities that follow by their types.',
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    action_cancel: { doc: 'Deletes activities.', params: {}, returns: nothing },
    action_notify: { doc: 'Notifies the users who have to do the activities.', params: {}, returns: nothing },
    action_reschedule_today: { doc: 'Moves the due date to today.', params: {}, returns: nothing },
    action_reschedule_tomorrow: { doc: 'Moves the due date to tomorrow.', params: {}, returns: nothing },
    action_reschedule_nextweek: {
      doc: 'Moves the due date to Monday of next week.',
      params: {},
      returns: nothing,
    },
    activity_format: {
      doc: 'Returns the activities with the data that clients show.',
      readonly: true,
      params: {},
      returns: returns<readonly object[]>('array', 'list[dict]'),
    },
    get_activity_data: {
      doc: 'Activities of the records of a model that match: by record, and by type.',
      level: 'model',
      readonly: true,
      params: {
        res_model: required<string>('string', { annotation: 'str' }),
        domain: required<readonly unknown[]>('domain', { annotation: 'DomainType' }),
        limit: optional<number | null>('limit', null, { annotation: 'int | None' }),
        offset: optional<number>('offset', 0, { annotation: 'int' }),
        fetch_done: optional<boolean>('boolean', false, { annotation: 'bool' }),
      },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'mail.activity': Activity
  }
  interface Activity extends Of<typeof activity> {}
}
