// Endpoints of a shop: orders of tills, stock moves, purchase orders, accounting. A clerk has these
// rights.
import type { Attack, Hands, Shop } from '../attack.ts'
import { type Body, many, times } from '../bodies.ts'

interface Shape {
  readonly size: number
  readonly path: string
  readonly body: (n: number, shop: Shop) => Body
  readonly atOnce?: number
  /** Methods called with the ids that the first call returned, in order. */
  readonly after?: readonly string[]
}

const line = (product: number, at: number) =>
  `[0,0,{"uuid":"l${at}","product_id":${product},"qty":1,"price_unit":1,"tax_ids":[[6,0,[]]],"price_subtotal":1,"price_subtotal_incl":1}]`
const goods = ({ products }: Shop, at: number) => products[at % products.length] as number
const stamp = () => String(process.hrtime.bigint())

/** One order of a till, paid as much as it comes to, unless its lines are wrong. */
const order = (shop: Shop, uuid: string, product: number, more = '') =>
  `{"uuid":"${uuid}","session_id":${shop.session},"state":"paid","amount_total":1,"amount_tax":0,"amount_return":0,"amount_paid":1,"lines":[${line(product, 0)}],"payment_ids":[[0,0,{"payment_method_id":${shop.method},"amount":1}]]${more}}`
const orders = (inner: Body, partial = false): Body => [`{"partial":${partial},"orders":[`, ...inner, ']}']
const sync = 'pos.order/sync_from_ui'
const session = 'pos.session/'
const move = (shop: Shop, at: number) =>
  `[0,0,{"product_id":${goods(shop, at)},"product_uom_qty":1,"location_id":${shop.shelf},"location_dest_id":${shop.customers}}]`
const item = (shop: Shop, at: number) =>
  `[0,0,{"name":"i${at}","account_id":${shop.income},"quantity":1,"price_unit":1}]`

