// Orders have threads.
import { withActivities } from '../mail/index.ts'

export const purchaseThreads = [withActivities('purchase.order')]
