// The form that plans an activity for records (mail.activity.schedule), or notes one that was done.
import {
  boolean,
  char,
  computed,
  date,
  html,
  implement,
  type ModelName,
  many2one,
  type Of,
  type Records,
  returns,
  selection,
  text,
  transient,
} from '#models'
import { UserError } from '../../errors.ts'
import { actionMethod, assertNoneMissing } from '../base/index.ts'
import { markDone } from './activity-done.ts'
import { categories, chainings } from './activity-type.ts'
import { idsIn } from './compose.ts'
import { isThread } from './rights.ts'

const form = transient('mail.activity.schedule', {
  label: 'Activity schedule plan Wizard',
  recName: 'summary',
  fields: {
    res_model: char({ label: 'Related Document Model' }),
    res_ids: text({ label: 'Document IDs', help: 'Such as [1, 2].' }),
    company_id: many2one('res.company', { label: 'Company', ondelete: 'cascade' }),
    is_batch_mode: boolean({ label: 'Several Records', computed: true }),
    activity_type_id: many2one('mail.activity.type', {
      label: 'Activity Type',
      ondelete: 'cascade',
      help: 'Empty: the first type.',
    }),
    activity_category: selection(categories, { label: 'Action', related: 'activity_type_id.category' }),
    chaining_type: selection(chainings, {
      label: 'Chaining Type',
      related: 'activity_type_id.chaining_type',
    }),
    date_deadline: date({ label: 'Due Date', help: 'Empty: the delay of the activity type, from today.' }),
    summary: char({ label: 'Summary' }),
    note: html({ label: 'Note' }),
    activity_user_id: many2one('res.users', {
      label: 'Assigned to',
      help: 'Empty: the user of the activity type.',
    }),
  },
  methods: {
    action_schedule_activities: actionMethod('Plans the activity for each record.'),
    action_schedule_activities_done: actionMethod('Marks the activity of each record as done.'),
    get_model_options: {
      doc: 'Models whose records have activities, of those that the caller may read: names and labels.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<readonly (readonly [string, string])[]>('array', 'list[list[str]]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'mail.activity.schedule': ActivitySchedule
  }
  interface ActivitySchedule extends Of<typeof form> {}
}

type Forms = Records<'mail.activity.schedule'>
const CLOSE = { type: 'ir.actions.act_window_close' } as const

/** Plans the activity of one form. Throws UserError for forms about no records with activities. */
async function plan(forms: Forms): Promise<readonly number[]> {
  const row = await forms.one([
    'res_model',
    'res_ids',
    'activity_type_id',
    'date_deadline',
    'summary',
    'note',
    'activity_user_id',
  ])
  const { env } = forms
  const def = env.unit.registry.get(row.res_model ?? '')
  const ids = idsIn(row.res_ids)
  if (!def?.fields.has('activity_ids') || !def.hasTable || ids.length === 0)
    throw new UserError('The form has no records with activities: set res_model and res_ids.')
  const records = env.model(def.name as ModelName & 'mail.activity.mixin').browse(ids)
  return records.activity_schedule({
    activity_type_id: row.activity_type_id?.id ?? null,
    date_deadline: row.date_deadline,
    summary: row.summary ?? '',
    note: row.note ?? '',
    user_id: row.activity_user_id?.id ?? null,
    automated: false,
  })
}

async function planAll(forms: Forms): Promise<number[]> {
  assertNoneMissing(forms, await forms.load(['res_model']))
  const planned: number[] = []
  for (const id of forms.ids) planned.push(...(await plan(forms.browse([id]))))
  return planned
}

export default implement(form, {
  computed: {
    is_batch_mode: computed(form, ['res_ids'], ({ res_ids: ids }) => (ids ?? '').includes(',')),
  },
  methods: {
    async action_schedule_activities(forms) {
      await planAll(forms)
      return CLOSE
    },
    async action_schedule_activities_done(forms) {
      const activities = await planAll(forms)
      await markDone(forms.env.model('mail.activity').browse(activities), '', [])
      return CLOSE
    },
    async get_model_options({ env }) {
      const options: [string, string][] = []
      for (const def of env.unit.registry.models.values()) {
        if (!isThread(def) || !def.fields.has('activity_ids')) continue
        const model = env.model(def.name as ModelName)
        if (await model.invoke('has_access', { operation: 'read' })) options.push([def.name, def.label])
      }
      return options.toSorted(([, a], [, b]) => a.localeCompare(b))
    },
  },
})
