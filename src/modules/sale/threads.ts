// Orders have threads, which tell of their states.
import { tracked, withActivities } from '../mail/index.ts'

export const saleThreads = [withActivities('sale.order'), tracked('sale.order', 'state')]
