// Names of models: the open interface that every module widens with its records, by `declare module
// '#models'`.

/** Model name → its record. Every module adds its own: `interface Models { 'sale.order': SaleOrder }`. */
// biome-ignore lint/suspicious/noEmptyInterface: modules widen it by declaration merging
export interface Models {}

export type ModelName = keyof Models & string
