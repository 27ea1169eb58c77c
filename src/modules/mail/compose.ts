// The form by which mails are written (mail.compose.message): about a record, from a template or by hand.
import {
  boolean,
  char,
  type Environment,
  html,
  implement,
  type ModelName,
  many2many,
  many2one,
  type Of,
  type Records,
  selection,
  text,
  transient,
} from '#models'
import { UserError } from '../../errors.ts'
import {
  actionMethod,
  assertAllowedAndExisting,
  assertNoneMissing,
  shownForm,
  shownWindow,
} from '../base/index.ts'
import { idsArgument } from './posting.ts'
import { postWritten, templateAbout } from './source.ts'

const compose = transient('mail.compose.message', {
  label: 'Email composition wizard',
  recName: 'subject',
  fields: {
    subject: char({ label: 'Subject' }),
    body: html({ label: 'Contents' }),
    template_id: many2one('mail.template', { label: 'Use template', ondelete: 'set null' }),
    template_name: char({ label: 'Template Name' }),
    attachment_ids: many2many('ir.attachment', { label: 'Attachments' }),
    partner_ids: many2many('res.partner', { label: 'Additional Contacts' }),
    model: char({ label: 'Related Document Model' }),
    res_ids: text({ label: 'Related Document IDs' }),
    composition_mode: selection(
      { comment: 'Post on a document', mass_mail: 'Email Mass Mailing' },
      { label: 'Composition mode', default: 'comment' },
    ),
    email_from: char({ label: 'From' }),
    reply_to: char({ label: 'Reply To' }),
    subtype_id: many2one('mail.message.subtype', { label: 'Subtype', ondelete: 'set null' }),
    force_send: boolean({ label: 'Send mailing or notifications directly', default: true }),
  },
  methods: {
    action_send_mail: actionMethod('Sends the mail: posts it to each record.'),
    create_mail_template: actionMethod('Saves subject and body as a template of the model.'),
    cancel_save_template: actionMethod('Returns to the form without saving a template.'),
  },
})

declare module '#models' {
  interface Models {
    'mail.compose.message': ComposeMessage
  }
  interface ComposeMessage extends Of<typeof compose> {}
}

type Forms = Records<'mail.compose.message'>
const CLOSE = { type: 'ir.actions.act_window_close' } as const

/** Ids that the form holds as text, `[1, 2]`. Throws UserError for others. */
export function idsIn(value: string | null): readonly number[] {
  const list = /^\s*\[?([\d\s,]*)\]?\s*$/.exec(value ?? '')?.[1]
  if (list === undefined) throw new UserError('res_ids must be a list of ids, such as [1, 2].')
  return idsArgument(
    list.split(',').flatMap((part) => (part.trim() ? [Number(part)] : [])),
    'res_ids',
  )
}

/** Keeps what was written in a form as a template of its model. Throws UserError for forms about no model. */
export async function keepTemplate(
  env: Environment,
  form: Readonly<Record<'model' | 'subject' | 'body' | 'template_name', string | null>>,
): Promise<number> {
  const [kind] = (
    await env
      .sudo()
      .model('ir.model')
      .search([['model', '=', form.model ?? '']])
  ).ids
  if (kind === undefined) throw new UserError('The form has no model: set one.')
  const name = form.template_name ?? form.subject ?? 'Template'
  const vals = { name, model_id: kind, subject: form.subject, body_html: form.body }
  return (await env.model('mail.template').create([vals])).ensureOne()
}

async function sendForm(forms: Forms): Promise<object> {
  const { env } = forms
  const form = await forms.one([
    'model',
    'res_ids',
    'subject',
    'body',
    'partner_ids',
    'attachment_ids',
    'template_id',
    'email_from',
    'reply_to',
    'subtype_id',
  ])
  const def = env.unit.registry.get(form.model ?? '')
  if (!def?.methods.has('message_post'))
    throw new UserError('The form has no records with messages: set a model and res_ids.')
  for (const id of idsIn(form.res_ids)) {
    const record = env.model(def.name as ModelName & 'mail.thread').browse([id])
    const template = form.template_id && (await templateAbout(env, def.name, form.template_id.id))
    await postWritten(record, template, {
      body: form.body,
      subject: form.subject,
      message_type: 'comment',
      ...(form.subtype_id ? { subtype_id: form.subtype_id.id } : { subtype_xmlid: 'mail.mt_comment' }),
      partner_ids: form.partner_ids.map((partner) => partner.id),
      attachment_ids: form.attachment_ids.map((file) => file.id),
      email_from: form.email_from,
      reply_to: form.reply_to,
    })
  }
  return CLOSE
}

const reopened = (forms: Forms): object =>
  shownWindow({
    res_model: 'mail.compose.message',
    res_id: forms.ids[0] ?? false,
    view_mode: 'form',
    views: [[false, 'form']],
    target: 'new',
  })

export default implement(compose, {
  methods: {
    action_send_mail: sendForm,
    async create_mail_template(forms) {
      const form = await forms.one(['model', 'subject', 'body', 'template_name'])
      await forms.write({ template_id: await keepTemplate(forms.env, form) })
      return reopened(forms)
    },
    async cancel_save_template(forms) {
      assertNoneMissing(forms, await forms.load(['subject']))
      return reopened(forms)
    },
  },
})

/** The form in front of records by which a mail about them is written. Throws AccessError, MissingError. */
export async function composing<N extends ModelName>(
  records: Records<N>,
  context: object = {},
): Promise<object> {
  await assertAllowedAndExisting(records, 'read')
  return shownForm('Compose Email', 'mail.compose.message', {
    default_model: records.name,
    default_res_ids: records.ids,
    default_composition_mode: 'comment',
    ...context,
  })
}
