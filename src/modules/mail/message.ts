// Messages (mail.message): what they say of themselves, who has read them, and stars.
import { computed, computedTogether, implement, type Records, type Scope } from '#models'
import { nowUtc } from '../../kit/dates.ts'
import { FALSE, or, type Sql, sql } from '../../sql/index.ts'
import { assertNoneMissing, givenIds, plainText } from '../base/index.ts'
import { message } from './message.contract.ts'
import { recordNames } from './record-names.ts'
import { ofThread } from './rights.ts'

type Messages = Records<'mail.message'>

const PREVIEW = 190

/** The beginning of a body as text on one line. */
export function previewOf(body: string | null): string {
  const text = plainText(body).replace(/\s+/g, ' ')
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW - 1)}…` : text
}

/** Messages about no record are those of administrators. */
const loose = (scope: Scope): Sql =>
  scope.env.hasGroup('base.group_system') ? sql`COALESCE(${scope.column('res_id')}, 0) = 0` : FALSE

const notified = computedTogether(
  message,
  ['notification_ids.res_partner_id'],
  (rows) =>
    new Map(
      rows.map(({ id, notification_ids }) => [
        id,
        notification_ids.flatMap(({ res_partner_id: partner }) => partner ?? []),
      ]),
    ),
  { search: (operator, value) => [['notification_ids.res_partner_id', operator, value]] },
)

/** Marks notifications of the caller as read. */
async function markRead(messages: Messages): Promise<void> {
  const { env } = messages
  const unread = await env
    .sudo()
    .model('mail.notification')
    .search([
      ['mail_message_id', 'in', messages.ids],
      ['res_partner_id', '=', env.user.partnerId],
      ['is_read', '=', false],
    ])
  if (unread.length) await unread.write({ is_read: true, read_date: nowUtc(env.now()) })
}

/** Throws MissingError for messages that are gone, AccessError for those of records the caller may not read. */
async function readableMessages(messages: Messages) {
  const rows = await messages.load([
    'starred',
    'date',
    'body',
    'subject',
    'author_id.display_name',
    'message_type',
  ])
  assertNoneMissing(messages, rows)
  return rows
}

export default implement(message, {
  defaults: {
    date: (env) => nowUtc(env.now()),
    author_id: (env) => env.user.partnerId,
  },
  computed: {
    preview: computed(message, ['body'], ({ body }) => previewOf(body)),
    record_name: computedTogether(message, ['model', 'res_id'], (rows, env) =>
      recordNames(
        rows.map(({ id, model, res_id }) => ({ id, place: model, record: res_id })),
        env,
      ),
    ),
    is_current_user_or_guest_author: computed(
      message,
      ['author_id'],
      ({ author_id }, env) => author_id?.id === env.user.partnerId,
    ),
    notified_partner_ids: notified,
    needaction: computed(message, [], () => false, {
      sql: ({ id, env }) =>
        sql`EXISTS (SELECT FROM mail_notification n WHERE n.mail_message_id = ${id} AND n.res_partner_id = ${env.user.partnerId}::int AND n.notification_type = 'inbox' AND n.is_read IS NOT TRUE)`,
    }),
    has_error: computed(message, [], () => false, {
      sql: ({ id }) =>
        sql`EXISTS (SELECT FROM mail_notification n WHERE n.mail_message_id = ${id} AND n.notification_status IN ('bounce', 'exception'))`,
    }),
    starred: computed(message, [], () => false, {
      sql: ({ id, env }) =>
        sql`EXISTS (SELECT FROM mail_message_res_partner_starred_rel s WHERE s.mail_message_id = ${id} AND s.res_partner_id = ${env.user.partnerId}::int)`,
    }),
    readable: computed(message, [], () => false, {
      sql: (scope) => or([loose(scope), ofThread(scope, 'model', 'res_id', 'read')]),
    }),
    writable: computed(message, [], () => false, {
      sql: (scope) => or([loose(scope), ofThread(scope, 'model', 'res_id', 'write')]),
    }),
  },
  methods: {
    async toggle_message_starred(messages) {
      const rows = await readableMessages(messages)
      const partner = messages.env.user.partnerId
      for (const starred of [true, false]) {
        const ids = rows.filter((row) => row.starred === starred).map(({ id }) => id)
        if (ids.length)
          await messages
            .sudo()
            .browse(ids)
            .write({ starred_partner_ids: [[starred ? 3 : 4, partner]] })
      }
      return null
    },
    async unstar_all({ env }) {
      const partner = env.user.partnerId
      const starred = await env.model('mail.message').search([['starred_partner_ids', 'in', [partner]]])
      if (starred.length) await starred.sudo().write({ starred_partner_ids: [[3, partner]] })
      return null
    },
    async set_message_done(messages) {
      await readableMessages(messages)
      await markRead(messages)
      return null
    },
    async mark_all_as_read({ env }, { domain }) {
      const messages = env.model('mail.message')
      const ids = await messages.invoke('search', { domain: [['needaction', '=', true], ...domain] })
      const unread = messages.browse(givenIds(ids))
      await markRead(unread)
      return unread.ids
    },
    async portal_message_format(messages) {
      return (await readableMessages(messages)).map(
        ({ id, body, date, subject, author_id, message_type }) => ({
          id,
          body,
          date,
          subject: subject ?? false,
          message_type,
          author_id: author_id ? [author_id.id, author_id.display_name] : false,
          published_date_str: date,
        }),
      )
    },
  },
})
