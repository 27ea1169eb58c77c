// The module `mail`: messages, followers and activities of records.
import { defineModule, termsIn } from '#models'
import activities from './activities.ts'
import activity from './activity.ts'
import activityForm from './activity-form.ts'
import activityType from './activity-type.ts'
import compose from './compose.ts'
import { data } from './data.ts'
import followers from './followers.ts'
import mailMail from './mail.ts'
import mailServer from './mail-server.ts'
import message from './message.ts'
import notification from './notification.ts'
import { cancelWaiting } from './queue.ts'
import reaction from './reaction.ts'
import { rights } from './security.ts'
import subtype from './subtype.ts'
import template from './template.ts'
import thread from './thread.ts'
import { baseThreads } from './threads.ts'
import tracking from './tracking.ts'

export const mail = defineModule({
  name: 'mail',
  version: '19.0.1.3',
  summary: 'Messages, followers and activities of records',
  title: 'Discuss',
  author: 'Comptoir',
  category: 'base.module_category_hidden',
  depends: ['base'],
  models: [
    subtype,
    message,
    followers,
    notification,
    tracking,
    activityType,
    template,
    mailMail,
    mailServer,
    compose,
    activity,
    thread,
    activities,
    activityForm,
    reaction,
    ...baseThreads,
  ],
  data: [...data, ...rights],
  terms: termsIn(new URL('./i18n/', import.meta.url)),
  neutralize: cancelWaiting,
})

// Parts that modules that depend on this one may use, in addition to models.
export { composing, keepTemplate } from './compose.ts'
export { namedRecord } from './place.ts'
export { printedFiles } from './reports.ts'
export { postMail, proposedMail } from './source.ts'
export { delegatesThread, withActivities, withThread } from './threads.ts'
export { tracked } from './tracked.ts'

// As the modules of others are imported: `import mail from 'comptoir/modules/mail'`.
export default mail
