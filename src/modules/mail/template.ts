// Templates of mails (mail.template): texts with expressions over a record, who gets them, and what goes
// with them.
import {
  boolean,
  char,
  html,
  implement,
  type ModelName,
  many2many,
  many2one,
  model,
  type Of,
  optional,
  type Records,
  required,
  returns,
  text,
} from '#models'
import { InvalidValue, UserError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { assertNoneGone, assertStanding, shownRecords } from '../base/index.ts'
import { headText, idsGiven, recipientsOf, senderOf } from './posting.ts'
import { wake } from './queue.ts'
import { assertTemplate, rendered } from './render.ts'
import { printedFiles } from './reports.ts'

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
    subject: char({ label: 'Subject', translate: true, help: 'May hold {{ expressions }} over object.' }),
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
      doc: 'Writes a mail about a record, and puts it into the queue; answers the mail.',
      params: { res_id: required<number>('integer', { annotation: 'int' }), ...sent },
      returns: returns<number>('integer', 'int'),
    },
    send_mail_batch: {
      doc: 'Writes a mail about each of some records.',
      params: { res_ids: required<readonly number[]>('ids', { annotation: 'list[int]' }), ...sent },
      returns: returns<readonly number[]>('ids', 'list[int]'),
    },
    action_open_mail_preview: {
      doc: 'The action that shows the template.',
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    create_action: { doc: 'Makes the action by which records are mailed.', params: {}, returns: yes },
    unlink_action: { doc: 'Removes that action.', params: {}, returns: yes },
    reset_template: {
      doc: 'Nothing: templates of this server are not kept in files.',
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

type Templates = Records<'mail.template'>

/** Values of a mail that a caller gives in place of what the template says. */
const overridable = ['subject', 'email_to', 'email_cc', 'reply_to'] as const
const MOST_RECORDS = 500

const templatePaths = [
  'model',
  'subject',
  'body_html',
  'email_from',
  'email_to',
  'partner_to',
  'email_cc',
  'reply_to',
  'lang',
  'use_default_to',
  'auto_delete',
  'attachment_ids',
  'report_template_ids',
  'mail_server_id',
] as const

/** A mail as a template writes it about one record. Throws AccessError for who may not write the record. */
export async function written(templates: Templates, id: number) {
  const { reports, ...mail } = await proposed(templates, id)
  const printed = await printedFiles(templates.env, reports, { model: mail.model, id })
  return { ...mail, files: [...mail.files, ...printed] }
}

/** The same before anything is printed: `reports` of it are still to come. */
export async function proposed(templates: Templates, id: number) {
  const { env } = templates
  const row = await templates.one([...templatePaths])
  if (!row.model || !env.unit.registry.get(row.model)?.hasTable)
    throw new UserError('The template is about no model: give it one (model_id).')
  const name = row.model as ModelName
  const record = env.model(name).browse([id])
  await assertStanding(record, 'write')
  const about = { model: name, id, lang: null }
  const [lang] = await rendered(env, about, [{ text: row.lang }])
  const texts = lang
    ? await templates.withContext({ lang }).one(['subject', 'body_html'])
    : { subject: row.subject, body_html: row.body_html }
  const [subject, email_from, email_to, partners, email_cc, reply_to, body] = await rendered(
    env,
    { ...about, lang: lang || null },
    [
      { text: texts.subject },
      { text: row.email_from },
      { text: row.email_to },
      {
        text:
          row.use_default_to || !(row.email_to || row.partner_to) ? usual(templates, name) : row.partner_to,
      },
      { text: row.email_cc },
      { text: row.reply_to },
      { text: texts.body_html, html: true },
    ],
  )
  return {
    model: name,
    res_id: id,
    subject: headText(subject, 'subject'),
    email_from: headText(email_from, 'email_from'),
    email_to: headText(email_to, 'email_to'),
    email_cc: headText(email_cc, 'email_cc'),
    reply_to: headText(reply_to, 'reply_to'),
    body_html: body ?? '',
    recipients: idsGiven(
      (partners ?? '')
        .split(',')
        .map(Number)
        .filter((partner) => Number.isInteger(partner) && partner > 0),
      'partner_to',
    ),
    files: row.attachment_ids.map((file) => file.id),
    reports: row.report_template_ids.map((report) => report.id),
    mail_server_id: row.mail_server_id?.id ?? null,
    auto_delete: row.auto_delete,
  }
}

/** The contact of a record, or itself. */
function usual({ env }: Templates, name: ModelName): string | null {
  if (name === 'res.partner') return '{{ object.id }}'
  return env.def(name).fields.get('partner_id')?.comodel?.name === 'res.partner'
    ? '{{ object.partner_id.id }}'
    : null
}

/** Writes mails about records into the queue. */
async function queueMails(
  templates: Templates,
  ids: readonly number[],
  options: Readonly<{ email_values: unknown; force_send: boolean; raise_exception: boolean }>,
): Promise<readonly number[]> {
  const { env } = templates
  templates.ensureOne()
  assertNoneGone(templates, await templates.load(['name']))
  const overrides: Readonly<Record<string, unknown>> = Object(options.email_values || {})
  if (overrides !== options.email_values && options.email_values)
    throw new InvalidValue('email_values are the values of the mail by their names.')
  const chosen = 'recipient_ids' in overrides ? await recipientsOf(env, overrides.recipient_ids) : null
  const author = await env
    .sudo()
    .model('res.partner')
    .browse([env.user.partnerId])
    .one(['email', 'email_formatted'])
  const sender = senderOf(env, overrides.email_from, [author.email, author.email_formatted])
  const texts = Object.fromEntries(
    overridable.filter((name) => name in overrides).map((name) => [name, headText(overrides[name], name)]),
  )
  const subtype_id = await env.ref('mail.mt_note')
  const mails = []
  for (const id of idsGiven(ids, 'res_ids', MOST_RECORDS)) {
    const { recipients, files, body_html, ...values } = await written(templates, id)
    const body = typeof overrides.body_html === 'string' ? overrides.body_html : body_html
    mails.push({
      ...values,
      email_from: sender ?? values.email_from ?? author.email_formatted,
      ...texts,
      body,
      message_type: 'email_outgoing' as const,
      subtype_id,
      author_id: env.user.partnerId,
      recipient_ids: [[6, 0, chosen ?? recipients]] as [[6, 0, readonly number[]]],
      attachment_ids: [[6, 0, files]] as [[6, 0, number[]]],
    })
  }
  const createdMails = await env.sudo().model('mail.mail').create(mails)
  if (options.force_send) await createdMails.send({ raise_exception: options.raise_exception })
  else if (createdMails.length) await wake(env)
  return createdMails.ids
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
      assertNoneGone(templates, await templates.load(['name']))
      return shownRecords('Template Preview', 'mail.template', templates.ids)
    },
    async create_action(templates) {
      await assertStanding(templates, 'write')
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
      await assertStanding(templates, 'write')
      const rows = await templates.load(['ref_ir_act_window'])
      const actions = rows.flatMap(({ ref_ir_act_window: action }) => action?.id ?? [])
      if (actions.length) await templates.env.model('ir.actions.act_window').browse(actions).unlink()
      return true as const
    },
    async reset_template(templates) {
      await assertStanding(templates, 'write')
      return null
    },
  },
})
