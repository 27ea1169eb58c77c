// Usages of locations, and which of them hold stock.

/** Usages of locations, with their labels. */
export const usages = {
  supplier: 'Vendor',
  view: 'Virtual',
  internal: 'Internal',
  customer: 'Customer',
  inventory: 'Inventory Loss',
  production: 'Production',
  transit: 'Transit',
} as const

/** Whether stock of a location is reserved. Other locations have unlimited stock. */
export const holdsGoods = (usage: string | null): boolean => usage === 'internal' || usage === 'transit'

/** Whether a location has unlimited stock. A view only groups other locations. */
export const isEndless = (usage: string | null): boolean => !holdsGoods(usage) && usage !== 'view'
