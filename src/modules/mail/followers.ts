// Followers of records (mail.followers): contacts that get messages about a record, and of which kinds.
import {
  boolean,
  char,
  computed,
  implement,
  many2many,
  many2one,
  many2oneReference,
  model,
  type Of,
} from '#models'
import { ofThread } from './rights.ts'

const followers = model('mail.followers', {
  label: 'Document Followers',
  recName: 'partner_id',
  logAccess: false,
  changes: false,
  rules: {
    once: {
      unique: ['res_model', 'res_id', 'partner_id'],
      message: 'The contact follows this record already.',
    },
  },
  fields: {
    res_model: char({ label: 'Related Document Model Name', required: true }),
    res_id: many2oneReference({ label: 'Related Document ID', modelField: 'res_model' }),
    partner_id: many2one('res.partner', {
      label: 'Related Partner',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    subtype_ids: many2many('mail.message.subtype', {
      label: 'Subtype',
      relation: {
        table: 'mail_followers_mail_message_subtype_rel',
        column: 'mail_followers_id',
        other: 'mail_message_subtype_id',
      },
    }),
    name: char({ label: 'Name', related: 'partner_id.name' }),
    email: char({ label: 'Email', related: 'partner_id.email' }),
    is_active: boolean({ label: 'Is Active', related: 'partner_id.active' }),
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
  },
})

declare module '#models' {
  interface Models {
    'mail.followers': Followers
  }
  interface Followers extends Of<typeof followers> {}
}

export default implement(followers, {
  computed: {
    readable: computed(followers, [], () => false, {
      sql: (scope) => ofThread(scope, 'res_model', 'res_id', 'read'),
    }),
  },
})
