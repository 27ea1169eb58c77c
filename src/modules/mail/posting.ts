// Posting: a message with its parts is judged, written, and sent to its followers and recipients.
import type { Environment } from '#models'
import { AccessError, InvalidValue, MissingError, UserError } from '../../errors.ts'
import { html, raw } from '../../kit/html.ts'
import { isId } from '../../kit/present.ts'
import { idList, sql } from '../../sql/index.ts'
import { assertNoneMissing } from '../base/index.ts'
import { notify } from './notify.ts'
import { follow, openThreads } from './opening.ts'
import { authorizedThreads, namedRecord, openingKind, type Threads } from './place.ts'

/** Parts of a message as they were sent. */
export interface PostParams {
  readonly body: unknown
  readonly body_is_html: boolean
  readonly subject: unknown
  readonly message_type: string
  readonly email_from: unknown
  readonly author_id: unknown
  readonly parent_id: unknown
  readonly subtype_xmlid: unknown
  readonly subtype_id: unknown
  readonly partner_ids: unknown
  readonly outgoing_email_to: unknown
  readonly incoming_email_to: unknown
  readonly incoming_email_cc: unknown
  readonly attachments: unknown
  readonly attachment_ids: unknown
  readonly reply_to: unknown
  readonly mail_server_id: unknown
  readonly email_layout_xmlid: unknown
}

/** Contacts that one message may be sent to, and files that it may carry. */
const [MOST_RECIPIENTS, MOST_FILES] = [500, 100]
const LINE = /\r\n|\r|\n/

/** Ids of a list, each once. Throws InvalidValue for what is not a list of ids, UserError for too many. */
export function idsArgument(list: unknown, name: string, most = MOST_RECIPIENTS): readonly number[] {
  if (list === null || list === undefined || list === false) return []
  if (!Array.isArray(list) || !list.every(isId)) throw new InvalidValue(`${name} must be a list of ids.`)
  const ids: readonly number[] = [...new Set(list)]
  if (ids.length > most)
    throw new UserError(`${name} may name ${most} records at most: send several messages.`)
  return ids
}

/** The id that a value is, or null for an empty value. Throws InvalidValue for others. */
export function idArgument(value: unknown, name: string): number | null {
  if (value === null || value === undefined || value === false) return null
  if (!isId(value)) throw new InvalidValue(`${name} must be the id of a record, such as 12.`)
  return value
}

/** A text on one line, which may stand in the head of a mail. Throws InvalidValue for others. */
export function headText(value: unknown, name: string): string | null {
  if (value === null || value === undefined || value === false || value === '') return null
  if (typeof value !== 'string') throw new InvalidValue(`${name} is a text.`)
  if (LINE.test(value)) throw new InvalidValue(`${name} must be a single line of text.`)
  return value
}

/** Text becomes paragraphs; markup is cleaned when it is written. */
export function bodyOf(body: unknown, isHtml: boolean): string {
  if (body === null || body === false || body === '') return ''
  if (typeof body !== 'string') throw new InvalidValue('body must be a text.')
  if (isHtml) return body
  const lines = body.split(LINE).map((line, i) => html`${i > 0 && raw('<br>')}${line}`)
  return html`<p>${lines}</p>`.toString()
}

const isTrusted = (env: Environment): boolean => env.su || env.hasGroup('base.group_system')

/** The author: the caller, or the contact that an administrator names. Throws AccessError for others. */
function authorOf(env: Environment, value: unknown): number {
  const author = idArgument(value, 'author_id') ?? env.user.partnerId
  if (author !== env.user.partnerId && !isTrusted(env))
    throw new AccessError('You can only write messages in your own name: leave author_id out.')
  return author
}

/**
 * The sender that was given: an address of the caller, or any that an administrator names. Throws AccessError
 * for others.
 */
export function senderOf(env: Environment, value: unknown, addresses: readonly unknown[]): string | null {
  const sender = headText(value, 'email_from')
  if (sender !== null && !addresses.includes(sender) && !isTrusted(env))
    throw new AccessError('You can only send mails from your own address: leave email_from out.')
  return sender
}