const shapes: Readonly<Record<string, Shape>> = {
  'till/orders': {
    size: 2000,
    path: sync,
    body: (n, shop) => orders([many(n, (at) => order(shop, `${stamp()}-${at}`, goods(shop, at)))]),
  },
  'till/lines': {
    size: 9000,
    path: sync,
    body: (n, shop) =>
      orders([
        `{"uuid":"${stamp()}","session_id":${shop.session},"state":"draft","amount_total":${n},"amount_tax":0,"amount_return":0,"lines":[`,
        many(n, (at) => line(goods(shop, at), at)),
        '],"payment_ids":[]}',
      ]),
  },
  'till/orders-without-end': {
    size: 20_000,
    path: sync,
    body: (n, shop) => orders([many(n, (at) => order(shop, `${stamp()}-${at}`, goods(shop, at)))]),
  },
  'till/all-wrong-but-taken-apart': {
    size: 9000,
    path: sync,
    body: (n, shop) => orders([many(n, (at) => order(shop, `${stamp()}-${at}`, 999_999_999))], true),
  },
  'till/empty-orders': { size: 400_000, path: sync, body: (n) => orders([many(n, '{}')], true) },
  'till/same-order': {
    size: 20_000,
    path: sync,
    body: (n, shop) => orders([many(n, order(shop, 'same', goods(shop, 0)))]),
  },
  'till/state-of-values': {
    size: 400_000,
    path: sync,
    body: (n, shop) => orders([`{"session_id":${shop.session},"state":[`, many(n, '1'), ']}']),
  },
  'till/absurd-numbers': {
    size: 1e300,
    path: sync,
    body: (n, shop) =>
      orders([
        order(shop, stamp(), goods(shop, 0), `,"sequence_number":${n},"tip_amount":${n},"amount_total":${n}`),
      ]),
  },
  'till/parts-of-combos': {
    size: 240_000,
    path: sync,
    body: (n, shop) =>
      orders([
        `{"session_id":${shop.session},"relations_uuid_mapping":{"pos.order.line":{"a":{"combo_line_ids":[`,
        many(n, (at) => `"${at}"`),
        ']}}}}',
      ]),
  },
  'till/load-models': {
    size: 400_000,
    path: `${session}load_data`,
    body: (n, shop) => [`{"ids":[${shop.session}],"models_to_load":[`, many(n, '"res.partner"'), ']}'],
  },
  'till/load-all': {
    size: 20,
    path: `${session}load_data`,
    atOnce: 20,
    body: (_, shop) => [`{"ids":[${shop.session}],"models_to_load":[]}`],
  },
  'till/changes-of-all-times': {
    size: 20,
    path: `${session}load_changes`,
    atOnce: 10,
    body: (_, shop) => [`{"ids":[${shop.session}],"models_to_load":[],"version":"9999999999999999999"}`],
  },
  'till/what-is-gone': {
    size: 400_000,
    path: `${session}filter_local_data`,
    body: (n, shop) => [
      `{"ids":[${shop.session}],"models_to_filter":{"res.partner":[`,
      many(n, String),
      ']}}',
    ],
  },
  'till/products': {
    size: 200,
    path: 'product.template/load_product_from_pos',
    body: (n, shop) => [
      `{"config_id":${shop.config},"domain":[`,
      many(n, (at) => `["product_variant_ids.attribute_line_ids.value_ids.name","ilike","${at}"]`),
      '],"limit":1e300,"offset":-5}',
    ],
  },
  'till/paid-orders': {
    size: 100_000_000,
    path: 'pos.order/search_paid_order_ids',
    body: (n, shop) => [`{"config_id":${shop.config},"domain":[],"limit":${n},"offset":${n}}`],
  },
  'till/details': {
    size: 400_000,
    path: 'report.point_of_sale.report_saledetails/get_sale_details',
    body: (n) => [
      '{"date_start":"0001-01-01 00:00:00","date_stop":false,"config_ids":false,"session_ids":[',
      many(n, String),
      ']}',
    ],
  },
  'till/differences': {
    size: 200_000,
    path: `${session}close_session_from_ui`,
    body: (n, shop) => [
      `{"ids":[${shop.session}],"bank_payment_method_diff_pairs":[`,
      many(n, '[1,1e308]'),
      ']}',
    ],
  },
  'till/reason': {
    size: 20_000_000,
    path: `${session}try_cash_in_out`,
    body: (n, shop) => [
      `{"ids":[${shop.session}],"_type":"in","amount":1e308,"reason":"`,
      times(n, 'x'),
      '"}',
    ],
  },
  'stock/transfer': {
    size: 3000,
    path: 'stock.picking/create',
    after: ['action_confirm', 'action_assign', 'button_validate'],
    body: (n, shop) => [
      `{"vals_list":[{"picking_type_id":${shop.deliveries},"location_id":${shop.shelf},"location_dest_id":${shop.customers},"move_ids":[`,
      many(n, (at) => move(shop, at)),
      ']}]}',
    ],
  },
  'stock/counts': {
    size: 9000,
    path: 'stock.quant/create',
    after: ['action_apply_inventory'],
    body: (n, shop) => [
      '{"context":{"inventory_mode":true},"vals_list":[',
      many(
        n,
        (at) => `{"product_id":${goods(shop, at)},"location_id":${shop.shelf},"inventory_quantity":${at}}`,
      ),
      ']}',
    ],
  },
  'stock/absurd-quantity': {
    size: 1e300,
    path: 'stock.quant/create',
    after: ['action_apply_inventory'],
    body: (n, shop) => [
      `{"context":{"inventory_mode":true},"vals_list":[{"product_id":${goods(shop, 0)},"location_id":${shop.shelf},"inventory_quantity":${n}}]}`,
    ],
  },
  'stock/scanned': {
    size: 30_000_000,
    path: 'stock.picking/comptoir_find_by_code',
    body: (n) => ['{"code":"', times(n, '01'), '"}'],
  },
  'purchase/lines': {
    size: 3000,
    path: 'purchase.order/create',
    after: ['button_confirm'],
    body: (n, shop) => [
      '{"vals_list":[{"partner_id":1,"order_line":[',
      many(n, (at) => `[0,0,{"product_id":${goods(shop, at)},"product_qty":1,"price_unit":1}]`),
      ']}]}',
    ],
  },
  'account/items': {
    size: 3000,
    path: 'account.move/create',
    after: ['action_post'],
    body: (n, shop) => [
      '{"vals_list":[{"move_type":"out_invoice","partner_id":1,"invoice_line_ids":[',
      many(n, (at) => item(shop, at)),
      ']}]}',
    ],
  },
  'account/invoices': {
    size: 1000,
    path: 'account.move/create',
    after: ['action_post'],
    body: (n, shop) => [
      '{"vals_list":[',
      many(n, (at) => `{"move_type":"out_invoice","partner_id":1,"invoice_line_ids":[${item(shop, at)}]}`),
      ']}',
    ],
  },
  'account/reconciled-ids': {
    size: 100_000,
    path: 'account.move.line/reconcile',
    body: (n) => ['{"ids":[', many(n, (at) => String(at + 1)), ']}'],
  },
  ...Object.fromEntries(
    ['trial_balance', 'general_ledger', 'aged_receivable', 'tax_report', 'sales_journal'].map((report) => [
      `account/${report.replaceAll('_', '-')}`,
      {
        size: 10,
        atOnce: 10,
        path: `comptoir.books/${report}`,
        body: () => [
          report.startsWith('aged')
            ? '{"date":"9999-12-31","days":1000000,"format":"csv"}'
            : '{"date_from":"0001-01-01","date_to":"9999-12-31","format":"csv"}',
        ],
      } satisfies Shape,
    ]),
  ),
  'account/report-of-ids': {
    size: 400_000,
    path: 'comptoir.books/general_ledger',
    body: (n) => ['{"limit":10000,"offset":1e15,"account_ids":[', many(n, String), ']}'],
  },
  'product/combinations': {
    size: 40,
    path: 'product.template/create',
    body: (n) => [
      '{"vals_list":[{"name":"c","attribute_line_ids":[',
      many(
        6,
        (line) =>
          `[0,0,{"attribute_id":1,"value_ids":[${Array.from({ length: n }, (_, at) => `[0,0,{"name":"${line}-${at}","attribute_id":1}]`).join()}]}]`,
      ),
      ']}]}',
    ],
  },
}

