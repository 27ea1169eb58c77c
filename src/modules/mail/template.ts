// Templates of mails (mail.template): texts with expressions over a record, who gets them, and what goes
// with them.
import {
  boolean,
  char,
  html,
  implement,
  many2many,
  many2one,
  model,
  type Of,
  optional,
  required,
  returns,
  text,
} from '#models'
import { present } from '../../kit/present.ts'
import { actionMethod, assertAllowedAndExisting, assertNoneMissing, shownRecords } from '../base/index.ts'
import { assertTemplate } from './render.ts'
import { queueMails } from './written.ts'

const sent = {
  force_send: optional<boolean>('boolean', false, { annotation: 'bool' }),
  raise_exception: optional<boolean>('boolean', false, { annotation: 'bool' }),
  email_values: optional<unknown>('any', null, { annotation: 'dict | None' }),
  email_layout_xmlid: optional<unknown>('any', false, { annotation: 'str | None' }),
} as const
const yes = returns<true>('boolean', 'bool')

const template = model('mail.template', {
  label: 'Email Templates',
  order: 'user_id, name, id',
  changes: false,
  fields: {
    name: char({ label: 'Name', translate: true }),
    description: text({ label: 'Template Description', translate: true }),
    active: boolean({ label: 'Active', default: true }),
    model_id: many2one('ir.model', { label: 'Applies to', ondelete: 'cascade' }),
    model: char({ label: 'Related Document Model', related: 'model_id.model', stored: true, index: true }),
    subject: char({ label: 'Subject', translate: true, help: 'May contain {{ expressions }} over object.' }),
    email_from: char({ label: 'Send From', help: 'Empty: the author.' }),
    user_id: many2one('res.users', { label: 'Owner', ondelete: 'set null' }),
    use_default_to: boolean({ label: 'Default Recipients', help: 'The contact of the record.' }),
    email_to: char({ label: 'To (Emails)' }),
    partner_to: char({ label: 'To (Partners)', help: 'Ids of contacts, separated by commas.' }),
    email_cc: char({ label: 'Cc' }),
    reply_to: char({ label: 'Reply To' }),
    attachment_ids: many2many('ir.attachment', {
      label: 'Attachments',
      relation: {
        table: 'email_template_attachment_rel',
        column: 'email_template_id',
        other: 'attachment_id',
      },
    }),
    report_template_ids: many2many('ir.actions.report', { label: 'Dynamic Reports' }),
    body_html: html({ label: 'Body', translate: true, sanitize: false }),
    email_layout_xmlid: char({ label: 'Email Notification Layout' }),
    mail_server_id: many2one('ir.mail_server', { label: 'Outgoing Mail Server', ondelete: 'set null' }),
    scheduled_date: char({ label: 'Scheduled Date' }),
    auto_delete: boolean({ label: 'Auto Delete', default: true }),
    lang: char({ label: 'Language', help: 'An expression, such as {{ object.partner_id.lang }}.' }),
    template_fs: char({ label: 'Template Filename', copy: false }),
    ref_ir_act_window: many2one('ir.actions.act_window', {
      label: 'Sidebar action',
      readonly: true,
      copy: false,
      ondelete: 'set null',
    }),
  },
  methods: {
    send_mail: {
      doc: 'Renders an email about a record and queues it. Returns the email.',
      params: { res_id: required<number>('integer', { annotation: 'int' }), ...sent },
      returns: returns<number>('integer', 'int'),
    },
    send_mail_batch: {
      doc: 'Renders an email about each of the records and queues it.',
      params: { res_ids: required<readonly number[]>('ids', { annotation: 'list[int]' }), ...sent },
      returns: returns<readonly number[]>('ids', 'list[int]'),
    },
    action_open_mail_preview: actionMethod('The action that shows the template.'),
    create_action: {
      doc: 'Creates the action that sends emails about records with the template.',
      params: {},
      returns: yes,
    },
    unlink_action: { doc: 'Removes that action.', params: {}, returns: yes },
    reset_template: {
      doc: 'Has no effect: templates are not stored in files.',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})

declare module '#models' {
  interface Models {
    'mail.template': MailTemplate
  }
  interface MailTemplate extends Of<typeof template> {}
}

export default implement(template, {
  prepare: (vals) => {
    for (const name of ['subject', 'email_from', 'email_to', 'partner_to', 'email_cc', 'reply_to', 'lang'])
      if (typeof vals[name] === 'string') assertTemplate({ text: vals[name] })
    if (typeof vals.body_html === 'string') assertTemplate({ text: vals.body_html, html: true })
  },
  methods: {
    async send_mail(templates, { res_id, ...options }) {
      const [mail = 0] = await queueMails(templates, [res_id], options)
      return mail
    },
    send_mail_batch: (templates, { res_ids, ...options }) => queueMails(templates, res_ids, options),
    async action_open_mail_preview(templates) {
      assertNoneMissing(templates, await templates.load(['name']))
      return shownRecords('Template Preview', 'mail.template', templates.ids)
    },
    async create_action(templates) {
      await assertAllowedAndExisting(templates, 'write')
      const rows = await templates.load(['name'])
      const actions = await templates.env.model('ir.actions.act_window').create(
        rows.map(({ id, name }) => ({
          name: `Send Mail (${name ?? ''})`,
          res_model: 'mail.compose.message',
          context: `{'default_template_id': ${id}}`,
          view_mode: 'form',
          target: 'new',
        })),
      )
      await templates.writeEach(
        new Map(rows.map(({ id }, i) => [id, { ref_ir_act_window: present(actions.ids[i]) }])),
      )
      return true as const
    },
    async unlink_action(templates) {
      await assertAllowedAndExisting(templates, 'write')
      const rows = await templates.load(['ref_ir_act_window'])
      const actions = rows.flatMap(({ ref_ir_act_window: action }) => action?.id ?? [])
      if (actions.length) await templates.env.model('ir.actions.act_window').browse(actions).unlink()
      return true as const
    },
    async reset_template(templates) {
      await assertAllowedAndExisting(templates, 'write')
      return null
    },
  },
})
