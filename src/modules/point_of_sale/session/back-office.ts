// Methods of sessions for the back office and for tills, apart from selling (pos.session): views,
// products by their codes, prices, loaded data.
import { extend, implement, type Of, one2many, optional, type Records, required, returns } from '#models'
import { UserError } from '../../../errors.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { assertAllowed, assertNoneMissing, givenIds, shownWindow } from '../../base/index.ts'
import { closeWithForm } from '../closing/close.ts'
import { loadProducts } from '../load/load.ts'
import { loadedFields, loadingOf, modelsOf, rowsOf } from '../load/read-models.ts'
import { cashMoveLabel, moveCash } from './cash.ts'
import { setOpeningControl } from './opening.ts'

type Sessions = Records<'pos.session'>

const object = returns<object>('object', 'dict')
const shows = (doc: string) => ({ doc, readonly: true, params: {}, returns: object }) as const
const closing = {
  doc: 'Does what action_pos_session_closing_control does.',
  params: {
    balancing_account: optional<unknown>('any', false, { annotation: 'int | bool' }),
    amount_to_balance: optional<unknown>('any', 0, { annotation: 'float' }),
    bank_payment_method_diffs: optional<unknown>('any', null, { annotation: 'dict | None' }),
  },
  returns: returns<unknown>('any', 'dict | bool'),
} as const
const ids = (doc: string) => required<unknown[]>('array', { doc, annotation: 'list[int]' })

