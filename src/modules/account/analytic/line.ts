// Analytic lines (account.analytic.line): amounts that count for an analytic account. Posting items makes
// them; others are typed.
import {
  char,
  computed,
  date,
  float,
  implement,
  many2one,
  model,
  monetary,
  type Of,
  type Records,
  returns,
  selection,
  writable,
} from '#models'
import { today } from '../../../kit/dates.ts'
import { assertAllowed } from '../../base/index.ts'
import { costsOf } from '../../product/index.ts'
import { accountsOf } from '../variant.ts'

const line = model('account.analytic.line', {
  label: 'Analytic Line',
  order: 'date desc, id desc',
  fields: {
    name: char({ label: 'Description', required: true }),
    date: date({ label: 'Date', required: true, index: true }),
    amount: monetary({
      label: 'Amount',
      default: 0,
      help: 'Revenue if the amount is positive, otherwise cost.',
    }),
    unit_amount: float({ label: 'Quantity', default: 0 }),
    product_uom_id: many2one('uom.uom', { label: 'Unit' }),
    account_id: many2one('account.analytic.account', {
      label: 'Analytic Account',
      ondelete: 'restrict',
      index: true,
      checkCompany: true,
    }),
    partner_id: many2one('res.partner', { label: 'Partner', checkCompany: true }),
    user_id: many2one('res.users', { label: 'User', index: true }),
    company_id: many2one('res.company', { label: 'Company', required: true, readonly: true, index: true }),
    currency_id: many2one('res.currency', {
      label: 'Currency',
      related: 'company_id.currency_id',
      stored: true,
    }),
    category: selection(
      { other: 'Other', invoice: 'Customer Invoice', vendor_bill: 'Vendor Bill' },
      { label: 'Category', default: 'other' },
    ),
    move_line_id: many2one('account.move.line', {
      label: 'Journal Item',
      ondelete: 'cascade',
      index: true,
      checkCompany: true,
    }),
    general_account_id: many2one('account.account', {
      label: 'Financial Account',
      computed: true,
      stored: true,
      readonly: false,
      ondelete: 'restrict',
    }),
    journal_id: many2one('account.journal', {
      label: 'Financial Journal',
      related: 'move_line_id.journal_id',
      stored: true,
    }),
    product_id: many2one('product.product', { label: 'Product', checkCompany: true }),
    code: char({ label: 'Code', size: 8 }),
    ref: char({ label: 'Ref.' }),
  },
  methods: {
    on_change_unit_amount: {
      doc: 'Sets amount, unit and account of analytic lines with a product: its cost for their quantity, as an expense.',
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface Models {
    'account.analytic.line': AnalyticLine
  }
  interface AnalyticLine extends Of<typeof line> {}
}

/** Lines of a posted item follow its distribution. */
const lineWritable = writable<'account.analytic.line'>({
  lock: 'move_line_id',
  server: ['move_line_id'],
  once: ['company_id'],
  always: ['name', 'code', 'ref', 'user_id'],
  removed: ['always'],
})

async function priceByCost(lines: Records<'account.analytic.line'>): Promise<false> {
  await assertAllowed(lines, 'write')
  const rows = await lines.load([
    'product_id.product_tmpl_id.uom_id',
    'product_uom_id',
    'unit_amount',
    'company_id',
    'move_line_id',
  ])
  for (const [company, group] of Map.groupBy(rows, (row) => row.company_id.id)) {
    const env = lines.env.withCompany(company)
    const priced = group.flatMap(
      ({ id, product_id: product, product_uom_id: unit, unit_amount: quantity, move_line_id: item }) =>
        product && !item
          ? [{ id, quantity, product: product.id, unit: (unit ?? product.product_tmpl_id.uom_id).id }]
          : [],
    )
    const costs = await costsOf(env, priced)
    const accounts = await accountsOf(
      env,
      priced.map(({ product }) => product),
      'expense',
    )
    await lines.browse(priced.map(({ id }) => id)).writeEach(
      new Map(
        priced.map(({ id, quantity, product, unit }, i) => [
          id,
          {
            amount: -(costs[i] ?? 0) * quantity + 0,
            product_uom_id: unit,
            general_account_id: accounts.get(product) ?? false,
          },
        ]),
      ),
    )
  }
  return false
}

export default implement(line, {
  writable: lineWritable,
  defaults: {
    date: (env) => today(env.tz, env.now()),
    user_id: (env) => env.uid,
    company_id: (env) => env.companyId,
  },
  computed: {
    general_account_id: computed(
      line,
      ['move_line_id.account_id'],
      ({ move_line_id: item }) => item?.account_id ?? null,
      { editable: true },
    ),
  },
  methods: { on_change_unit_amount: priceByCost },
})