/** The server that was given: only administrators choose one past its filter of senders. Throws AccessError. */
function serverOf(env: Environment, value: unknown): number | null {
  const server = idArgument(value, 'mail_server_id')
  if (server !== null && !isTrusted(env))
    throw new AccessError('The mail server follows from the sender: leave mail_server_id out.')
  return server
}

/** The kind of a message: by external id, by id, or a note. Throws UserError for one that is not there. */
async function kindOf(env: Environment, xmlid: unknown, value: unknown): Promise<number> {
  const id = idArgument(value, 'subtype_id')
  if (id !== null) {
    const kind = env.model('mail.message.subtype').browse([id])
    assertNoneMissing(kind, await kind.load(['name']))
    return id
  }
  const wanted = headText(xmlid, 'subtype_xmlid') ?? 'mail.mt_note'
  const kind = await namedRecord(env, 'mail.message.subtype', wanted)
  if (kind === null)
    throw new UserError(`Unknown message subtype ${wanted}: use for example mail.mt_comment or mail.mt_note.`)
  return kind
}

/** A message that is answered: one of the same record. */
async function parentOf(place: Threads, value: unknown): Promise<number | null> {
  const wanted = idArgument(value, 'parent_id')
  const messages = place.env.model('mail.message')
  if (wanted !== null) {
    const [parent] = await messages.browse([wanted]).load(['model', 'res_id'])
    if (!parent) throw new MissingError('The parent message no longer exists.')
    if (parent.model !== place.name || parent.res_id !== place.ensureOne())
      throw new UserError('The parent message belongs to another record.')
    return wanted
  }
  if ((await openingKind(place)) === 'mail.mt_note') return null
  const first = await place.env.rows(
    sql`SELECT id FROM mail_message WHERE model = ${place.name} AND res_id = ${place.ensureOne()}::int AND opens`,
    { reads: ['mail.message'], row: ['int'] },
  )
  return first[0]?.[0] ?? null
}

/** Files by id, which the caller may read. Throws AccessError, MissingError. */
export async function filesOf(env: Environment, list: unknown): Promise<readonly number[]> {
  const files = env.model('ir.attachment').browse(idsArgument(list, 'attachment_ids', MOST_FILES))
  if (files.length) assertNoneMissing(files, await files.load(['name']))
  return files.ids
}

/** Files by id, and those that are sent along, which belong to the record. */
async function allFilesOf(place: Threads, params: PostParams): Promise<readonly number[]> {
  const files = await filesOf(place.env, params.attachment_ids)
  const sent = params.attachments ?? []
  if (!Array.isArray(sent) || !sent.every(isFile))
    throw new InvalidValue('attachments must be a list of pairs: file name and content as text.')
  if (sent.length > MOST_FILES)
    throw new UserError(`A message may carry ${MOST_FILES} files at most: send several messages.`)
  if (sent.length === 0) return files
  const createdFiles = await place.env.model('ir.attachment').create(
    sent.map(([name, content]) => ({
      name,
      raw: content,
      res_model: place.name,
      res_id: place.ensureOne(),
    })),
  )
  return [...files, ...createdFiles.ids]
}

const isFile = (file: unknown): file is readonly [string, string] =>
  Array.isArray(file) && typeof file[0] === 'string' && typeof file[1] === 'string'

/** Contacts that a message is for, which the caller may read. */
export async function recipientsOf(env: Environment, list: unknown): Promise<readonly number[]> {
  const partners = env.model('res.partner').browse(idsArgument(list, 'partner_ids'))
  if (partners.length) assertNoneMissing(partners, await partners.load(['name']))
  return partners.ids
}

const messageTypes = new Set(['comment', 'notification', 'email_outgoing', 'email', 'auto_comment'])

/** The company of a record, or null where its model or the record has none. */
async function companyOf(place: Threads): Promise<number | null> {
  if (!place.env.def(place.name).fields.has('company_id')) return null
  const rows: readonly Readonly<Record<string, unknown>>[] = await place.sudo().read(['company_id'], null)
  return Number(rows[0]?.company_id) || null
}

