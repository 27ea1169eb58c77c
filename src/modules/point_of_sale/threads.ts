// Orders and sessions of tills have threads.
import type { ActivityMixin, MailThread } from '#models'
import { withActivities, withThread } from '../mail/index.ts'

declare module '#models' {
  interface PosSession extends MailThread, ActivityMixin {}
}

export const tillThreads = [withThread('pos.order'), withActivities('pos.session')]
