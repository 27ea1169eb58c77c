// Access rights to messages follow those of their records. Rows that only the server writes are read-only.
import { type DataSet, recordRule, user } from '#models'
import { accessLines } from '../base/index.ts'

const access = accessLines({
  'mail.message': { 'base.group_user': 'r', 'base.group_system': 'rwcd' },
  'mail.message.subtype': { 'base.group_user': 'r', 'base.group_system': 'rwcd' },
  'mail.followers': { 'base.group_user': 'r', 'base.group_system': 'rwcd' },
  'mail.notification': { 'base.group_user': 'r', 'base.group_system': 'rwcd' },
  'mail.mail': { 'base.group_system': 'rwcd' },
  'mail.template': { 'base.group_user': 'r', 'base.group_system': 'rwcd' },
  'mail.compose.message': { 'base.group_user': 'rwcd' },
  'mail.activity': { 'base.group_user': 'rwcd' },
  'mail.activity.type': { 'base.group_user': 'r', 'base.group_system': 'rwcd' },
  'mail.tracking.value': { 'base.group_system': 'r' },
  'mail.message.reaction': { 'base.group_user': 'rcd' },
  'mail.activity.schedule': { 'base.group_user': 'rwcd' },
})

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    mail_message_readable_rule: recordRule('mail.message', [['readable', '=', true]], { on: 'r' }),
    mail_message_writable_rule: recordRule('mail.message', [['writable', '=', true]], { on: 'wcd' }),
    mail_followers_readable_rule: recordRule('mail.followers', [['readable', '=', true]]),
    mail_compose_message_own: recordRule('mail.compose.message', [['create_uid', '=', user.id]]),
    mail_activity_readable_rule: recordRule('mail.activity', [['readable', '=', true]], { on: 'r' }),
    mail_activity_writable_rule: recordRule('mail.activity', [['can_write', '=', true]], { on: 'wd' }),
    mail_activity_placeable_rule: recordRule('mail.activity', [['placeable', '=', true]], { on: 'c' }),
    mail_tracking_readable_rule: recordRule('mail.tracking.value', [['readable', '=', true]]),
    mail_reaction_readable_rule: recordRule('mail.message.reaction', [['readable', '=', true]]),
    mail_reaction_own_rule: recordRule('mail.message.reaction', [['partner_id', '=', user.partner_id.id]], {
      on: 'cd',
    }),
    mail_activity_schedule_own: recordRule('mail.activity.schedule', [['create_uid', '=', user.id]]),
    mail_notification_readable_rule: recordRule('mail.notification', [['readable', '=', true]]),
  },
}

export const rights: readonly DataSet[] = [access, rules]
