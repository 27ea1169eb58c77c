// Names of models: the open interface that every module widens with its records, by `declare module
// '#models'`.

/** Model name → its record. Every module adds its own: `interface Models { 'sale.order': SaleOrder }`. */
// biome-ignore lint/suspicious/noEmptyInterface: modules widen it by declaration merging
export interface Models {}

/**
 * Model name → the model that it delegates to, for models that declare `inherits`: their data may give
 * values of its fields. Modules add their own, as
 * `interface Delegates { 'product.product': 'product.template' }`.
 */
export interface Delegates extends Readonly<Record<never, string>> {}

export type ModelName = keyof Models & string
