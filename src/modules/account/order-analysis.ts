// Common parts of analyses of orders: lines with all fields to group by, quantities in the unit of the
// product, money in the currency of the company.

/** A quantity in the unit of the product. */
export const inProductUnit = (quantity: string): string =>
  `${quantity} * COALESCE(u.factor, 1) / COALESCE(NULLIF(b.factor, 0), 1)`

/** The weight or volume of a quantity of the line: `measure` is that of one unit of the product. */
export const measured = (quantity: string, measure: 'weight' | 'volume'): string =>
  `${inProductUnit(quantity)} * COALESCE(p.${measure}, 0)`

/** A price of one unit of the line as that of one unit of the product. */
export const perProductUnit = (price: string): string =>
  `${price} * COALESCE(b.factor, 1) / COALESCE(NULLIF(u.factor, 0), 1)`

/** A price of the order in the currency of its company, with all its decimals. */
export const inCompanyCurrency = (amount: string): string =>
  `${amount} / COALESCE(NULLIF(o.currency_rate, 0), 1)`

/** An amount of the order in the currency of its company, rounded to it. */
export const amountInCompanyCurrency = (amount: string): string =>
  `round((${inCompanyCurrency(amount)})::numeric, m.decimal_places)`

/**
 * Joins of order lines: the order `o`, its company `y`, the currency `m` of that, the contact `c`, the
 * product's variant `p` and template `t`, the units of line `u` and product `b`. Sections and notes do
 * not count.
 */
export const fromOrderLines = (kind: 'sale' | 'purchase'): string =>
  `FROM ${kind}_order_line l JOIN ${kind}_order o ON o.id = l.order_id JOIN res_company y ON y.id = o.company_id JOIN res_currency m ON m.id = y.currency_id
    LEFT JOIN res_partner c ON c.id = o.partner_id LEFT JOIN product_product p ON p.id = l.product_id
    LEFT JOIN product_template t ON t.id = p.product_tmpl_id LEFT JOIN uom_uom u ON u.id = l.product_uom_id
    LEFT JOIN uom_uom b ON b.id = t.uom_id WHERE l.display_type IS NULL`