/** Values of a message that were judged. */
async function valuesOf(place: Threads, params: PostParams) {
  const { env } = place
  const author = authorOf(env, params.author_id)
  const [writer] = await env.sudo().model('res.partner').browse([author]).load(['email', 'name'])
  if (!writer) throw new MissingError('The author no longer exists.')
  const address = writer.email ? `"${writer.name?.replaceAll('"', '') ?? ''}" <${writer.email}>` : null
  return {
    model: place.name,
    res_id: place.ensureOne(),
    record_company_id: await companyOf(place),
    body: bodyOf(params.body, params.body_is_html),
    subject: headText(params.subject, 'subject'),
    subtype_id: await kindOf(env, params.subtype_xmlid, params.subtype_id),
    author_id: author,
    email_from: senderOf(env, params.email_from, [writer.email, address]) ?? address,
    reply_to: headText(params.reply_to, 'reply_to'),
    outgoing_email_to: headText(params.outgoing_email_to, 'outgoing_email_to'),
    incoming_email_to: headText(params.incoming_email_to, 'incoming_email_to'),
    incoming_email_cc: headText(params.incoming_email_cc, 'incoming_email_cc'),
    mail_server_id: serverOf(env, params.mail_server_id),
    email_layout_xmlid: headText(params.email_layout_xmlid, 'email_layout_xmlid'),
  }
}

/** Adds a message to the thread of one record. Its author follows it from then on. */
export async function post(records: Threads, params: PostParams): Promise<readonly number[]> {
  records.ensureOne()
  const place = await authorizedThreads(records, 'write')
  const { env } = place
  if (!messageTypes.has(params.message_type))
    throw new UserError(
      `Invalid message_type ${JSON.stringify(params.message_type)}: use ${[...messageTypes].join(', ')}.`,
    )
  const values = await valuesOf(place, params)
  const recipients = await recipientsOf(env, params.partner_ids)
  const files = await allFilesOf(place, params)
  openThreads(place, await openingKind(place))
  const message = await env
    .sudo()
    .model('mail.message')
    .create([
      {
        ...values,
        message_type: params.message_type as 'comment',
        parent_id: await parentOf(place, params.parent_id),
        partner_ids: [[6, 0, recipients]],
        attachment_ids: [[6, 0, files]],
      },
    ])
  if (params.message_type === 'comment') follow(place, [values.author_id])
  const followers = await listenersOf(place, values.subtype_id)
  await notify(message, [...followers, ...recipients])
  return message.ids
}

/** Followers that chose the kind of a message. */
async function listenersOf(place: Threads, kind: number): Promise<readonly number[]> {
  const rows = await place.env.rows(
    sql`SELECT f.partner_id FROM mail_followers f JOIN mail_followers_mail_message_subtype_rel k ON k.mail_followers_id = f.id
      JOIN res_partner p ON p.id = f.partner_id
      WHERE f.res_model = ${place.name} AND f.res_id = ANY(${idList(place.ids)}) AND k.mail_message_subtype_id = ${kind}::int AND p.active ORDER BY f.id`,
    { reads: ['mail.followers', 'res.partner'], row: ['int'] },
  )
  return rows.map(([partner]) => partner)
}

/** Sends contacts something about a record, which begins no thread and makes no follower. */
export async function notifyContacts(records: Threads, params: PostParams): Promise<readonly number[]> {
  records.ensureOne()
  const place = await authorizedThreads(records, 'write')
  const { env } = place
  const recipients = await recipientsOf(env, params.partner_ids)
  if (recipients.length === 0)
    throw new UserError('The notification has no recipients: pass contacts in partner_ids.')
  const values = await valuesOf(place, params)
  const files = await allFilesOf(place, params)
  const message = await env
    .sudo()
    .model('mail.message')
    .create([
      {
        ...values,
        message_type: 'user_notification',
        partner_ids: [[6, 0, recipients]],
        attachment_ids: [[6, 0, files]],
      },
    ])
  await notify(message, recipients)
  return message.ids
}
