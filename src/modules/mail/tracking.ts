// Values of fields before and after a change, of the message that reports it (mail.tracking.value).
import {
  boolean,
  char,
  computed,
  datetime,
  float,
  implement,
  integer,
  json,
  many2one,
  model,
  type Of,
  text,
} from '#models'
import { ofMessage } from './rights.ts'

const before = { readonly: true } as const

const tracking = model('mail.tracking.value', {
  label: 'Mail Tracking Value',
  recName: 'field_id',
  order: 'id desc',
  changes: false,
  fields: {
    field_id: many2one('ir.model.fields', {
      label: 'Field',
      readonly: true,
      index: true,
      ondelete: 'set null',
    }),
    field_info: json({ label: 'Removed field information' }),
    old_value_integer: integer({ label: 'Old Value Integer', ...before }),
    old_value_float: float({ label: 'Old Value Float', ...before }),
    old_value_char: char({ label: 'Old Value Char', ...before }),
    old_value_text: text({ label: 'Old Value Text', ...before }),
    old_value_datetime: datetime({ label: 'Old Value DateTime', ...before }),
    new_value_integer: integer({ label: 'New Value Integer', ...before }),
    new_value_float: float({ label: 'New Value Float', ...before }),
    new_value_char: char({ label: 'New Value Char', ...before }),
    new_value_text: text({ label: 'New Value Text', ...before }),
    new_value_datetime: datetime({ label: 'New Value Datetime', ...before }),
    currency_id: many2one('res.currency', { label: 'Currency', readonly: true, ondelete: 'set null' }),
    mail_message_id: many2one('mail.message', {
      label: 'Message ID',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
  },
})

declare module '#models' {
  interface Models {
    'mail.tracking.value': TrackingValue
  }
  interface TrackingValue extends Of<typeof tracking> {}
}

export default implement(tracking, {
  computed: {
    readable: computed(tracking, [], () => false, { sql: (scope) => ofMessage(scope, 'mail_message_id') }),
  },
})
