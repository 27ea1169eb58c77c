// How goods of a product are told apart.
export const trackings = { serial: 'By Unique Serial Number', lot: 'By Lots', none: 'By Quantity' } as const
