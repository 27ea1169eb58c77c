// Products, their categories and pricelists have threads.
import { withActivities, withThread } from '../mail/index.ts'

export const productThreads = [
  withThread('product.category'),
  withActivities('product.template'),
  withActivities('product.product'),
  withActivities('product.pricelist'),
]
