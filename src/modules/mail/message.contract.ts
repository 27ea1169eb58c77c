// Messages (mail.message): what is promised. Notes, mails and changes, each about a record.
import {
  boolean,
  char,
  datetime,
  html,
  many2many,
  many2one,
  many2oneReference,
  model,
  type Of,
  one2many,
  optional,
  returns,
  selection,
  text,
} from '#models'

const nothing = returns<null>('nothing', 'None')

export const message = model('mail.message', {
  label: 'Message',
  recName: 'subject',
  order: 'id desc',
  changes: false,
  rules: {
    thread: { index: ['model', 'res_id', 'id'] },
    // Mails of a user are counted by the hour.
    outgoing: { index: ['create_uid', 'create_date'], where: "message_type = 'email_outgoing'" },
    // The note of its creation, once for each record.
    opening: { unique: ['model', 'res_id'], where: 'opens', message: 'The record has a first message.' },
  },
  fields: {
    subject: char({ label: 'Subject' }),
    date: datetime({ label: 'Date' }),
    body: html({ label: 'Contents', default: '' }),
    preview: char({ label: 'Preview', computed: true, help: 'The beginning of the text, without markup.' }),
    message_type: selection(
      {
        email: 'Incoming Email',
        comment: 'Comment',
        email_outgoing: 'Outgoing Email',
        notification: 'System notification',
        auto_comment: 'Automated Targeted Notification',
        out_of_office: 'Out Of Office Message',
        user_notification: 'User Specific Notification',
      },
      { label: 'Type', required: true, default: 'comment' },
    ),
    subtype_id: many2one('mail.message.subtype', { label: 'Subtype', ondelete: 'set null' }),
    is_internal: boolean({ label: 'Employee Only' }),
    opens: boolean({ label: 'Creation', hidden: true }),
    model: char({ label: 'Related Document Model' }),
    res_id: many2oneReference({ label: 'Related Document ID', modelField: 'model' }),
    record_name: char({ label: 'Message Record Name', computed: true }),
    record_company_id: many2one('res.company', { label: 'Company', ondelete: 'set null' }),
    parent_id: many2one('mail.message', { label: 'Parent Message', ondelete: 'set null', index: 'set' }),
    child_ids: one2many('mail.message', 'parent_id', { label: 'Child Messages' }),
    mail_activity_type_id: many2one('mail.activity.type', {
      label: 'Mail Activity Type',
      ondelete: 'set null',
      index: 'set',
    }),
    author_id: many2one('res.partner', { label: 'Author', ondelete: 'set null', index: true }),
    is_current_user_or_guest_author: boolean({
      label: 'Is Current User Or Guest Author',
      computed: true,
    }),
    email_from: char({ label: 'From' }),
    reply_to: char({ label: 'Reply-To' }),
    reply_to_force_new: boolean({ label: 'No threading for answers' }),
    message_id: char({ label: 'Message-Id', readonly: true, copy: false, index: 'set' }),
    partner_ids: many2many('res.partner', { label: 'Recipients' }),
    incoming_email_to: text({ label: 'Emails To' }),
    incoming_email_cc: char({ label: 'Emails Cc' }),
    outgoing_email_to: char({ label: 'emails To' }),
    attachment_ids: many2many('ir.attachment', {
      label: 'Attachments',
      relation: { table: 'message_attachment_rel', column: 'message_id', other: 'attachment_id' },
    }),
    mail_ids: one2many('mail.mail', 'mail_message_id', { label: 'Mails', groups: 'base.group_system' }),
    notification_ids: one2many('mail.notification', 'mail_message_id', { label: 'Notifications' }),
    notified_partner_ids: many2many('res.partner', { label: 'Partners with Need Action', computed: true }),
    needaction: boolean({ label: 'Need Action', computed: true }),
    has_error: boolean({ label: 'Has error', computed: true }),
    reaction_ids: one2many('mail.message.reaction', 'message_id', { label: 'Reactions' }),
    starred_partner_ids: many2many('res.partner', {
      label: 'Favorited By',
      relation: {
        table: 'mail_message_res_partner_starred_rel',
        column: 'mail_message_id',
        other: 'res_partner_id',
      },
    }),
    starred: boolean({ label: 'Starred', computed: true }),
    pinned_at: datetime({ label: 'Pinned' }),
    tracking_value_ids: one2many('mail.tracking.value', 'mail_message_id', {
      label: 'Tracking values',
      groups: 'base.group_system',
    }),
    mail_server_id: many2one('ir.mail_server', { label: 'Outgoing mail server', ondelete: 'set null' }),
    email_layout_xmlid: char({ label: 'Layout', copy: false }),
    email_add_signature: boolean({ label: 'Email Add Signature', default: true }),
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
    writable: boolean({ computed: true, groups: 'base.group_nobody' }),
  },
  methods: {
    toggle_message_starred: {
      doc: "Toggles the caller's star on a message.",
      params: {},
      returns: nothing,
    },
    unstar_all: { doc: 'Removes all stars of the caller.', level: 'model', params: {}, returns: nothing },
    set_message_done: { doc: 'Marks messages as read by the caller.', params: {}, returns: nothing },
    mark_all_as_read: {
      doc: 'Marks all matching messages as read by the caller. Returns their ids.',
      level: 'model',
      params: { domain: optional<readonly unknown[]>('domain', [], { annotation: 'DomainType' }) },
      returns: returns<readonly number[]>('ids', 'list[int]'),
    },
    portal_message_format: {
      doc: 'Returns the messages with the data that clients show.',
      readonly: true,
      params: { options: optional<unknown>('any', null, { annotation: 'dict | None' }) },
      returns: returns<readonly object[]>('array', 'list[dict]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'mail.message': Message
  }
  interface Message extends Of<typeof message> {}
}
