// The queue of mails: those that wait are taken one process at a time, sent, and marked in the transaction
// that took them. A process that dies sends its mails again, with the same Message-Id.
import type { Environment, Records } from '#models'
import { UserError } from '../../errors.ts'
import { nowUtc } from '../../kit/dates.ts'
import { idList, sql } from '../../sql/index.ts'
import { plainText } from '../base/index.ts'
import { type Failure, failureOf, type Letter, Postman, type Server } from './smtp.ts'

type Mails = Records<'mail.mail'>

/** Mails that one run sends: the next takes the rest. */
const MOST_IN_RUN = 50
/** Days for which a server that cannot be reached is tried again. */
const TRIED_FOR = 3
const MEGABYTE = 1024 * 1024
const MOST_MEGABYTES = 25

/** Sends those of some mails that wait, oldest first. */
export async function processQueue(env: Environment, ids: readonly number[], size: number): Promise<void> {
  const most = Math.max(0, Math.min(size, MOST_IN_RUN))
  const rows = await env.rows(
    sql`SELECT id FROM mail_mail WHERE state = 'outgoing' AND (scheduled_date IS NULL OR scheduled_date <= now() AT TIME ZONE 'UTC')
      AND (cardinality(${idList(ids)}) = 0 OR id = ANY(${idList(ids)})) ORDER BY id LIMIT ${most}::int FOR UPDATE SKIP LOCKED`,
    { reads: ['mail.mail'], row: ['int'] },
  )
  if (rows.length === 0) return
  await sendNow(
    env
      .sudo()
      .model('mail.mail')
      .browse(rows.map(([id]) => id)),
    false,
  )
  if (rows.length === MOST_IN_RUN) await wake(env)
}

/** The job that sends mails begins as soon as this call is committed. */
export async function wake(env: Environment): Promise<void> {
  const job = await env.find('mail.ir_cron_mail_scheduler_action')
  if (job !== null)
    await env
      .sudo()
      .model('ir.cron')
      .browse([job])
      .trigger({ at: nowUtc(env.now()) })
}

/** Servers that may send, by priority. */
async function serversOf(env: Environment): Promise<readonly Server[]> {
  const servers = await env.sudo().model('ir.mail_server').search([])
  return servers.load([
    'smtp_host',
    'smtp_port',
    'smtp_user',
    'smtp_pass',
    'smtp_encryption',
    'from_filter',
    'max_email_size',
  ])
}

/** The server of a mail: the one it names, else the first that sends for its author's address. */
function serverFor(servers: readonly Server[], named: number | undefined, from: string): Server | null {
  const address = (/<([^<>]*)>/.exec(from)?.[1] ?? from).trim().toLowerCase()
  const sends = ({ from_filter }: Server) =>
    !from_filter ||
    from_filter
      .toLowerCase()
      .split(',')
      .map((part) => part.trim())
      .some((part) => part === address || part === address.split('@')[1])
  return servers.find(({ id }) => id === named) ?? servers.find(sends) ?? null
}

/** Sends mails and marks what became of them. Throws UserError for the first that fails, where that is asked for. */
export async function sendNow(mails: Mails, raises: boolean): Promise<void> {
  const { env } = mails
  const servers = await serversOf(env)
  // Without a server mails wait.
  if (servers.length === 0) {
    if (raises) throw new UserError('There is no outgoing mail server: add one (ir.mail_server).')
    return
  }
  const rows = await mails
    .sudo()
    .load([
      'mail_message_id.email_from',
      'mail_message_id.reply_to',
      'email_to',
      'email_cc',
      'recipient_ids.email',
      'mail_message_id.subject',
      'body_html',
      'mail_message_id.body',
      'mail_message_id.message_id',
      'mail_message_id.mail_server_id',
      'mail_message_id.attachment_ids.name',
      'mail_message_id.attachment_ids.mimetype',
      'mail_message_id.attachment_ids.datas',
      'mail_message_id.attachment_ids.file_size',
      'create_date',
      'auto_delete',
    ])
  const postman = new Postman()
  try {
    for (const row of rows) {
      const { mail_message_id: message } = row
      const server = serverFor(servers, message.mail_server_id?.id, message.email_from ?? '')
      const markup = row.body_html || message.body || ''
      const letter: Letter = {
        from: message.email_from,
        replyTo: message.reply_to,
        to: [row.email_to, ...row.recipient_ids.map(({ email }) => email)].flatMap((to) => to || []),
        cc: row.email_cc,
        subject: message.subject ?? '',
        html: markup,
        text: plainText(markup),
        messageId: message.message_id ?? `<${message.id}.${row.id}@comptoir>`,
        files: message.attachment_ids,
      }
      const size = message.attachment_ids.reduce((sum, { file_size }) => sum + file_size, 0)
      const failure =
        size > (server?.max_email_size || MOST_MEGABYTES) * MEGABYTE
          ? failureOf('unknown', 'The files are larger than the server takes: send links to them.', true)
          : await postman.deliver(server, letter)
      if (failure && raises) throw new UserError(`The mail was not sent: ${failure.reason}`)
      await settle(mails.browse([row.id]), row, failure)
    }
  } finally {
    postman.close()
  }
}

interface Settled {
  readonly create_date: string | null
  readonly auto_delete: boolean
}

/** Marks one mail, and what its recipients are told of it. */
async function settle(mails: Mails, row: Settled, failure: Failure | null): Promise<void> {
  const { env } = mails
  const patience = new Date(env.now().getTime() - TRIED_FOR * 86_400_000)
  const isOver = failure?.isFinal || (row.create_date ?? '') < nowUtc(patience)
  const notifications = await env
    .sudo()
    .model('mail.notification')
    .search([['mail_mail_id', 'in', mails.ids]])
  if (!failure) {
    if (notifications.length) await notifications.write({ notification_status: 'sent', failure_type: null })
    const sent = mails.sudo()
    if (row.auto_delete)
      await env.execute(sql`DELETE FROM mail_mail WHERE id = ANY(${idList(mails.ids)})`, {
        reads: ['mail.mail'],
      })
    else await sent.write({ state: 'sent', failure_type: null, failure_reason: null })
    return
  }
  const { type: failure_type, reason: failure_reason } = failure
  await mails.sudo().write({ failure_type, failure_reason, ...(isOver && { state: 'exception' as const }) })
  if (isOver && notifications.length)
    await notifications.write({ notification_status: 'exception', failure_type, failure_reason })
}
