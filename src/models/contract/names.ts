// Names of models: the open interface to which every module adds its records, by `declare module '#models'`.

/** Model name → its record. Every module adds its own: `interface Models { 'sale.order': SaleOrder }`. */
// biome-ignore lint/suspicious/noEmptyInterface: modules widen it by declaration merging
export interface Models {}

/**
 * Model name → the model that it delegates to, for models that declare `inherits`: data may set fields of the
 * delegate. Modules add their own, such as `interface Delegates { 'product.product': 'product.template' }`.
 */
export interface Delegates extends Readonly<Record<never, string>> {}

/** The name of a model in view, such as `res.partner`. */
export type ModelName = keyof Models & string
