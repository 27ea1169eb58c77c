// Initial data: precisions of prices, discounts, weights and volumes, and categories of goods and
// services.
import type { DataSet } from '#models'

const precisions: DataSet = {
  model: 'decimal.precision',
  noupdate: true,
  records: {
    decimal_price: { name: 'Product Price', digits: 2 },
    decimal_discount: { name: 'Discount', digits: 2 },
    decimal_stock_weight: { name: 'Stock Weight', digits: 2 },
    decimal_volume: { name: 'Volume', digits: 2 },
  },
}

const categories: DataSet = {
  model: 'product.category',
  noupdate: true,
  records: {
    product_category_goods: { name: 'Goods' },
    product_category_services: { name: 'Services' },
    product_category_expenses: { name: 'Expenses' },
  },
}

export const data: readonly DataSet[] = [precisions, categories]
