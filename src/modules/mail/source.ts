// Messages and mails about records, written by a template that the caller names.
import type { Environment, ModelName } from '#models'
import { InvalidValue, UserError } from '../../errors.ts'
import { assertAllowedAndExisting } from '../base/index.ts'
import { namedRecord, type Threads } from './place.ts'
import { idArgument, idsArgument, type PostParams } from './posting.ts'
import type { Names } from './render.ts'
import { MOST_RECORDS, proposed, queueMails, type Templates, written } from './written.ts'

/** A message by a template: what was given besides comes before what the template says. */
export type SourceParams = Partial<PostParams> & {
  readonly source_ref: unknown
  readonly render_values: unknown
}

const mailParts = ['subject', 'email_from', 'email_to', 'email_cc', 'reply_to'] as const
type MailParams = Pick<SourceParams, 'source_ref' | 'render_values' | 'partner_ids'> & {
  readonly [part in (typeof mailParts)[number]]: unknown
}

/** A template that the caller may read. Throws UserError where it is about another model than the records. */
export async function templateAbout(env: Environment, model: string, id: number): Promise<Templates> {
  const template = env.model('mail.template').browse([id])
  await assertAllowedAndExisting(template, 'read')
  const { model: subject } = await template.one(['model'])
  if (subject !== model)
    throw new UserError(`The template is about ${subject || 'no model'}: choose a template about ${model}.`)
  return template
}

/** A mail as a template writes it about a record, before anything is printed. Throws as `templateAbout`. */
export const proposedMail = async (
  env: Environment,
  { model, id }: { readonly model: ModelName; readonly id: number },
  template: number,
) => proposed(await templateAbout(env, model, template), id)

/** The template that a caller names by id or external id. Throws UserError for others, views among them. */
async function templateOf(records: Threads, source: unknown): Promise<Templates> {
  const id =
    typeof source === 'string'
      ? await namedRecord(records.env, 'mail.template', source)
      : idArgument(source, 'source_ref')
  if (id === null)
    throw new UserError(
      `source_ref is not a mail template: ${JSON.stringify(source)}. Pass the id or external id of a mail.template; views are not supported.`,
    )
  return templateAbout(records.env, records.name, id)
}

/** Values that expressions of a template may name besides the record. Throws InvalidValue for others. */
function namesGiven(values: unknown): Names {
  if (values === null || values === undefined || values === false) return {}
  if (typeof values !== 'object' || Array.isArray(values))
    throw new InvalidValue('render_values must be an object of values by name, such as {"room": "12"}.')
  const names = new Map<string, unknown>(Object.entries(values))
  for (const [name, value] of names)
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new InvalidValue(`render_values may have texts, numbers and booleans: ${name} is something else.`)
  return Object.fromEntries(names)
}

/** Posts a message to one record, with what a template writes about it. */
export async function postWritten(
  record: Threads,
  template: Templates | null,
  params: Partial<PostParams>,
  names: Names = {},
): Promise<readonly number[]> {
  const mail = template && (await written(template, record.ensureOne(), names))
  return postMail(
    record.env,
    { model: record.name, id: record.ensureOne() },
    {
      ...params,
      body: params.body || mail?.body_html || '',
      subject: params.subject || mail?.subject,
      partner_ids: [...idsArgument(params.partner_ids, 'partner_ids'), ...(mail?.recipients ?? [])],
      attachment_ids: [...idsArgument(params.attachment_ids, 'attachment_ids'), ...(mail?.files ?? [])],
      reply_to: params.reply_to || mail?.reply_to,
    },
    mail?.email_from || null,
  )
}

/**
 * Posts a mail to the thread of a record. `sender` is that of a template, which administrators write: the
 * caller did not choose it.
 */
export async function postMail(
  env: Environment,
  { model, id }: { readonly model: ModelName; readonly id: number },
  params: Partial<PostParams>,
  sender: string | null,
): Promise<readonly number[]> {
  const record = env.model(model as ModelName & 'mail.thread').browse([id])
  const message = await record.message_post({ ...params, body_is_html: true })
  if (sender && !params.email_from)
    await env.sudo().model('mail.message').browse(message).write({ email_from: sender })
  return message
}

export const sourceRuns = {
  async message_post_with_source(
    records: Threads,
    { source_ref, render_values, ...params }: SourceParams,
  ): Promise<readonly number[]> {
    const names = namesGiven(render_values)
    await assertAllowedAndExisting(records, 'write')
    const template = await templateOf(records, source_ref)
    const messages: number[] = []
    for (const id of idsArgument(records.ids, 'ids', MOST_RECORDS))
      messages.push(...(await postWritten(records.browse([id]), template, params, names)))
    return messages
  },
  async message_mail_with_source(records: Threads, params: MailParams): Promise<readonly number[]> {
    const names = namesGiven(params.render_values)
    await assertAllowedAndExisting(records, 'write')
    const template = await templateOf(records, params.source_ref)
    const email_values: Record<string, unknown> = Object.fromEntries(
      mailParts.flatMap((part) => (params[part] ? [[part, params[part]]] : [])),
    )
    if (params.partner_ids) email_values.recipient_ids = params.partner_ids
    return queueMails(template, records.ids, {
      email_values,
      names,
      force_send: false,
      raise_exception: false,
    })
  },
} as const
