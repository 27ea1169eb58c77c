// The form that puts lines of bills without an order on one (bill.to.po.wizard): as lines that were ordered,
// or as deposits that later bills deduct.
import {
  type Environment,
  extend,
  implement,
  many2one,
  type Of,
  type Records,
  transient,
  type Vals,
} from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import {
  actionMethod,
  assertAllowed,
  givenIds,
  readonlyActionMethod,
  shownForm,
  shownRecords,
} from '../../base/index.ts'

const form = transient('bill.to.po.wizard', {
  label: 'Bill to Purchase Order',
  recName: 'purchase_order_id',
  fields: {
    partner_id: many2one('res.partner', { label: 'Vendor', ondelete: 'cascade' }),
    purchase_order_id: many2one('purchase.order', {
      label: 'Purchase Order',
      ondelete: 'cascade',
      help: 'Empty: a new one.',
    }),
  },
  methods: {
    action_add_to_po: actionMethod(
      'Puts lines of bills (active_ids of the context: rows of purchase.bill.line.match) on the order as ordered.',
    ),
    action_add_downpayment: actionMethod(
      'Puts lines of bills on the order as deposits: its other bills deduct them.',
    ),
  },
})

const match = extend('purchase.bill.line.match', {
  fields: {},
  methods: {
    action_add_to_po: readonlyActionMethod('Opens the form that puts lines of bills on an order.'),
  },
})

declare module '#models' {
  interface Models {
    'bill.to.po.wizard': BillToOrder
  }
  interface BillToOrder extends Of<typeof form> {}
  interface PurchaseBillLineMatch extends Of<typeof match> {}
}

type Forms = Records<'bill.to.po.wizard'>

const paths = [
  'aml_id.name',
  'aml_id.product_id',
  'aml_id.product_uom_id',
  'aml_id.quantity',
  'aml_id.price_unit',
  'aml_id.discount',
  'aml_id.tax_ids',
  'aml_id.move_id.commercial_partner_id',
  'aml_id.move_id.partner_id',
  'aml_id.move_id.currency_id',
  'aml_id.move_id.company_id',
] as const

/** Lines of bills among the rows of the context. Throws UserError for none, and for several vendors. */
async function billedLines(env: Environment) {
  const rows = env.model('purchase.bill.line.match').browse(givenIds(env.context.active_ids))
  await assertAllowed(rows, 'read')
  const items = (await rows.load(paths)).flatMap(({ aml_id: item }) => (item ? [item] : []))
  const [first] = items
  if (!first)
    throw new UserError('No lines selected: choose bill lines without an order (active_ids in the context).')
  const bill = first.move_id
  const isAlike = ({ move_id: other }: typeof first) =>
    other.commercial_partner_id?.id === bill.commercial_partner_id?.id &&
    other.currency_id.id === bill.currency_id.id &&
    other.company_id?.id === bill.company_id?.id
  if (!items.every(isAlike))
    throw new UserError('The selected bill lines must have the same vendor, currency and company.')
  return { items, bill }
}

type Billed = Awaited<ReturnType<typeof billedLines>>
type Item = Billed['items'][number]

/** The order of the form, or a new one. Throws UserError where it is not one that the bills could be for. */
async function orderOf(forms: Forms, { bill }: Billed): Promise<Records<'purchase.order'>> {
  const orders = forms.env.model('purchase.order')
  const { purchase_order_id: order, partner_id: vendor } = await forms.one([
    'purchase_order_id',
    'partner_id',
  ])
  if (!order) {
    const partner_id = vendor?.id ?? bill.partner_id?.id
    if (partner_id === undefined) throw new UserError('The vendor of the order is required.')
    return orders.create([
      {
        partner_id,
        company_id: bill.company_id?.id ?? forms.env.companyId,
        currency_id: bill.currency_id.id,
      },
    ])
  }
  const named = orders.browse([order.id])
  await assertAllowed(named, 'write')
  const { state, locked, currency_id, company_id } = await named.one([
    'state',
    'locked',
    'currency_id',
    'company_id',
  ])
  if (state === 'cancel' || locked)
    throw new UserError('The order is cancelled or locked: choose another one.')
  if (currency_id.id !== bill.currency_id.id || company_id.id !== bill.company_id?.id)
    throw new UserError('The order has another currency or company than the bill: choose another order.')
  return named
}

/** Puts lines on the order for lines of bills, and links them. */
async function addLines(
  forms: Forms,
  lineOf: (item: Item) => Vals<'purchase.order.line'>,
  asServer: boolean,
): Promise<object> {
  const { env } = forms
  const billed = await billedLines(env)
  const order = await orderOf(forms, billed)
  const lines = (asServer ? env.sudo() : env).model('purchase.order.line')
  if (asServer) await assertAllowed(env.model('purchase.order.line').browse([]), 'create')
  const added = await lines.create(
    billed.items.map((item) => ({
      order_id: order.ensureOne(),
      name: item.name ?? '',
      price_unit: item.price_unit,
      discount: item.discount,
      tax_ids: [[6, 0, item.tax_ids.map(({ id }) => id)]] as const,
      ...lineOf(item),
    })),
  )
  await env
    .model('account.move.line')
    .browse(billed.items.map(({ id }) => id))
    .writeEach(new Map(billed.items.map(({ id }, i) => [id, { purchase_line_id: present(added.ids[i]) }])))
  return shownRecords('Purchase Order', 'purchase.order', order.ids)
}

async function addOrdered(forms: Forms): Promise<object> {
  const now = nowUtc(forms.env.now())
  return addLines(
    forms,
    (item) => {
      if (!item.product_id)
        throw new UserError('A line without a product cannot be added to the order: add it as a deposit.')
      return {
        product_id: item.product_id.id,
        ...(item.product_uom_id ? { product_uom_id: item.product_uom_id.id } : {}),
        product_qty: item.quantity,
        date_planned: now,
      }
    },
    false,
  )
}

export const billsToOrders = [
  implement(form, {
    methods: {
      action_add_to_po: addOrdered,
      action_add_downpayment: (forms) =>
        addLines(
          forms,
          (item) => ({
            is_downpayment: true,
            product_id: false,
            product_qty: 0,
            product_uom_id: item.product_uom_id?.id ?? false,
          }),
          true,
        ),
    },
  }),
  implement(match, {
    methods: {
      action_add_to_po: async (rows) => {
        await assertAllowed(rows, 'read')
        const [first] = await rows.load(['partner_id.commercial_partner_id'])
        const vendor = first?.partner_id?.commercial_partner_id ?? first?.partner_id
        return shownForm('Add to Purchase Order', 'bill.to.po.wizard', {
          active_model: 'purchase.bill.line.match',
          active_ids: rows.ids,
          ...(vendor ? { default_partner_id: vendor.id } : {}),
        })
      },
    },
  }),
]