const session = extend('pos.session', {
  fields: {
    bank_payment_ids: one2many('account.payment', 'pos_session_id', { label: 'Bank Payments' }),
  },
  methods: {
    action_pos_session_close: closing,
    action_pos_session_validate: closing,
    action_pos_session_open: {
      doc: 'Opens the session with the last counted amount of cash.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    action_show_payments_list: shows('Shows the payments of the session.'),
    action_view_order: shows('Shows the orders of the session.'),
    show_cash_register: shows('Shows what went into the drawer and out of it.'),
    show_journal_items: shows('Shows the items that the session was booked with.'),
    delete_cash_in_out: {
      doc: 'Reverses a cash movement by the same amount in the other direction.',
      params: {
        absl_id: required<number>('integer', { doc: 'The line, as get_cash_in_out_list names it' }),
        partner_id: required<unknown>('any', { annotation: 'int | bool' }),
      },
    },
    find_product_by_barcode: {
      doc: 'The product with a barcode, of its own or of a packaging, with variants and taxes.',
      readonly: true,
      params: { barcode: required<string>('string'), config_id: required<number>('integer') },
      returns: object,
    },
    get_pos_ui_product_pricelist_item_by_product: {
      doc: 'Price rules of the pricelists of a point of sale that are about products or variants.',
      readonly: true,
      params: {
        product_tmpl_ids: ids('Products'),
        product_ids: ids('Variants'),
        config_id: required<number>('integer'),
      },
      returns: object,
    },
    get_session_orders: {
      doc: 'Ids of the orders of the session.',
      readonly: true,
      params: {},
      returns: returns<number[]>('ids', 'list[int]'),
    },
    load_data_params: {
      doc: 'Structure of load_data, model by model: fields, and the models of relations.',
      readonly: true,
      params: {},
      returns: object,
    },
  },
})

declare module '#models' {
  interface PosSession extends Of<typeof session> {}
}

/**
 * Throws UserError for lines that are not of the session, or were taken back already: a till may repeat
 * the request.
 */
async function takeBack(sessions: Sessions, line: number, partner: unknown): Promise<null> {
  const id = sessions.ensureOne()
  await assertAllowed(sessions, 'write')
  const su = sessions.sudo()
  const lines = await su.env.model('account.bank.statement.line').search([
    ['pos_session_id', '=', id],
    ['counterpart_account_id', '=', false],
  ])
  const rows = await lines.load(['amount', 'payment_ref', 'partner_id'])
  const row = rows.find((each) => each.id === line)
  if (!row) throw new UserError('The session has no such line: load the list again.')
  const { amount, payment_ref, partner_id } = row
  const _type = amount < 0 ? 'in' : 'out'
  const reason = `Taken back: ${payment_ref ?? ''}`
  const { name } = await su.one(['name'])
  const count = (words: string | null, sum: number) =>
    rows.filter((each) => each.payment_ref === words && each.amount === sum).length
  if (count(cashMoveLabel(name, _type, reason), -amount) >= count(payment_ref, amount))
    throw new UserError('This money was taken back already: load the list again.')
  return moveCash(sessions, {
    _type,
    amount: Math.abs(amount),
    reason,
    partner_id: isInteger(partner) ? partner : (partner_id?.id ?? false),
  })
}

async function byBarcode({ env }: Sessions, barcode: string, config: number): Promise<object> {
  const packagings = await env
    .model('product.uom')
    .search([['barcode', '=', barcode]])
    .then((units) => units.load(['product_id']))
  const packed = ['product_variant_ids', 'in', packagings.flatMap((row) => row.product_id?.id ?? [])]
  // An empty barcode would match all products without one.
  const domain = barcode === '' ? [packed] : ['|', ['product_variant_ids.barcode', '=', barcode], packed]
  return loadProducts(env, config, [['available_in_pos', '=', true], ...domain], { offset: 0, limit: 0 })
}

async function priceRules(
  sessions: Sessions,
  params: { product_tmpl_ids: unknown[]; product_ids: unknown[]; config_id: number },
): Promise<object> {
  const { env } = sessions
  const configs = env.model('pos.config').browse([params.config_id])
  await assertAllowed(configs, 'read')
  const { use_pricelist, available_pricelist_ids } = await configs
    .sudo()
    .one(['use_pricelist', 'available_pricelist_ids'])
  const lists = use_pricelist ? available_pricelist_ids.map(({ id }) => id) : []
  const pricelistItems = await env
    .sudo()
    .model('product.pricelist.item')
    .search([
      ['pricelist_id', 'in', lists],
      '|',
      ['product_tmpl_id', 'in', givenIds(params.product_tmpl_ids)],
      ['product_id', 'in', givenIds(params.product_ids)],
    ])
  const models = await modelsOf(env)
  const of = await loadingOf(sessions)
  const load = (model: 'product.pricelist' | 'product.pricelist.item', ids: readonly number[]) =>
    rowsOf(env, [model, present(models.get(model))], { of, ids, domain: [] })
  return {
    'product.pricelist.item': await load('product.pricelist.item', pricelistItems.ids),
    'product.pricelist': await load('product.pricelist', lists),
  }
}

async function loadedOf(sessions: Sessions): Promise<object> {
  await assertAllowed(sessions, 'read')
  const { env } = sessions
  return Object.fromEntries(
    [...(await modelsOf(env))].map(([model, how]) => {
      const fields = loadedFields(env, model, how)
      const modelFields = env.def(model).fields
      const relations = fields.flatMap((name) => {
        const field = modelFields.get(name)
        return field?.comodel
          ? [[name, { name, type: field.kind, relation: field.comodel.name }] as const]
          : []
      })
      return [model, { fields, relations: Object.fromEntries(relations) }]
    }),
  )
}

/** An action that lists the sessions' records of a model. */
const showing =
  (name: string, model: 'pos.payment' | 'pos.order' | 'account.bank.statement.line', path: string) =>
  async (sessions: Sessions): Promise<object> => {
    await assertAllowed(sessions, 'read')
    return shownWindow({
      name,
      res_model: model,
      view_mode: 'list,form',
      domain: [[path, 'in', sessions.ids]],
    })
  }

export default implement(session, {
  methods: {
    action_pos_session_close: (sessions, params) => closeWithForm(sessions, params),
    action_pos_session_validate: (sessions, params) => closeWithForm(sessions, params),
    action_pos_session_open: async (sessions) => {
      const rows = await sessions.load(['state', 'cash_register_balance_start'])
      assertNoneMissing(sessions, rows)
      for (const row of rows)
        if (row.state === 'opening_control')
          await setOpeningControl(sessions.browse([row.id]), row.cash_register_balance_start, null)
      return true as const
    },
    action_show_payments_list: showing('Payments', 'pos.payment', 'session_id'),
    action_view_order: showing('Orders', 'pos.order', 'session_id'),
    show_cash_register: showing('Cash Lines', 'account.bank.statement.line', 'pos_session_id'),
    show_journal_items: async (sessions) => {
      await assertAllowed(sessions, 'read')
      const rows = await sessions.sudo().load(['move_id', 'order_ids.account_move'])
      const entries = rows.flatMap((row) => [
        ...(row.move_id ? [row.move_id.id] : []),
        ...row.order_ids.flatMap((order) => order.account_move?.id ?? []),
      ])
      return shownWindow({
        name: 'Journal Items',
        res_model: 'account.move.line',
        view_mode: 'list',
        domain: [['move_id', 'in', [...new Set(entries)]]],
      })
    },
    delete_cash_in_out: (sessions, { absl_id, partner_id }) => takeBack(sessions, absl_id, partner_id),
    find_product_by_barcode: (sessions, { barcode, config_id }) => byBarcode(sessions, barcode, config_id),
    get_pos_ui_product_pricelist_item_by_product: priceRules,
    get_session_orders: async (sessions) => [
      ...(await sessions.env.model('pos.order').search([['session_id', 'in', sessions.ids]])).ids,
    ],
    load_data_params: loadedOf,
  },
})
