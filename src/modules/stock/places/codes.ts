// Codes of operation types.
export const codes = { incoming: 'Receipt', outgoing: 'Delivery', internal: 'Internal Transfer' } as const
