// Notifications of a message: each contact once, and never its author. Those with an address get a mail.
import type { Records } from '#models'
import { present } from '../../kit/present.ts'
import { idList, sql } from '../../sql/index.ts'
import { scheduleSending } from './queue.ts'

type Message = Records<'mail.message'>

/** Writes the notifications of a new message, and puts mails into the queue where there is a server for them. */
export async function notify(message: Message, partners: readonly number[]): Promise<void> {
  const { env } = message
  const { author_id: author } = await message.one(['author_id'])
  const hearers = [...new Set(partners)].filter((partner) => partner !== author?.id)
  if (hearers.length === 0) return
  const mails = await mailsFor(message, hearers)
  const notifications = await env.model('mail.notification').create(
    hearers.map((partner) => ({
      mail_message_id: message.ensureOne(),
      res_partner_id: partner,
      author_id: author?.id ?? null,
      mail_mail_id: mails.get(partner) ?? null,
      notification_type: 'email' as const,
      notification_status: 'ready' as const,
    })),
  )
  // For the bound of mails in an hour: those that were sent are removed.
  if (mails.size)
    await env.execute(
      sql`UPDATE mail_notification SET mailed_at = now() AT TIME ZONE 'UTC'
      WHERE id = ANY(${idList(notifications.ids)}) AND mail_mail_id IS NOT NULL`,
      { reads: ['mail.notification'] },
    )
}

/** Mails by contact, of those that have an address. */
async function mailsFor(message: Message, partners: readonly number[]): Promise<Map<number, number>> {
  const { env } = message
  const servers = await env.model('ir.mail_server').searchCount([], 1)
  if (servers === 0) return new Map()
  const rows = await env.model('res.partner').browse(partners).load(['email'])
  const reached = rows.filter(({ email }) => email)
  if (reached.length === 0) return new Map()
  const mails = await env.model('mail.mail').create(
    reached.map(({ id }) => ({
      mail_message_id: message.ensureOne(),
      recipient_ids: [[6, 0, [id]]],
      is_notification: true,
      auto_delete: true,
    })),
  )
  await scheduleSending(env)
  return new Map(reached.map(({ id }, i) => [id, present(mails.ids[i])]))
}