async function sent(hands: Hands, { path, body, after = [] }: Shape, n: number): Promise<void> {
  const { shop } = hands.world
  if (!shop) return
  const [model = ''] = path.split('/')
  const reply = await hands.json2('clerk', path, body(n, shop))
  const ids = reply.status === 200 ? (/^\[[\d, ]*/.exec(reply.text)?.[0] ?? '[') : '['
  if (ids === '[') return
  const idList = reply.text.includes(']') ? `${ids}]` : `${ids.slice(0, ids.lastIndexOf(','))}]`
  for (const method of after) await hands.json2('clerk', `${model}/${method}`, [`{"ids":${idList}}`])
}

/** Reads what code reckons of many products at a time. */
async function quantities(hands: Hands, n: number): Promise<void> {
  await hands.crowd(Math.ceil(n / 2000), 1, () =>
    hands.json2('admin', 'product.product/create', [
      '{"vals_list":[',
      many(2000, (at) => `{"name":"q${at}","is_storable":true}`),
      ']}',
    ]),
  )
  for (const fields of [
    '"qty_available"',
    '"name","qty_available","virtual_available","free_qty","lst_price"',
  ])
    await hands.json2('clerk', 'product.product/search_read', [`{"fields":[${fields}],"limit":${n}}`])
  await hands.json2('clerk', 'product.product/search_read', [
    `{"domain":[["virtual_available",">=",0]],"fields":["qty_available"],"limit":${n}}`,
  ])
}

export const shops: readonly Attack[] = [
  ...Object.entries(shapes).map(
    ([name, shape]): Attack => ({
      name,
      area: 'C',
      inShop: true,
      size: shape.size,
      run: (hands, n) => hands.crowd(shape.atOnce ?? 1, shape.atOnce ?? 1, () => sent(hands, shape, n)),
    }),
  ),
  { name: 'goods/quantities', area: 'C', inShop: true, size: 10_000, run: quantities },
]
