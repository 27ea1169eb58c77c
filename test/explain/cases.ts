// The commonest domains over contacts and products, each of which must find its records by an index.
import type { Filled } from './fill.ts'
import type { FilledOrders } from './fill-orders.ts'
import type { FilledProducts } from './fill-products.ts'

export interface ExplainCase {
  readonly name: string
  /** Contacts unless it says otherwise. */
  readonly model?: string
  readonly domain: readonly unknown[]
  readonly order?: string | null
  readonly limit?: number | null
  readonly context?: Readonly<Record<string, unknown>>
}

export function explainCases({
  company,
  person,
  tag,
  topTag,
  country,
  user,
  ids,
}: Filled): readonly ExplainCase[] {
  return [
    { name: 'id equals', domain: [['id', '=', person]] },
    { name: '80 ids', domain: [['id', 'in', ids]] },
    { name: 'first page in the default order', domain: [], limit: 80 },
    { name: 'first page by plain name', domain: [], order: 'name', limit: 80 },
    { name: 'the newest', domain: [], order: 'create_date desc', limit: 80 },
    {
      name: 'made in two days',
      domain: [
        ['create_date', '>=', '2020-01-03'],
        ['create_date', '<', '2020-01-05'],
      ],
      order: 'create_date desc',
      limit: 80,
    },
    { name: 'last page in the default order', domain: [], order: 'complete_name desc, id', limit: 80 },
    { name: 'people of a company', domain: [['parent_id', '=', company]] },
    { name: 'everything below a company', domain: [['id', 'child_of', company]] },
    {
      name: 'everything of the same commercial entity',
      domain: [['commercial_partner_id', 'child_of', company]],
    },
    { name: 'by tag', domain: [['category_id', 'in', [tag]]] },
    { name: 'by a tree of tags', domain: [['category_id', 'child_of', topTag]] },
    { name: 'by the name of a tag', domain: [['category_id', 'ilike', 'rarely']] },
    { name: 'by country', domain: [['country_id', '=', country]] },
    { name: 'by the code of the country', domain: [['country_id.code', '=', 'ZW']] },
    { name: 'by e-mail', domain: [['email', '=', `contact${person}@example.com`]] },
    { name: 'by e-mail whatever its case', domain: [['email', '=ilike', `Contact${person}@Example.com`]] },
    { name: 'by reference', domain: [['ref', '=', `R${person}`]] },
    { name: 'by tax number', domain: [['vat', '=', `BE${String(company).padStart(10, '0')}`]] },
    { name: 'part of the name', domain: [['name', 'ilike', 'abc12']], limit: 80 },
    { name: 'what is typed into a search field', domain: [['display_name', 'ilike', 'abc12']], limit: 8 },
    {
      name: 'companies by part of the name',
      domain: [
        ['is_company', '=', true],
        ['name', 'ilike', 'bcd34'],
      ],
      limit: 80,
    },
    {
      name: 'changed since',
      domain: [['write_date', '>=', '2100-01-01 00:00:00']],
      context: { active_test: false },
    },
    {
      name: 'changed since, in order',
      domain: [['write_date', '>', '2020-01-02 00:00:00']],
      order: 'write_date, id',
      limit: 100,
      context: { active_test: false },
    },
    { name: 'by the name of the company', domain: [['parent_id', 'ilike', 'abc12']] },
    { name: 'by the reference of the company', domain: [['parent_id.ref', '=', `R${company}`]] },
    {
      name: 'companies with such a person',
      domain: [['child_ids', 'any', [['email', '=', `contact${person}@example.com`]]]],
    },
    { name: 'by salesperson', domain: [['user_id', '=', user]] },
    {
      name: 'seen by a company',
      domain: ['|', ['company_id', '=', false], ['company_id', 'in', [1]]],
      limit: 80,
    },
    {
      name: 'either of two',
      domain: ['|', ['ref', '=', `R${person}`], ['email', '=', `contact${company}@example.com`]],
    },
  ]
}

