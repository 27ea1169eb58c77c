// The queue of mails: those that wait are locked by the run that sends them, and marked in its transaction. A
// process that dies sends its mails again, with the same Message-Id.
import { readContents } from '#engine'
import type { Environment, Records } from '#models'
import { UserError } from '../../errors.ts'
import { nowUtc } from '../../kit/dates.ts'
import { idList, sql } from '../../sql/index.ts'
import { plainText } from '../base/index.ts'
import { type Failure, failureOf, type Letter, Postman, type Server, serverPaths } from './smtp.ts'

type Mails = Records<'mail.mail'>

/** Mails that one run sends: the next takes the rest. */
const MOST_IN_RUN = 50
/** Days for which a server that cannot be reached is tried again. */
const TRIED_FOR = 3
const MEGABYTE = 1024 * 1024
const MOST_MEGABYTES = 25

/** Mails that a run has locked, and the identity of the database, which their Message-Ids contain. */
interface Locked {
  readonly mails: Mails
  readonly database: string
}

/** Mails of some states: those named, or all. `early`: before their scheduled date too. */
interface Wanted {
  readonly ids: readonly number[]
  readonly states: readonly string[]
  readonly early: boolean
  readonly most: number
}

/**
 * Locks those of the mails that no other run has locked: first those that did not fail yet, then those whose
 * last attempt is longest ago. Notifications, which are marked after sending, are locked before: a conflict
 * afterwards would repeat the transaction, and send again.
 */
async function lock(env: Environment, { ids: named, states, early, most }: Wanted): Promise<Locked> {
  const rows = await env.rows(
    sql`SELECT id, (SELECT value FROM ir_config_parameter WHERE key = 'database.uuid') FROM mail_mail
      WHERE state = ANY(${states}::text[]) AND (cardinality(${idList(named)}) = 0 OR id = ANY(${idList(named)}))
        AND (${early}::boolean OR scheduled_date IS NULL OR scheduled_date <= now() AT TIME ZONE 'UTC')
      ORDER BY failure_reason IS NOT NULL, write_date, id LIMIT ${most}::int FOR UPDATE SKIP LOCKED`,
    { reads: ['mail.mail', 'ir.config_parameter'], row: ['int', 'text'] },
  )
  const ids = rows.map(([id]) => id)
  if (ids.length)
    await env.rows(
      sql`SELECT id FROM mail_notification WHERE mail_mail_id = ANY(${idList(ids)}) ORDER BY id FOR UPDATE`,
      { reads: ['mail.notification'], row: ['int'] },
    )
  return { mails: env.sudo().model('mail.mail').browse(ids), database: rows[0]?.[1] ?? '' }
}

/** Sends those of some mails that wait, or of all. */
export async function processQueue(env: Environment, ids: readonly number[], size: number): Promise<void> {
  const most = Math.max(0, Math.min(size, MOST_IN_RUN))
  const locked = await lock(env, { ids, states: ['outgoing'], early: false, most })
  const left = await deliver(locked, false)
  // A run that moved nothing is repeated by the clock: its servers cannot be reached.
  if (locked.mails.length === MOST_IN_RUN && left > 0) await scheduleSending(env)
}

/**
 * Sends mails that wait or that failed, now. Throws UserError for the first that fails, where that is asked
 * for and none was sent before.
 */
export async function sendNow(mails: Mails, raises: boolean): Promise<void> {
  const { env, ids, length: most } = mails
  if (most === 0) return
  await deliver(await lock(env, { ids, states: ['outgoing', 'exception'], early: true, most }), raises)
}

/** A copy sends nothing that the original queued, not even once it has a server of its own. */
export async function cancelWaiting(env: Environment): Promise<void> {
  await env.execute(sql`UPDATE mail_mail SET state = 'cancel' WHERE state = 'outgoing'`, {
    reads: ['mail.mail'],
  })
}

