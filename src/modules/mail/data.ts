// Kinds of messages that every record has.
import { type DataSet, dataSet, ref } from '#models'

const subtypes = dataSet('mail.message.subtype', {
  mt_comment: { name: 'Discussions', sequence: 0, track_recipients: true },
  mt_note: { name: 'Note', default: false, internal: true, sequence: 100, track_recipients: true },
  mt_activities: { name: 'Activities', default: false, internal: true, sequence: 90 },
})

/** Numbers of days are recorded for what is to do and for calls. */
const types = dataSet(
  'mail.activity.type',
  {
    mail_activity_data_email: { name: 'Email', icon: 'fa-envelope', sequence: 3 },
    mail_activity_data_call: {
      name: 'Call',
      icon: 'fa-phone',
      category: 'phonecall',
      delay_count: 2,
      sequence: 6,
    },
    mail_activity_data_meeting: { name: 'Meeting', icon: 'fa-users', sequence: 9 },
    mail_activity_data_todo: { name: 'To-Do', icon: 'fa-check', delay_count: 5, sequence: 2 },
    mail_activity_data_upload_document: {
      name: 'Document',
      icon: 'fa-upload',
      category: 'upload_file',
      delay_count: 5,
      sequence: 25,
    },
  },
  { noupdate: true },
)

const jobs = dataSet(
  'ir.cron',
  {
    ir_cron_mail_scheduler_action: {
      name: 'Mail: Email Queue Manager',
      model_id: ref('model_mail_mail'),
      state: 'code',
      code: 'model.process_email_queue()',
      user_id: ref('base.user_root'),
      interval_number: 1,
      interval_type: 'hours',
    },
  },
  { noupdate: true },
)

export const data: readonly DataSet[] = [subtypes, types, jobs]
