// Facts that modules for delivery and valuation provide to accounting: stock moves and their costs.

/** Goods that were delivered for a line of an order. */
export interface DeliveredGoods {
  /** The same for lines that bill the same goods one after the other. */
  readonly origin: string
  /** Done moves to the customer in their order, and those that returned goods which count. */
  readonly moves: readonly number[]
  readonly returns: readonly number[]
  /** The quantity on posted documents, in the unit of the product. */
  readonly invoiced: number
  /** Lines of these documents. */
  readonly documents: readonly number[]
}

/** Goods of one product that were sold without an invoice; a negative quantity came back. */
export interface GoodsSold {
  readonly product: number
  /** In the unit of the product. */
  readonly quantity: number
  readonly fiscalPosition: number | null
  /** Done moves that they left, or came back, with. */
  readonly moves: readonly number[]
}

/** The cost of goods in the currency of the company, and the accounts that it goes to and comes from. */
export interface SalesCost {
  readonly cost: number
  readonly expense: number
  readonly valuation: number
}
