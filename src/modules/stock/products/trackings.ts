// Ways to track goods of a product.
export const trackings = { serial: 'By Unique Serial Number', lot: 'By Lots', none: 'By Quantity' } as const
