// Transfers, lots and scraps have threads.
import { withActivities, withThread } from '../mail/index.ts'

export const stockThreads = [
  withActivities('stock.picking'),
  withActivities('stock.lot'),
  withThread('stock.scrap'),
]
