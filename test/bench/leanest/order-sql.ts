// One order with its lines, and the confirmation of one, in SQL by hand. The handlers know the company's
// settings, the caller's team and the price list, as small tables that hardly ever change; customers and
// products are read.
import { feedOf, type Who } from './sql.ts'

/** The content of small tables, which handlers keep in memory. */
export interface Settings {
  readonly sequence: number
  readonly team: number | null
  readonly list: number | null
  readonly days: number
}

const shares = (alias: string) => `(${alias}.company_id IS NULL OR ${alias}.company_id = 1)`
const stamp = (uid: string) =>
  `${uid} AS create_uid, now() AT TIME ZONE 'UTC' AS create_date, ${uid} AS write_uid, now() AT TIME ZONE 'UTC' AS write_date`

/** A customer with the parameter for its id, and what an order takes from it. */
export const customer = (id: string) => `SELECT p.id, COALESCE(p.user_id, c.user_id) AS seller,
    (p.property_payment_term_id ->> '1')::int AS term, (p.property_account_position_id ->> '1')::int AS position,
    COALESCE((SELECT a.id FROM res_partner a WHERE a.commercial_partner_id = p.commercial_partner_id AND a.type = 'invoice' AND a.active ORDER BY a.complete_name, a.id DESC LIMIT 1), p.id) AS invoice,
    COALESCE((SELECT a.id FROM res_partner a WHERE a.commercial_partner_id = p.commercial_partner_id AND a.type = 'delivery' AND a.active ORDER BY a.complete_name, a.id DESC LIMIT 1), p.id) AS delivery
  FROM res_partner p LEFT JOIN res_partner c ON c.id = p.commercial_partner_id WHERE p.id = ${id} AND ${shares('p')}`

/** Products by arrays of ids and quantities, with texts, units, prices and taxes. */
export const goods = (
  products: string,
  quantities: string,
) => `SELECT x.ord, p.id AS product, x.qty, t.uom_id,
    COALESCE('[' || NULLIF(p.default_code, '') || '] ', '') || (t.name ->> 'en_US') AS name, t.list_price::float8 AS price, taxes.ids AS taxes,
    round(x.qty * t.list_price::numeric, 2) AS subtotal, round(x.qty * t.list_price::numeric * COALESCE(taxes.percent, 0)::numeric / 100, 2) AS tax
  FROM unnest(${products}::int[], ${quantities}::numeric[]) WITH ORDINALITY AS x(product, qty, ord) JOIN product_product p ON p.id = x.product
    JOIN product_template t ON t.id = p.product_tmpl_id AND ${shares('t')}
    LEFT JOIN LATERAL (SELECT array_agg(a.id) AS ids, sum(a.amount) AS percent FROM product_taxes_rel r JOIN account_tax a ON a.id = r.tax_id AND a.active AND a.company_id = 1 WHERE r.prod_id = t.id) AS taxes ON true`

/** An order of `n`, `p` and sums `s`. */
export const orderRow = (uid: string, { team, list, days }: Settings) =>
  `INSERT INTO sale_order (company_id, state, locked, date_order, invoice_status, partner_id, name, validity_date, require_signature, require_payment, prepayment_percent, user_id,
    partner_invoice_id, partner_shipping_id, fiscal_position_id, team_id, pricelist_id, payment_term_id, currency_id, currency_rate, amount_untaxed, amount_tax, amount_total,
    create_uid, create_date, write_uid, write_date, id)
  SELECT 1, 'draft', false, date_trunc('second', now() AT TIME ZONE 'UTC'), 'no', p.id, n.name, (now() AT TIME ZONE 'UTC')::date + ${days}, true, false, 1, COALESCE(p.seller, ${uid}),
    p.invoice, p.delivery, p.position, ${team}, ${list}, p.term, 1, 1, s.untaxed, s.tax, s.untaxed + s.tax, ${stamp(uid)}, n.id`

/** Lines `l`, with ids, of order `n` and customer `p`. */
export const lineRows = (uid: string) =>
  `INSERT INTO sale_order_line (sequence, customer_lead, product_id, product_uom_qty, order_id, qty_delivered_method, state, company_id, currency_id, order_partner_id, salesman_id,
    product_uom_id, qty_invoiced, untaxed_amount_invoiced, qty_invoiced_posted, amount_invoiced, name, price_unit, discount, technical_price_unit, untaxed_amount_to_invoice,
    invoice_status, qty_to_invoice, price_subtotal, price_tax, price_total, create_uid, create_date, write_uid, write_date, id)
  SELECT 10, 0, l.product, l.qty, n.id, 'manual', 'draft', 1, 1, p.id, COALESCE(p.seller, ${uid}), l.uom_id, 0, 0, 0, 0, l.name, l.price, 0, l.price, 0,
    'no', 0, l.subtotal, (l.subtotal + l.tax)::float8 - l.subtotal::float8, l.subtotal + l.tax, ${stamp(uid)}, l.id FROM n, p, l`

export const numberOf = ({ sequence }: Settings) =>
  `'S' || lpad(nextval('ir_sequence_${String(sequence).padStart(3, '0')}')::text, 5, '0')`
