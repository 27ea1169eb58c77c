// Usages of places, and which of them hold goods.

/** Usages of places, with their labels. */
export const usages = {
  supplier: 'Vendor',
  view: 'Virtual',
  internal: 'Internal',
  customer: 'Customer',
  inventory: 'Inventory Loss',
  production: 'Production',
  transit: 'Transit',
} as const

/** Whether goods of a place are reserved: it holds them. Others have without end. */
export const holdsGoods = (usage: string | null): boolean => usage === 'internal' || usage === 'transit'

/** Whether goods of a place never run out. A view only groups other places. */
export const isEndless = (usage: string | null): boolean => !holdsGoods(usage) && usage !== 'view'
