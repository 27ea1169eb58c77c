// Who is told of a message: each contact once, and never its author.
import type { Records } from '#models'

/** Writes down who is told of a new message. */
export async function notify(message: Records<'mail.message'>, partners: readonly number[]): Promise<void> {
  const { author_id: author } = await message.one(['author_id'])
  const told = [...new Set(partners)].filter((partner) => partner !== author?.id)
  if (told.length === 0) return
  await message.env.model('mail.notification').create(
    told.map((partner) => ({
      mail_message_id: message.ensureOne(),
      res_partner_id: partner,
      author_id: author?.id ?? null,
      notification_type: 'email' as const,
      notification_status: 'ready' as const,
    })),
  )
}
