// What kinds of operations do.
export const codes = { incoming: 'Receipt', outgoing: 'Delivery', internal: 'Internal Transfer' } as const
