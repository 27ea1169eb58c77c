// Initial data: sequences of sessions, coins and notes, the tip, payment methods, and a point of sale
// that can sell at once.

import { type DataSet, type Environment, ref } from '#models'
import { present } from '../../kit/present.ts'
import { sessionJournal } from './config/defaults.ts'
import { equipWarehouses } from './stock/places.ts'

const coins = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200]

export const data: readonly DataSet[] = [
  {
    model: 'ir.actions.report',
    records: {
      session_report: {
        name: 'Z Report',
        model: 'pos.session',
        report_name: 'point_of_sale.report_session',
        report_file: 'point_of_sale.report_session',
        report_type: 'qweb-pdf',
        binding_model_id: ref('model_pos_session'),
      },
    },
  },
  {
    model: 'mail.template',
    noupdate: true,
    records: {
      email_template_pos_receipt: {
        name: 'Point of Sale: Receipt',
        model_id: ref('model_pos_order'),
        subject: 'Your receipt {{ object.name }}',
        email_from: '{{ object.company_id.partner_id.email_formatted }}',
        lang: '{{ object.partner_id.lang }}',
        body_html:
          '<p>Thank you for your purchase at {{ object.company_id.name }}. Your receipt is attached.</p>',
      },
    },
  },
  {
    model: 'ir.sequence',
    noupdate: true,
    records: {
      seq_pos_session: {
        name: 'POS Session',
        code: 'pos.session',
        prefix: '/',
        padding: 5,
        company_id: false,
      },
    },
  },
  {
    model: 'pos.bill',
    noupdate: true,
    records: Object.fromEntries(
      coins.map((value) => [`bill_${String(value).replace('.', '_')}`, { name: value.toFixed(2), value }]),
    ),
  },
  {
    model: 'product.product',
    noupdate: true,
    records: {
      product_product_tip: {
        name: 'Tips',
        default_code: 'TIPS',
        type: 'consu',
        list_price: 1,
        available_in_pos: true,
        taxes_id: [[6, 0, []]],
        supplier_taxes_id: [[6, 0, []]],
        weight: 0.01,
      },
    },
  },
]

/**
 * The company sells one minute after installing: cash, card and account, and a shop that takes them.
 * Databases that have one keep it.
 */
export async function setUpFirstShop(env: Environment): Promise<void> {
  const su = env.sudo()
  const { chart_template } = await su.model('res.company').browse([su.companyId]).one(['chart_template'])
  if (!chart_template || (await su.find('point_of_sale.pos_config_main'))) return
  await equipWarehouses(
    su,
    (await su.withContext({ active_test: false }).model('stock.warehouse').search([])).ids,
  )
  await sessionJournal(su)
  const drawer = await su
    .model('account.journal')
    .create([{ name: 'Cash (Shop)', type: 'cash', company_id: su.companyId }])
  const bank = await su.model('account.journal').search(
    [
      ['type', '=', 'bank'],
      ['company_id', '=', su.companyId],
    ],
    { limit: 1 },
  )
  const card = bank.length
    ? bank
    : await su.model('account.journal').create([{ name: 'Bank', type: 'bank', company_id: su.companyId }])
  const methods = await su.model('pos.payment.method').create([
    { name: 'Cash', journal_id: drawer.ensureOne(), sequence: 0 },
    { name: 'Card', journal_id: present(card.ids[0]), sequence: 1 },
    { name: 'Customer Account', split_transactions: true, sequence: 2 },
  ])
  const shop = await su
    .model('pos.config')
    .create([{ name: 'Shop', payment_method_ids: [[6, 0, [...methods.ids]]] }])
  await su.model('ir.model.data').create([
    {
      module: 'point_of_sale',
      name: 'pos_config_main',
      model: 'pos.config',
      res_id: shop.ensureOne(),
      noupdate: true,
    },
  ])
}
