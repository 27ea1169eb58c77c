// Orders and sessions of tills have threads.
import { withActivities, withThread } from '../mail/index.ts'

export const tillThreads = [withThread('pos.order'), withActivities('pos.session')]