const SUMS = `(SELECT sum(subtotal) AS untaxed, sum(tax) AS tax FROM l)`
const LINKS = `INSERT INTO account_tax_sale_order_line_rel (sale_order_line_id, account_tax_id) SELECT l.id, unnest(l.taxes) FROM l`
const TOLD = `VALUES (0, 'sale.order', 'c', ARRAY[(SELECT id FROM n)], '{}'::text[], NULL::text), (1, 'sale.order.line', 'c', ARRAY(SELECT id FROM l ORDER BY id), '{}'::text[], NULL::text)`

/** $4 the customer, $5 products, $6 quantities. */
export const orderAtOnce = (who: Who, settings: Settings): string =>
  `WITH who AS MATERIALIZED (${who.text}), p AS MATERIALIZED (SELECT x.* FROM who, LATERAL (${customer('$4::int')}) AS x),
    n AS MATERIALIZED (SELECT nextval('sale_order_id_seq')::int AS id, ${numberOf(settings)} AS name FROM p),
    l AS MATERIALIZED (SELECT nextval('sale_order_line_id_seq')::int AS id, g.* FROM n, (${goods('$5', '$6')} ORDER BY x.ord) AS g),
    o AS (${orderRow('who.uid', settings)} FROM who, n, p, ${SUMS} AS s), lines AS (${lineRows('who.uid')}, who), links AS (${LINKS}), ${feedOf(TOLD)}
  SELECT id FROM n`

/** Reads of the first flush, and rows of the second: $1 holds all that the server put together. */
export const orderInSteps = (settings: Settings) => ({
  customer: customer('$1::int'),
  goods: `SELECT nextval('sale_order_line_id_seq')::int, g.* FROM (${goods('$1', '$2')} ORDER BY x.ord) AS g`,
  number: `SELECT nextval('sale_order_id_seq')::int, ${numberOf(settings)}`,
  rows: `WITH who AS (SELECT $1::int AS uid), n AS (SELECT $2::int AS id, $3::text AS name),
    p AS (SELECT $4::int AS id, $5::int AS seller, $6::int AS term, $7::int AS position, $8::int AS invoice, $9::int AS delivery),
    l AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($10::jsonb) AS x(id int, product int, qty numeric, uom_id int, name text, price float8, taxes int[], subtotal numeric, tax numeric)),
    s AS (SELECT $11::numeric AS untaxed, $12::numeric AS tax),
    o AS (${orderRow('$1::int', settings)} FROM n, p, s), lines AS (${lineRows('$1::int')}), links AS (${LINKS}), ${feedOf(TOLD)} SELECT id FROM n`,
})

const seen = `t.id = $ID AND t.company_id = 1 AND t.state IN ('draft', 'sent')`
const image = (model: string, of: string, from: string) =>
  `INSERT INTO comptoir_change_before (tx, model, res_id, image) SELECT pg_current_xact_id()::text::bigint, '${model}', t.id, jsonb_build_object('id', t.id, ${of}) FROM ${from}`
const CONFIRMED = `SELECT 0, 'sale.order', 'u', ARRAY[o.id], ARRAY['date_order', 'invoice_status', 'state'], NULL::text FROM o
  UNION ALL SELECT 1, 'sale.order', 'e', ARRAY[o.id], '{}', 'sale.order.confirmed' FROM o
  UNION ALL SELECT 2, 'sale.order.line', 'u', array_agg(l.id ORDER BY l.id), ARRAY['invoice_status', 'qty_to_invoice', 'state', 'untaxed_amount_to_invoice'], NULL FROM l`

/** Confirms the order of parameter `id`: all that is not invoiced is to be, by the policy of its product. */
export const confirming = (who: string, id: string): string =>
  `WITH who AS MATERIALIZED (${who}), before AS (${image('sale.order', `'company_id', t.company_id, 'partner_id', t.partner_id, 'state', t.state, 'user_id', t.user_id`, `sale_order t, who WHERE ${seen.replace('$ID', id)}`)}),
    lines_before AS (${image('sale.order.line', `'order_id', t.order_id, 'company_id', t.company_id, 'salesman_id', t.salesman_id, 'state', t.state`, `sale_order_line t, who WHERE t.order_id = ${id}`)}),
    o AS (UPDATE sale_order t SET state = 'sale', date_order = date_trunc('second', now() AT TIME ZONE 'UTC'), invoice_status = 'to invoice', write_uid = who.uid, write_date = now() AT TIME ZONE 'UTC'
      FROM who WHERE ${seen.replace('$ID', id)} RETURNING t.id),
    l AS (UPDATE sale_order_line t SET state = 'sale', qty_to_invoice = v.due, untaxed_amount_to_invoice = round(t.price_subtotal * v.due / NULLIF(t.product_uom_qty, 0), 2),
        invoice_status = CASE WHEN v.due > 0 THEN 'to invoice' ELSE 'no' END
      FROM o, sale_order_line b JOIN product_product p ON p.id = b.product_id JOIN product_template g ON g.id = p.product_tmpl_id,
        LATERAL (SELECT CASE g.invoice_policy WHEN 'order' THEN b.product_uom_qty ELSE COALESCE(b.qty_delivered, 0) END - b.qty_invoiced AS due) AS v
      WHERE t.order_id = o.id AND b.id = t.id RETURNING t.id),
    ${feedOf(CONFIRMED)} SELECT id FROM o`