/** As `explainCases`, over products: what a till, a shop and a search field ask for. */
export function productCases({ template, variant, category, ids }: FilledProducts): readonly ExplainCase[] {
  const [templates, variants, items] = ['product.template', 'product.product', 'product.pricelist.item']
  return [
    { name: 'first page of products', model: templates, domain: [], limit: 80 },
    { name: 'first page of what is sold', model: templates, domain: [['sale_ok', '=', true]], limit: 80 },
    {
      name: 'products by part of the name',
      model: templates,
      domain: [['name', 'ilike', 'abc12']],
      limit: 80,
    },
    { name: 'products by reference', model: templates, domain: [['default_code', '=', `T${template}`]] },
    { name: 'products of a category', model: templates, domain: [['categ_id', '=', category]] },
    {
      name: 'products of a tree of categories',
      model: templates,
      domain: [['categ_id', 'child_of', category]],
    },
    { name: 'product by barcode', model: variants, domain: [['barcode', '=', `b${variant}`]] },
    { name: 'products by barcodes', model: variants, domain: [['barcode', 'in', ids.map((id) => `b${id}`)]] },
    { name: 'product by reference', model: variants, domain: [['default_code', '=', `T${variant}`]] },
    { name: 'variants of a product', model: variants, domain: [['product_tmpl_id', '=', template]] },
    { name: '80 variants', model: variants, domain: [['id', 'in', ids]] },
    { name: 'prices of a product', model: items, domain: [['product_tmpl_id', '=', template]] },
  ]
}

/** As `explainCases`, over orders: what salespeople and a synchronisation ask for. */
export function orderCases({
  order,
  customer,
  company,
  product,
  user,
  day: [day, next],
}: FilledOrders): readonly ExplainCase[] {
  const [orders, lines] = ['sale.order', 'sale.order.line']
  const number = `S${String(order).padStart(6, '0')}`
  return [
    { name: 'first page of orders', model: orders, domain: [], limit: 80 },
    { name: 'the newest orders', model: orders, domain: [], order: 'create_date desc', limit: 80 },
    { name: 'orders of a customer', model: orders, domain: [['partner_id', '=', customer]], limit: 80 },
    {
      name: 'orders of a company and its people',
      model: orders,
      domain: [['partner_id', 'child_of', company]],
      limit: 80,
    },
    { name: 'quotations', model: orders, domain: [['state', 'in', ['draft', 'sent']]], limit: 80 },
    { name: 'orders to invoice', model: orders, domain: [['invoice_status', '=', 'to invoice']], limit: 80 },
    { name: 'order by number', model: orders, domain: [['name', '=', number]] },
    {
      name: 'orders by part of the number',
      model: orders,
      domain: [['name', 'ilike', number.slice(2)]],
      limit: 80,
    },
    {
      name: 'orders by name of the customer',
      model: orders,
      domain: [['partner_id', 'ilike', 'customer 77']],
      limit: 80,
    },
    {
      name: 'own orders',
      model: orders,
      domain: ['|', ['user_id', '=', user], ['user_id', '=', false]],
      limit: 80,
    },
    {
      name: 'orders of a day',
      model: orders,
      domain: ['&', ['date_order', '>=', day], ['date_order', '<', next]],
      limit: 80,
    },
    {
      name: 'orders since, in order',
      model: orders,
      domain: [['date_order', '>=', day]],
      order: 'date_order, id',
      limit: 80,
    },
    {
      name: 'changed orders',
      model: orders,
      domain: [['write_date', '>', '2100-01-01 00:00:00']],
      order: 'write_date, id',
      limit: 100,
    },
    {
      name: 'orders with a product',
      model: orders,
      domain: [['order_line.product_id', '=', product]],
      limit: 80,
    },
    { name: 'first page of lines', model: lines, domain: [], limit: 80 },
    { name: 'lines of an order', model: lines, domain: [['order_id', '=', order]] },
    { name: 'lines of a product', model: lines, domain: [['product_id', '=', product]], limit: 80 },
    { name: 'lines of a customer', model: lines, domain: [['order_partner_id', '=', customer]], limit: 80 },
  ]
}
