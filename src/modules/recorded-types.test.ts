// Types and digits of fields that clients see in fields_get, as they were recorded: a client that is
// generated from them reads what it expects.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { composeRegistry } from '../models/registry/registry.ts'
import { modules } from './index.ts'

const fields = (() => {
  const { models } = composeRegistry(modules)
  return (path: string) => {
    const [model, name] = path.split(/\.(?=[^.]*$)/) as [string, string]
    return models.get(model)?.fields.get(name)
  }
})()

/** Fields by type; of report.pos.order.product_qty see docs/guides/compatibility.md. */
const types = {
  binary: ['sale.order.signature'],
  char: [
    'account.move.line.name',
    'account.payment.term.line.days_next_month',
    'pos.order.last_order_preparation_change',
    'pos.order.line.customer_note',
    'pos.order.line.note',
  ],
  date: ['stock.move.reservation_date', 'stock.package.pack_date'],
  float: [
    'account.bank.statement.line.amount_residual',
    'ir.mail_server.max_email_size',
    'pos.config.last_session_closing_cash',
    'product.combo.base_price',
    'report.pos.order.product_qty',
  ],
  integer: ['ir.logging.create_uid', 'ir.logging.write_uid'],
  monetary: [
    'purchase.report.price_total',
    'purchase.report.untaxed_total',
    'sale.report.price_subtotal',
    'sale.report.price_total',
  ],
  selection: [
    'ir.filters.model_id',
    'ir.module.module.license',
    'pos.payment.method.qr_code_method',
    'pos.payment.method.use_payment_terminal',
    'res.company.chart_template',
    'res.lang.date_format',
    'res.lang.grouping',
    'res.lang.time_format',
  ],
  text: [
    'account.account.description',
    'account.account.note',
    'pos.close.session.wizard.message',
    'sale.order.line.translated_product_name',
    'stock.move.line.description_picking',
  ],
} as const

const digits = {
  'account.tax.repartition.line.factor_percent': [16, 12],
  'pos.make.payment.amount': 0,
  'pos.order.line.discount': 0,
  'pos.order.line.margin_percent': [12, 4],
  'pos.order.line.price_unit': 0,
  'pos.order.line.refunded_qty': undefined,
  'pos.order.line.total_cost': undefined,
  'pos.order.margin_percent': [12, 4],
  'stock.move.product_qty': 0,
} as const

test('fields_get: types of fields are those that were recorded', () => {
  for (const [type, paths] of Object.entries(types))
    for (const path of paths) assert.equal(fields(path)?.kind, type, path)
})

test('fields_get: digits of fields are those that were recorded', () => {
  for (const [path, expected] of Object.entries(digits)) {
    const field = fields(path)
    assert.ok(field, path)
    assert.deepEqual('digits' in field.options ? field.options.digits : undefined, expected, path)
  }
})
