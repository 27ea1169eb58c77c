// Types of activities (mail.activity.type): what is to be done, when by default, and what comes after it.
import {
  boolean,
  char,
  computed,
  html,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  selection,
} from '#models'

export const categories = { default: 'None', upload_file: 'Upload Document', phonecall: 'Phonecall' } as const
export const decorations = { warning: 'Alert', danger: 'Error' } as const
export const chainings = { suggest: 'Suggest Next Activity', trigger: 'Trigger Next Activity' } as const
const units = { days: 'days', weeks: 'weeks', months: 'months' } as const

const type = model('mail.activity.type', {
  label: 'Activity Type',
  order: 'sequence, id',
  changes: false,
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    summary: char({ label: 'Default Summary', translate: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    active: boolean({ label: 'Active', default: true }),
    delay_count: integer({ label: 'Schedule', help: 'Days, weeks or months until it is due.' }),
    delay_unit: selection(units, { label: 'Delay units', required: true, default: 'days' }),
    delay_label: char({ label: 'Delay Label', computed: true }),
    delay_from: selection(
      { current_date: 'after completion date', previous_activity: 'after previous activity deadline' },
      { label: 'Delay Type', required: true, default: 'previous_activity' },
    ),
    icon: char({ label: 'Icon' }),
    decoration_type: selection(decorations, { label: 'Decoration Type' }),
    res_model: selection(
      (models) => Object.fromEntries([...models].map(({ name, label }) => [name, label])),
      { label: 'Model', help: 'The model that the activity type is for; empty: all models.' },
    ),
    triggered_next_type_id: many2one('mail.activity.type', { label: 'Trigger', ondelete: 'restrict' }),
    chaining_type: selection(chainings, { label: 'Chaining Type', required: true, default: 'suggest' }),
    suggested_next_type_ids: many2many('mail.activity.type', {
      label: 'Suggest',
      relation: { table: 'mail_activity_rel', column: 'activity_id', other: 'recommended_id' },
    }),
    previous_type_ids: many2many('mail.activity.type', {
      label: 'Preceding Activities',
      relation: { table: 'mail_activity_rel', column: 'recommended_id', other: 'activity_id' },
    }),
    mail_template_ids: many2many('mail.template', { label: 'Email templates' }),
    category: selection(categories, { label: 'Action', default: 'default' }),
    default_user_id: many2one('res.users', { label: 'Default User', ondelete: 'set null' }),
    default_note: html({ label: 'Default Note', translate: true }),
  },
})

declare module '#models' {
  interface Models {
    'mail.activity.type': ActivityType
  }
  interface ActivityType extends Of<typeof type> {}
}

export default implement(type, {
  computed: {
    delay_label: computed(
      type,
      ['delay_count', 'delay_unit'],
      ({ delay_count, delay_unit }) => `${delay_count} ${delay_unit}`,
    ),
  },
})
