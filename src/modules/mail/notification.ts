// Recipients of a message, and how it went (mail.notification).
import {
  boolean,
  char,
  computed,
  datetime,
  implement,
  many2one,
  model,
  type Of,
  returns,
  selection,
  text,
} from '#models'
import { or, sql } from '../../sql/index.ts'
import { ofMessage } from './rights.ts'

/** Why a mail did not arrive. */
export const failureTypes = {
  unknown: 'Unknown error',
  mail_bounce: 'Bounce',
  mail_spam: 'Detected As Spam',
  mail_email_invalid: 'Invalid email address',
  mail_email_missing: 'Missing email address',
  mail_from_invalid: 'Invalid from address',
  mail_from_missing: 'Missing from address',
  mail_smtp: 'Connection failed (outgoing mail server problem)',
  mail_bl: 'Blacklisted Address',
  mail_optout: 'Opted Out',
  mail_dup: 'Duplicated Email',
} as const

const notification = model('mail.notification', {
  label: 'Message Notifications',
  recName: 'res_partner_id',
  logAccess: false,
  changes: false,
  // Mails of a user are counted by the hour; the queue removes those that were sent.
  rules: { mailed: { index: ['author_id', 'mailed_at'], where: 'mailed_at IS NOT NULL' } },
  fields: {
    mail_message_id: many2one('mail.message', {
      label: 'Message',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    mail_mail_id: many2one('mail.mail', { label: 'Mail', ondelete: 'set null', index: 'set' }),
    author_id: many2one('res.partner', { label: 'Author', ondelete: 'set null' }),
    res_partner_id: many2one('res.partner', { label: 'Recipient', ondelete: 'cascade', index: true }),
    mail_email_address: char({ label: 'Mail Email Address' }),
    mailed_at: datetime({ label: 'Mailed', hidden: true }),
    notification_type: selection(
      { inbox: 'Inbox', email: 'Email' },
      { label: 'Notification Type', required: true, default: 'inbox' },
    ),
    notification_status: selection(
      {
        ready: 'Ready to Send',
        process: 'Processing',
        pending: 'Sent',
        sent: 'Delivered',
        bounce: 'Bounced',
        exception: 'Exception',
        canceled: 'Cancelled',
      },
      { label: 'Status', default: 'ready' },
    ),
    is_read: boolean({ label: 'Is Read' }),
    read_date: datetime({ label: 'Read Date', copy: false }),
    failure_type: selection(failureTypes, { label: 'Failure type' }),
    failure_reason: text({ label: 'Failure reason', copy: false }),
    readable: boolean({ computed: true, groups: 'base.group_nobody' }),
  },
  methods: {
    format_failure_reason: {
      doc: 'Describes why the email was not delivered.',
      readonly: true,
      params: {},
      returns: returns<string>('string', 'str'),
    },
  },
})

declare module '#models' {
  interface Models {
    'mail.notification': Notification
  }
  interface Notification extends Of<typeof notification> {}
}

export default implement(notification, {
  computed: {
    readable: computed(notification, [], () => false, {
      sql: (scope) =>
        or([
          sql`${scope.column('res_partner_id')} = ${scope.env.user.partnerId}::int`,
          ofMessage(scope, 'mail_message_id'),
        ]),
    }),
  },
  methods: {
    async format_failure_reason(notifications) {
      const { failure_type: type, failure_reason: reason } = await notifications.one([
        'failure_type',
        'failure_reason',
      ])
      if (type === null) return 'No Error'
      return reason === null ? failureTypes[type] : `${failureTypes[type]} (${reason})`
    },
  },
})
