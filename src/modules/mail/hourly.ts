// The bound of mails that a user sends in an hour: users who may send receipts or documents may send them to
// any address.
import type { Environment } from '#models'
import { UserError } from '../../errors.ts'
import { sql } from '../../sql/index.ts'

/** The parameter that says how many, and how many without it. */
const PARAMETER = 'mail.hourly_limit'
const MOST = 2000
const MOST_ADDRESSES = 100

/** The values of a mail that name its receivers. */
interface Receivers {
  readonly email_to?: unknown
  readonly email_cc?: unknown
  readonly recipient_ids?: unknown
}

/**
 * Throws UserError for more mails than the user may send in an hour, and for a mail to very many addresses.
 * Administrators and the server itself send without a bound.
 */
export async function assertHourly(env: Environment, mails: readonly Receivers[]): Promise<void> {
  if (env.user.groups.has('base.group_system')) return
  const crowded = mails.some(
    ({ email_to, email_cc, recipient_ids }) =>
      addresses(email_to) + addresses(email_cc) + recipients(recipient_ids) > MOST_ADDRESSES,
  )
  if (crowded)
    throw new UserError(
      `Too many recipients: a mail may have at most ${MOST_ADDRESSES} addresses. Send several mails.`,
    )
  const [row] = await env.rows(
    sql`SELECT (SELECT count(*)::int FROM mail_message
        WHERE message_type = 'email_outgoing' AND create_uid = ${env.uid} AND create_date > now() AT TIME ZONE 'UTC' - interval '1 hour')
      + (SELECT count(*)::int FROM mail_notification
        WHERE mailed_at IS NOT NULL AND author_id = ${env.user.partnerId} AND mailed_at > now() AT TIME ZONE 'UTC' - interval '1 hour'),
      COALESCE((SELECT value FROM ir_config_parameter WHERE key = ${PARAMETER}), '')`,
    { reads: ['mail.message', 'mail.notification', 'ir.config_parameter'], row: ['int', 'text'] },
  )
  const [sent, setting] = row ?? [0, '']
  const most = /^\d{1,9}$/.test(setting) ? Number(setting) : MOST
  if (sent + mails.length > most)
    throw new UserError(
      `You have reached the limit of ${most} mails per hour: wait, or ask an administrator to raise the parameter ${PARAMETER}.`,
    )
}

const addresses = (text: unknown): number => (typeof text === 'string' ? text.split(/[,;]/).length : 0)

/** Recipients that commands link, as templates and notifications give them. */
const recipients = (commands: unknown): number =>
  Array.isArray(commands)
    ? commands.reduce(
        (sum: number, command) => sum + (Array.isArray(command?.[2]) ? command[2].length : 1),
        0,
      )
    : 0
