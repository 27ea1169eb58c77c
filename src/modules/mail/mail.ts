// Outgoing mails (mail.mail): messages on their way. They wait in this table until a server took them.
import {
  boolean,
  char,
  datetime,
  implement,
  many2many,
  many2one,
  model,
  type Of,
  optional,
  type Records,
  returns,
  selection,
  text,
} from '#models'
import { assertAllowed, assertNoneMissing } from '../base/index.ts'
import { assertHourly } from './hourly.ts'
import { failureTypes } from './notification.ts'
import { processQueue, scheduleSending, sendNow } from './queue.ts'

const nothing = returns<null>('nothing', 'None')

const mail = model('mail.mail', {
  label: 'Outgoing Mails',
  order: 'id desc',
  recName: 'subject',
  inherits: { 'mail.message': 'mail_message_id' },
  changes: false,
  rules: { waiting: { index: ['id'], where: "state = 'outgoing'" } },
  fields: {
    mail_message_id: many2one('mail.message', {
      label: 'Message',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    body_html: text({ label: 'Text Contents' }),
    references: text({ label: 'References', readonly: true }),
    headers: text({ label: 'Headers', copy: false }),
    is_notification: boolean({ label: 'Notification Email' }),
    email_to: text({ label: 'To' }),
    email_cc: char({ label: 'Cc' }),
    recipient_ids: many2many('res.partner', { label: 'To (Partners)' }),
    state: selection(
      {
        outgoing: 'Outgoing',
        sent: 'Sent',
        received: 'Received',
        exception: 'Delivery Failed',
        cancel: 'Cancelled',
      },
      { label: 'Status', readonly: true, copy: false, default: 'outgoing' },
    ),
    failure_type: selection(failureTypes, { label: 'Failure type' }),
    failure_reason: text({ label: 'Failure Reason', readonly: true, copy: false }),
    auto_delete: boolean({
      label: 'Auto Delete',
      help: 'The mail is removed once it was sent; its message stays.',
    }),
    scheduled_date: datetime({ label: 'Scheduled Send Date', help: 'Earliest time of sending.' }),
  },
  methods: {
    send: {
      doc: 'Sends emails now, each through its mail server.',
      params: {
        auto_commit: optional<boolean>('boolean', false, { annotation: 'bool' }),
        raise_exception: optional<boolean>('boolean', false, { annotation: 'bool' }),
        post_send_callback: optional<unknown>('any', null, { annotation: 'None' }),
      },
      returns: nothing,
      lasting: true,
    },
    send_after_commit: {
      doc: 'Sends emails when this call has been committed.',
      params: {},
      returns: nothing,
    },
    mark_outgoing: {
      doc: 'Queues emails again for the next run.',
      params: {},
      returns: nothing,
    },
    action_retry: { doc: 'Sends failed emails again.', params: {}, returns: nothing },
    cancel: { doc: 'Cancels emails.', params: {}, returns: nothing },
    process_email_queue: {
      doc: 'Sends queued emails.',
      level: 'model',
      params: {
        email_ids: optional<readonly number[]>('ids', [], { annotation: 'list[int]' }),
        batch_size: optional<number>('integer', 1000, { annotation: 'int' }),
      },
      returns: nothing,
      lasting: true,
    },
  },
})

declare module '#models' {
  interface Models {
    'mail.mail': Mail
  }
  interface Mail extends Of<typeof mail> {}
  interface Delegates {
    'mail.mail': 'mail.message'
  }
}

type Mails = Records<'mail.mail'>

/** Throws AccessError for who may not write mails, MissingError for those that are gone. */
async function assertWritableMails(mails: Mails) {
  await assertAllowed(mails, 'write')
  const rows = await mails.load(['state'])
  assertNoneMissing(mails, rows)
  return rows
}

async function again(mails: Mails, states: ReadonlySet<string>): Promise<null> {
  const ids = (await assertWritableMails(mails))
    .filter(({ state }) => states.has(state ?? ''))
    .map(({ id }) => id)
  if (ids.length)
    await mails.browse(ids).write({ state: 'outgoing', failure_type: null, failure_reason: null })
  return null
}

export default implement(mail, {
  wrapCreate: (next) => async (mails, list) => {
    await assertHourly(mails.env, list)
    return next(mails, list)
  },
  methods: {
    async send(mails, { raise_exception }) {
      await assertWritableMails(mails)
      await sendNow(mails, raise_exception)
      return null
    },
    async send_after_commit(mails) {
      await again(mails, new Set(['exception', 'cancel', 'outgoing']))
      await scheduleSending(mails.env)
      return null
    },
    mark_outgoing: (mails) => again(mails, new Set(['exception', 'cancel', 'sent'])),
    action_retry: (mails) => again(mails, new Set(['exception'])),
    async cancel(mails) {
      const ids = (await assertWritableMails(mails))
        .filter(({ state }) => state !== 'sent')
        .map(({ id }) => id)
      if (ids.length) await mails.browse(ids).write({ state: 'cancel' })
      return null
    },
    async process_email_queue(mails, { email_ids, batch_size }) {
      await assertAllowed(mails, 'write')
      await processQueue(mails.env, email_ids, batch_size)
      return null
    },
  },
})
