// Mails about records, as templates write them: their parts, and their way into the queue.
import type { ModelName, Records } from '#models'
import { InvalidValue, UserError } from '../../errors.ts'
import { assertAllowedAndExisting, assertNoneMissing } from '../base/index.ts'
import { filesOf, headText, idsArgument, recipientsOf, senderOf } from './posting.ts'
import { scheduleSending } from './queue.ts'
import { type Names, rendered } from './render.ts'
import { printedFiles } from './reports.ts'

export type Templates = Records<'mail.template'>

/** Values of a mail that a caller gives in place of what the template says. */
const overridable = ['subject', 'email_to', 'email_cc', 'reply_to'] as const
export const MOST_RECORDS = 500

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

/**
 * A mail as a template writes it about one record, with values that its expressions may name besides. Throws
 * AccessError for callers who may not write the record.
 */
export async function written(templates: Templates, id: number, names: Names = {}) {
  const { reports, ...mail } = await proposed(templates, id, names)
  const printed = await printedFiles(templates.env, reports, { model: mail.model, id })
  return { ...mail, files: [...mail.files, ...printed] }
}

/** The same before anything is printed: `reports` of it are still to come. */
export async function proposed(templates: Templates, id: number, names: Names = {}) {
  const { env } = templates
  const row = await templates.one([...templatePaths])
  if (!row.model || !env.unit.registry.get(row.model)?.hasTable)
    throw new UserError('The template has no model: set one (model_id).')
  const name = row.model as ModelName
  const record = env.model(name).browse([id])
  await assertAllowedAndExisting(record, 'write')
  const about = { model: name, id, lang: null, names }
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
    recipients: idsArgument(
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
export async function queueMails(
  templates: Templates,
  ids: readonly number[],
  options: Readonly<{ email_values: unknown; force_send: boolean; raise_exception: boolean; names?: Names }>,
): Promise<readonly number[]> {
  const { env } = templates
  templates.ensureOne()
  assertNoneMissing(templates, await templates.load(['name']))
  const overrides: Readonly<Record<string, unknown>> = Object(options.email_values || {})
  if (overrides !== options.email_values && options.email_values)
    throw new InvalidValue('email_values must be an object of values of the mail by name.')
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
  const more = await filesOf(env, overrides.attachment_ids)
  const subtype_id = await env.ref('mail.mt_note')
  const mails = []
  for (const id of idsArgument(ids, 'res_ids', MOST_RECORDS)) {
    const { recipients, files, body_html, ...values } = await written(templates, id, options.names)
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
      attachment_ids: [[6, 0, [...files, ...more]]] as [[6, 0, number[]]],
    })
  }
  const createdMails = await env.sudo().model('mail.mail').create(mails)
  if (options.force_send) await createdMails.send({ raise_exception: options.raise_exception })
  else if (createdMails.length) await scheduleSending(env)
  return createdMails.ids
}
