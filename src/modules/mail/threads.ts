// Models of the base module whose records have a thread.
import {
  type ActivityMixin,
  type Behaviour,
  extend,
  implement,
  type MailThread,
  type ModelName,
} from '#models'
import { activityMethods } from './activities.ts'
import { activityRuns } from './activity-runs.ts'
import { threadMethods } from './thread.ts'
import { threadRuns } from './thread-runs.ts'

declare module '#models' {
  interface Partner extends MailThread, ActivityMixin {}
  interface User extends MailThread, ActivityMixin {}
}

/** A model whose records see the messages of their delegate: it has the methods of a thread, and of activities. */
export const delegatesThread = (name: ModelName): Behaviour =>
  implement(extend(name, { fields: {}, methods: { ...threadMethods, ...activityMethods } }), {
    methods: { ...threadRuns, ...activityRuns } as never,
  })

/** A model whose records have messages and followers. */
export const withThread = (name: ModelName): Behaviour =>
  implement(extend(name, { mixins: ['mail.thread'], fields: {} }))

/** A model whose records have messages, followers and activities. */
export const withActivities = (name: ModelName): Behaviour =>
  implement(extend(name, { mixins: ['mail.thread', 'mail.activity.mixin'], fields: {} }))

export const baseThreads: readonly Behaviour[] = [
  withActivities('res.partner'),
  delegatesThread('res.users'),
  withThread('res.company'),
  withActivities('res.partner.bank'),
  withActivities('ir.actions.server'),
  delegatesThread('ir.cron'),
]