/** The job that sends mails begins as soon as this call is committed. */
export async function scheduleSending(env: Environment): Promise<void> {
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
  return servers.load(serverPaths)
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

/** Sends mails and marks what became of them; answers how many have left the queue. */
async function deliver({ mails, database }: Locked, raises: boolean): Promise<number> {
  const { env } = mails
  const servers = mails.length ? await serversOf(env) : []
  // Without a server mails wait.
  if (servers.length === 0) {
    if (raises && mails.length)
      throw new UserError('No outgoing mail server is configured: add one (ir.mail_server).')
    return 0
  }
  const rows = await rowsOf(mails)
  const postman = new Postman()
  let [sent, left] = [0, 0]
  try {
    for (const row of rows) {
      const { mail_message_id: message } = row
      const server = serverFor(servers, message.mail_server_id?.id, message.email_from ?? '')
      const size = message.attachment_ids.reduce((sum, { file_size }) => sum + file_size, 0)
      const failure =
        size > (server?.max_email_size || MOST_MEGABYTES) * MEGABYTE
          ? failureOf(
              'unknown',
              'The attachments are larger than the mail server accepts: send links instead.',
              true,
            )
          : await postman.deliver(server, await letterOf(env, row, database))
      if (failure && raises && sent === 0) throw new UserError(`The mail was not sent: ${failure.reason}`)
      if (!failure) sent++
      if (await settle(mails.browse([row.id]), row, failure)) left++
    }
  } finally {
    postman.close()
  }
  return left
}

/** Values that the run needs of its mails: contents of files are read for one mail at a time. */
const rowsOf = (mails: Mails) =>
  mails.load([
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
    'mail_message_id.attachment_ids.file_size',
    'create_date',
    'auto_delete',
  ])

async function letterOf(
  env: Environment,
  row: Awaited<ReturnType<typeof rowsOf>>[number],
  database: string,
): Promise<Letter> {
  const { mail_message_id: message } = row
  const files = message.attachment_ids
  const contents = files.length
    ? await readContents(env, 'id', sql`id = ANY(${idList(files.map(({ id }) => id))})`)
    : new Map<number, Buffer | null>()
  const markup = row.body_html || message.body || ''
  return {
    from: message.email_from,
    replyTo: message.reply_to,
    to: [row.email_to, ...row.recipient_ids.map(({ email }) => email)].flatMap((to) => to || []),
    cc: row.email_cc,
    subject: message.subject ?? '',
    html: markup,
    text: plainText(markup),
    messageId: message.message_id ?? `<${message.id}.${row.id}.${database}@comptoir>`,
    files: files.map(({ id, name, mimetype }) => ({ name, mimetype, content: contents.get(id) ?? null })),
  }
}

interface Settled {
  readonly create_date: string | null
  readonly auto_delete: boolean
}

/** Marks a mail and the notifications of its recipients; whether it has left the queue. */
async function settle(mails: Mails, row: Settled, failure: Failure | null): Promise<boolean> {
  const { env } = mails
  const patience = new Date(env.now().getTime() - TRIED_FOR * 86_400_000)
  const isOver = failure?.isFinal === true || (row.create_date ?? '') < nowUtc(patience)
  const notifications = await env.model('mail.notification').search([['mail_mail_id', 'in', mails.ids]])
  if (!failure) {
    if (notifications.length) await notifications.write({ notification_status: 'sent', failure_type: null })
    if (row.auto_delete)
      await env.execute(sql`DELETE FROM mail_mail WHERE id = ANY(${idList(mails.ids)})`, {
        reads: ['mail.mail'],
      })
    else await mails.write({ state: 'sent', failure_type: null, failure_reason: null })
    return true
  }
  const { type: failure_type, reason: failure_reason } = failure
  await mails.write({ failure_type, failure_reason, ...(isOver && { state: 'exception' as const }) })
  if (isOver && notifications.length)
    await notifications.write({ notification_status: 'exception', failure_type, failure_reason })
  return isOver
}
