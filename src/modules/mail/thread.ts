// Threads (mail.thread): what models take over whose records have messages and followers.
import {
  abstract,
  boolean,
  computed,
  computedTogether,
  type Environment,
  implement,
  integer,
  many2many,
  type Of,
  one2many,
  optional,
  required,
  returns,
  type Scope,
} from '#models'
import { type Sql, sql } from '../../sql/index.ts'
import { concerning, writingFollowers } from './mixin-writes.ts'
import { SYSTEM } from './opening.ts'
import { threadRuns } from './thread-runs.ts'

const any = (annotation: string, fallback: unknown) => optional<unknown>('any', fallback, { annotation })
const posted = returns<readonly number[]>('ids', 'list[int]', 'The message')

/** Parts that a message may be given with its text. */
const parts = {
  subject: any('str | None', null),
  message_type: optional<string>('string', 'notification', { annotation: 'str' }),
  email_from: any('str | None', null),
  author_id: any('int | None', null),
  parent_id: any('int | None', false),
  subtype_xmlid: any('str | None', null),
  subtype_id: any('int | None', false),
  partner_ids: any('list[int] | None', null),
  outgoing_email_to: any('str | None', false),
  incoming_email_to: any('str | None', false),
  incoming_email_cc: any('str | None', false),
  attachments: any('list | None', null),
  attachment_ids: any('list[int] | None', null),
  body_is_html: optional<boolean>('boolean', false, { annotation: 'bool' }),
  reply_to: any('str | None', null),
  mail_server_id: any('int | None', null),
  email_layout_xmlid: any('str | None', null),
} as const

/** The template by its id or external id, and values that its expressions may name besides. */
const source = {
  source_ref: required<unknown>('any', { annotation: 'str | int' }),
  render_values: any('dict | None', null),
} as const

/** Parts of a message that may be given with what a template writes. */
const written = {
  message_type: parts.message_type,
  subtype_xmlid: parts.subtype_xmlid,
  subtype_id: parts.subtype_id,
  subject: parts.subject,
  email_from: parts.email_from,
  author_id: parts.author_id,
  partner_ids: parts.partner_ids,
  attachment_ids: parts.attachment_ids,
  reply_to: parts.reply_to,
  email_layout_xmlid: parts.email_layout_xmlid,
} as const

export const threadMethods = {
  message_post: {
    doc: 'Adds a message to the thread of a record, and notifies its followers and recipients. Returns the message.',
    params: { body: any('str', ''), ...parts },
    returns: posted,
  },
  message_notify: {
    doc: 'Notifies contacts about a record, without its followers.',
    params: {
      body: any('str', ''),
      ...parts,
      model: any('str | None', false),
      res_id: any('int | None', false),
    },
    returns: posted,
  },
  message_post_with_source: {
    doc: 'Posts the text of a template to each record. Returns the messages.',
    params: { ...source, ...written },
    returns: posted,
  },
  message_mail_with_source: {
    doc: 'Renders an email by a template for each record and queues it. Returns the emails.',
    params: {
      ...source,
      message_type: parts.message_type,
      auto_commit: any('bool', false),
      subject: any('str | None', null),
      email_from: any('str | None', null),
      email_to: any('str | None', null),
      email_cc: any('str | None', null),
      reply_to: any('str | None', null),
      partner_ids: any('list[int] | None', null),
    },
    returns: returns<readonly number[]>('ids', 'list[int]', 'Mails'),
  },
  message_subscribe: {
    doc: 'Adds contacts as followers of the records.',
    params: {
      partner_ids: any('list[int] | None', null),
      subtype_ids: any('list[int] | None', null),
    },
    returns: returns<true>('boolean', 'bool'),
  },
  message_unsubscribe: {
    doc: 'Removes contacts from the followers of the records.',
    params: { partner_ids: any('list[int] | None', null) },
    returns: returns<null>('nothing', 'None'),
  },
  message_get_followers: {
    doc: 'Returns a page of the followers of a record, after the follower `after`.',
    readonly: true,
    params: {
      after: any('int | None', null),
      limit: optional<number>('integer', 100, { annotation: 'int' }),
      filter_recipients: optional<boolean>('boolean', false, { annotation: 'bool' }),
    },
    returns: returns<readonly object[]>('array', 'list[dict]'),
  },
  opening_kind: {
    doc: 'External id of the message subtype for new records.',
    level: 'model',
    private: true,
    params: {},
    returns: returns<string>('string', 'str'),
  },
} as const

const thread = abstract('mail.thread', {
  label: 'Email Thread',
  logAccess: true,
  fields: {
    message_ids: one2many('mail.message', 'res_id', { label: 'Messages' }),
    website_message_ids: one2many('mail.message', 'res_id', {
      label: 'Website Messages',
      domain: [['message_type', 'in', ['comment', 'email', 'email_outgoing', 'auto_comment']]],
      help: 'Messages written by users.',
    }),
    message_follower_ids: one2many('mail.followers', 'res_id', { label: 'Followers' }),
    message_partner_ids: many2many('res.partner', {
      label: 'Followers (Partners)',
      computed: true,
      readonly: false,
    }),
    message_is_follower: boolean({ label: 'Is Follower', computed: true }),
    message_is_open: boolean({
      label: 'Thread Was Written To',
      computed: true,
      help: 'The note of the creation and its author as a follower are written with the first message.',
    }),
    has_message: boolean({ label: 'Has Message', computed: true }),
    message_attachment_count: integer({ label: 'Attachment Count', computed: true }),
    message_needaction: boolean({ label: 'Action Needed', computed: true }),
    message_needaction_counter: integer({ label: 'Number of Actions', computed: true }),
    message_has_error: boolean({ label: 'Message Delivery error', computed: true }),
    message_has_error_counter: integer({ label: 'Number of errors', computed: true }),
  },
  methods: threadMethods,
})

declare module '#models' {
  interface Models {
    'mail.thread': MailThread
  }
  interface MailThread extends Of<typeof thread> {}
}

/** Messages of a record with a notification of some kind. */
const notifiedCount = ({ model, id }: Scope, which: Sql): Sql =>
  sql`(SELECT count(DISTINCT m.id)::int FROM mail_message m JOIN mail_notification n ON n.mail_message_id = m.id
    WHERE m.model = ${model.name} AND m.res_id = ${id} AND ${which})`
const unread = (scope: Scope): Sql =>
  notifiedCount(
    scope,
    sql`n.res_partner_id = ${scope.env.user.partnerId}::int AND n.notification_type = 'inbox' AND n.is_read IS NOT TRUE`,
  )
const failed = (scope: Scope): Sql =>
  notifiedCount(
    scope,
    sql`n.notification_status IN ('bounce', 'exception') AND m.author_id = ${scope.env.user.partnerId}::int`,
  )
const isOpen = ({ model, id }: Scope): Sql =>
  sql`EXISTS (SELECT FROM mail_message m WHERE m.model = ${model.name} AND m.res_id = ${id} AND m.opens)`
const follows = (scope: Scope): Sql =>
  sql`(EXISTS (SELECT FROM mail_followers f WHERE f.res_model = ${scope.model.name} AND f.res_id = ${scope.id} AND f.partner_id = ${scope.env.user.partnerId}::int)
    OR (${scope.column('create_uid')} = ${scope.env.uid}::int AND NOT ${isOpen(scope)}))`

interface Started {
  readonly id: number
  readonly create_uid: { readonly id: number } | null
  readonly message_is_open: boolean
}

/** Contacts of those who created records and follow them by that, by record: until threads are written to. */
async function creatorsOf(env: Environment, rows: readonly Started[]): Promise<Map<number, number[]>> {
  const fresh = rows.filter((row) => !row.message_is_open && row.create_uid && row.create_uid.id !== SYSTEM)
  if (fresh.length === 0) return new Map()
  const users = env.model('res.users').browse([...new Set(fresh.flatMap((row) => row.create_uid?.id ?? []))])
  const partners = new Map(
    (await users.sudo().load(['partner_id'])).map((user) => [user.id, user.partner_id.id]),
  )
  return new Map(
    fresh.map(({ id, create_uid }) => {
      const partner = partners.get(create_uid?.id ?? 0)
      return [id, partner === undefined ? [] : [partner]]
    }),
  )
}

export default implement(thread, {
  computed: {
    message_partner_ids: computedTogether(
      thread,
      ['message_follower_ids.partner_id', 'create_uid', 'message_is_open'],
      async (rows, env) => {
        const creators = await creatorsOf(env, rows)
        return new Map(
          rows.map(({ id, message_follower_ids }) => [
            id,
            [...(creators.get(id) ?? []), ...message_follower_ids.map(({ partner_id }) => partner_id.id)],
          ]),
        )
      },
      {
        search: (operator, value) => [
          '|',
          ['message_follower_ids.partner_id', operator, value],
          '&',
          ['create_uid.partner_id', operator, value],
          ['message_is_open', '=', false],
        ],
      },
    ),
    message_is_open: computed(thread, [], () => false, { sql: isOpen }),
    message_is_follower: computed(thread, [], () => false, { sql: follows }),
    // The note of its creation at least.
    has_message: computed(thread, [], () => true, { sql: () => sql`TRUE` }),
    message_attachment_count: computed(thread, [], () => 0, {
      sql: ({ model, id }) =>
        sql`(SELECT count(*)::int FROM ir_attachment a WHERE a.res_model = ${model.name} AND a.res_id = ${id} AND a.res_field IS NULL)`,
    }),
    message_needaction: computed(thread, [], () => false, { sql: (scope) => sql`(${unread(scope)} > 0)` }),
    message_needaction_counter: computed(thread, [], () => 0, { sql: unread }),
    message_has_error: computed(thread, [], () => false, { sql: (scope) => sql`(${failed(scope)} > 0)` }),
    message_has_error_counter: computed(thread, [], () => 0, { sql: failed }),
  },
  methods: threadRuns,
  concerns: concerning('message_partner_ids'),
  wrapWrite: writingFollowers,
})
