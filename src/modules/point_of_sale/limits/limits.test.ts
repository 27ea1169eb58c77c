// Limits of cashiers: what needs a manager's approval, by whatever way an order is paid, and what an approval
// is good for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTill, type Person, type Row, type Till } from '../../../../test/support/till.ts'
import { raw } from '../../../sql/index.ts'

const PIN = '480152'
let till: Till
let product: number
let boss: number
let n = 0
before(async () => {
  till = await openTill(['sales_team', 'sale', 'sale_stock', 'pos_sale'])
  product = await till.make('product.product', {
    name: 'Lamp',
    list_price: 100,
    available_in_pos: true,
    taxes_id: [[5]],
  })
  const userOf = async (person: string) => {
    const domain = [['login', '=', person]]
    return ((await till.ask<number[]>('res.users/search', { domain })) as [number])[0]
  }
  boss = await userOf('boss')
  await till.ask('res.users/set_pos_pin', { ids: [boss], pin: PIN }, 'boss')
  await till.ask('res.users/set_pos_pin', { ids: [await userOf('cashier')], pin: '975310' }, 'cashier')
})
after(() => till?.close())

const off = {
  manual_discount: true,
  restrict_price_control: false,
  restrict_discounts: false,
  restrict_refunds: false,
  restrict_negative_orders: false,
  restrict_drawer: false,
  restrict_cash_out: false,
}
const limit = (vals: Row) => till.ask('pos.config/write', { ids: [till.config], vals: { ...off, ...vals } })

interface Line {
  readonly qty?: number
  readonly price?: number
  readonly discount?: number
  readonly more?: Row
}

/** An order of lamps that is paid as much as it comes to. */
function order(lines: readonly Line[], more: Row = {}): Row {
  n++
  const sold = lines.map(({ qty = 1, price = 100, discount = 0, more: values }) => {
    const total = Math.round(qty * price * (100 - discount)) / 100
    return {
      product,
      qty,
      price,
      more: { discount, price_subtotal: total, price_subtotal_incl: total, ...values },
    }
  })
  const total = sold.reduce((sum, { more: { price_subtotal } }) => sum + price_subtotal, 0)
  const paid = total === 0 ? [] : [[0, 0, { uuid: `paid-${n}`, payment_method_id: till.cash, amount: total }]]
  return till.order({
    n: 9000 + n,
    lines: sold,
    more: { amount_total: total, amount_paid: total, payment_ids: paid, ...more },
  })
}

const send = (vals: Row, tokens: readonly unknown[] = [], person: Person = 'cashier') =>
  till.call(person, 'pos.order/sync_from_ui', { orders: [vals], context: { pos_approvals: tokens } })

async function assertNeeds(vals: Row, kind: string, amount: number, tokens: readonly unknown[] = []) {
  const { status, body } = await send(vals, tokens)
  assert.equal(status, 422, JSON.stringify(body))
  const { message } = body as { message: string }
  assert.match(message, new RegExp(`pos.config/approve with kind "${kind}".* amount ${amount},`))
}

const ask = (vals: Row, person: Person = 'cashier') =>
  till.call(person, 'pos.config/approve', { ids: [till.config], login: 'boss', pin: PIN, ...vals })
async function approve(vals: Row): Promise<string> {
  const { status, body } = await ask(vals)
  assert.equal(status, 200, JSON.stringify(body))
  return (body as { token: string }).token
}

test('limits: all off, cashiers do as before', async () => {
  await limit({})
  for (const unlimited of [order([{ discount: 90 }]), order([{ price: 1 }]), order([{ qty: -1 }])])
    assert.equal((await send(unlimited)).status, 200)
})

test('discounts: up to the limit they are free, beyond it a manager approves', async () => {
  await limit({ restrict_discounts: true, limit_discount: 10 })
  assert.equal((await send(order([{ discount: 10 }]))).status, 200)
  await assertNeeds(order([{ discount: 10 }, { discount: 30 }]), 'discount', 30)
  // A lower price is a discount by another name, and so is a total that is too low.
  await assertNeeds(order([{ price: 60 }]), 'discount', 40)
  await assertNeeds(order([{ price: 95, discount: 10 }]), 'discount', 14.5)
  const paid = [[0, 0, { uuid: 'low', payment_method_id: till.cash, amount: 20 }]]
  await assertNeeds(order([{}], { amount_total: 20, amount_paid: 20, payment_ids: paid }), 'price', 80)
  // Managers need no approval.
  assert.equal((await send(order([{ discount: 80 }]), [], 'boss')).status, 200)
  await limit({ manual_discount: false })
  await assertNeeds(order([{ discount: 1 }]), 'discount', 1)
})

test('an approval: is for its till, kind, order and amount, and used once', async () => {
  await limit({ restrict_discounts: true, limit_discount: 10 })
  const discounted = order([{ discount: 30 }])
  const token = await approve({ kind: 'discount', order: discounted.uuid, amount: 30 })
  await assertNeeds(order([{ discount: 30 }]), 'discount', 30, [token])
  await assertNeeds({ ...order([{ discount: 35 }]), uuid: discounted.uuid }, 'discount', 35, [token])
  const other = await till.make('pos.config', { name: 'Other', payment_method_ids: [[6, 0, [till.card]]] })
  const elsewhere = await till.call('cashier', 'pos.config/approve', {
    ids: [other],
    login: 'boss',
    pin: PIN,
    kind: 'discount',
    order: discounted.uuid,
    amount: 99,
  })
  await assertNeeds(discounted, 'discount', 30, [(elsewhere.body as { token: string }).token])
  await assertNeeds(discounted, 'discount', 30, [
    await approve({ kind: 'price', order: discounted.uuid, amount: 99 }),
  ])
  assert.equal((await send(discounted, ['forged', token])).status, 200)
  // A repeated order is a known one: nothing happens twice. The approval does not hold for another uuid.
  assert.equal((await send(discounted, [token])).status, 200)
  const [used] = await till.ask<Row[]>(
    'pos.approval/search_read',
    {
      domain: [['used_at', '!=', false]],
      fields: ['kind', 'amount', 'asked_by', 'approved_by', 'order_id'],
      load: null,
    },
    'boss',
  )
  assert.deepEqual([used?.kind, used?.amount, used?.approved_by], ['discount', 30, boss])
  const expired = order([{ discount: 30 }])
  const late = await approve({ kind: 'discount', order: expired.uuid, amount: 30 })
  await till.run((env) =>
    env.query(raw("UPDATE pos_approval SET expires_at = '2001-01-01' WHERE used_at IS NULL")),
  )
  await assertNeeds(expired, 'discount', 30, [late])
  const events = await till.ask<Row[]>('comptoir.audit/search_read', {
    domain: [['event', 'in', ['pos.approve', 'pos.approved']]],
    fields: ['event', 'login', 'name', 'detail'],
    order: 'id',
  })
  assert.equal(events.filter(({ event }) => event === 'pos.approved').length, 1)
  assert.deepEqual([events[0]?.login, events[0]?.name], ['cashier', 'boss'])
  assert.ok(!JSON.stringify(events).includes(PIN))
})

test('approvals: the id of an order and a uuid that looks like it are not the same', async () => {
  await limit({ restrict_discounts: true, limit_discount: 10 })
  const kind = 'discount'
  for (const [approved, uuid] of [
    [4711, '4711'],
    [4711, '#4711'],
    ['#4712', '4712'],
  ] as const) {
    const token = await approve({ kind, order: approved, amount: 30 })
    await assertNeeds(order([{ discount: 30 }], { uuid }), kind, 30, [token])
  }
  const odd = order([{ discount: 30 }], { uuid: '#4713' })
  const { body } = await send(odd)
  assert.match(JSON.stringify(body), /order \\"#4713\\", amount 30/)
  assert.equal((await send(odd, [await approve({ kind, order: '#4713', amount: 30 })])).status, 200)
  assert.equal((await ask({ kind, order: 1.5, amount: 30 })).status, 422)
  assert.equal((await ask({ kind, order: { id: 1 }, amount: 30 })).status, 422)
})

test('PINs and badges: only managers approve, and nothing shows them', async () => {
  const vals = { kind: 'refund', order: 'x', amount: 1 }
  const refused = await ask({ ...vals, pin: '000001' })
  assert.equal(refused.status, 403)
  assert.match(JSON.stringify(refused.body), /Try again, or have the manager set a PIN/)
  assert.equal((await ask({ ...vals, login: 'cashier', pin: '975310' })).status, 403, 'a cashier’s own PIN')
  for (const login of ['nobody', 'a\u0000b', 'x'.repeat(5000)])
    assert.equal((await ask({ ...vals, login })).status, 403)
  assert.equal((await ask({ ...vals, login: null, pin: null })).status, 403)
  const code = await till.ask<string>('res.users/make_pos_badge', { ids: [boss] }, 'boss')
  const byBadge = { ...vals, login: null, pin: null, badge: code }
  assert.equal((await ask(byBadge)).status, 200)
  await till.ask('res.users/remove_pos_badge', { ids: [boss] })
  assert.equal((await ask(byBadge)).status, 403)
  for (const pin of ['12345', '111111', 'abcdef', 123456])
    assert.equal(
      (await till.call('boss', 'res.users/set_pos_pin', { ids: [boss], pin })).status,
      422,
      `${pin}`,
    )
  assert.equal((await till.call('cashier', 'res.users/set_pos_pin', { ids: [boss], pin: PIN })).status, 403)
  const fields = await till.ask<Row>('res.users/fields_get', { attributes: ['type'] })
  assert.deepEqual(
    Object.keys(fields).filter((name) => /pin|badge/.test(name)),
    [],
  )
  const shown = await till.ask<Row>('pos.approval/fields_get', { attributes: ['type'] }, 'boss')
  assert.ok(!('token_hash' in shown))
  assert.equal(
    (await till.call('cashier', 'pos.approval/search_read', { domain: [], fields: [] })).status,
    403,
  )
  const created = await till.call('boss', 'pos.approval/create', { vals_list: [{ config_id: till.config }] })
  assert.equal(created.status, 403)
})

test('PINs: tries are limited like logins', async () => {
  const key = 'base.login_cooldown_after'
  await till.ask('ir.config_parameter/set_param', { key, value: '2' })
  try {
    const wrong = { kind: 'drawer', pin: '000002' }
    const answers = [await ask(wrong), await ask(wrong), await ask({ kind: 'drawer' })]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403],
    )
    assert.match(JSON.stringify(answers[2]?.body), /Too many/)
  } finally {
    await till.ask('ir.config_parameter/set_param', { key, value: '1000' })
  }
})

test('prices: others than the usual ones need an approval, as do other taxes', async () => {
  await limit({ restrict_price_control: true })
  assert.equal((await send(order([{}, { qty: 3, discount: 50 }]))).status, 200)
  await assertNeeds(order([{ price: 99 }]), 'price', 1)
  await assertNeeds(order([{ price: 101 }]), 'price', 1)
  await assertNeeds(order([{ discount: -50 }]), 'price', 50)
  // Two lines count together, and an extra that the product does not have does not count.
  await assertNeeds(order([{ price: 90 }, { price: 95 }]), 'price', 15)
  await assertNeeds(order([{ price: 80, more: { price_extra: -20 } }]), 'price', 20)
  const list = await till.make('product.pricelist', {
    name: 'Staff',
    item_ids: [[0, 0, { compute_price: 'fixed', fixed_price: 5 }]],
  })
  await assertNeeds(order([{ price: 5 }], { pricelist_id: list }), 'price', 95)
  const cheaper = order([{ price: 90 }])
  assert.equal(
    (await send(cheaper, [await approve({ kind: 'price', order: cheaper.uuid, amount: 10 })])).status,
    200,
  )
  await limit({ restrict_price_control: true, use_pricelist: false })
  const tax = await till.make('account.tax', { name: 'T', amount: 10, amount_type: 'percent' })
  const taxed = await till.make('product.product', {
    name: 'Taxed',
    list_price: 100,
    available_in_pos: true,
    taxes_id: [[6, 0, [tax]]],
  })
  await assertNeeds(order([{ more: { product_id: taxed } }]), 'price', 0)
})

test('prices: what is paid back at a usual price needs an approval for more, not for less', async () => {
  await limit({ restrict_price_control: true })
  const product_id = await till.make('product.product', {
    name: 'Deposit',
    list_price: -10,
    available_in_pos: true,
    taxes_id: [[5]],
  })
  const paidBack = (discount: number) => order([{}, { price: -10, discount, more: { product_id } }])
  assert.equal((await send(paidBack(10))).status, 200)
  await assertNeeds(paidBack(-100), 'price', 10)
})

test('prices: without included taxes only under a fiscal position of the till that removes them', async () => {
  const tax = await till.make('account.tax', {
    name: 'In',
    amount: 25,
    price_include_override: 'tax_included',
  })
  const taxed = await till.make('product.product', {
    name: 'Taxed lamp',
    list_price: 125,
    available_in_pos: true,
    taxes_id: [[6, 0, [tax]]],
  })
  const positionOf = (name: string) => till.make('account.fiscal.position', { name })
  const [abroad, home, elsewhere] = [await positionOf('A'), await positionOf('H'), await positionOf('E')]
  await till.make('account.tax', { name: 'Other', amount: 3, fiscal_position_ids: [[6, 0, [home]]] })
  await limit({ restrict_price_control: true, fiscal_position_ids: [[6, 0, [abroad, home]]] })
  const sold = (price: number, taxes: readonly number[], fiscal_position_id: number) =>
    order([{ price, more: { product_id: taxed, tax_ids: [[6, 0, taxes]] } }], { fiscal_position_id })
  assert.equal((await send(sold(100, [], abroad))).status, 200)
  assert.equal((await send(sold(125, [tax], home))).status, 200)
  await assertNeeds(sold(100, [tax], home), 'price', 25)
  await assertNeeds(sold(100, [tax], elsewhere), 'price', 25)
  await limit({ fiscal_position_ids: [[5]] })
})

test('refunds and money out: by lines, quantities, prices and totals below nothing', async () => {
  await limit({})
  const sold = order([{ qty: 5 }])
  assert.equal((await send(sold)).status, 200)
  const [line] = await till.ask<number[]>('pos.order.line/search', {
    domain: [['order_id.uuid', '=', sold.uuid]],
  })
  const back = (qty: number, price = 100) => ({ qty, price, more: { refunded_orderline_id: line } })
  await limit({ restrict_refunds: true, limit_refund: 100 })
  assert.equal((await send(order([back(-1)]))).status, 200)
  await assertNeeds(order([back(-1), back(-1)]), 'refund', 200)
  await assertNeeds(order([back(-1, 150)]), 'refund', 150)
  // Lines that sell do not reduce it, and goods without their sale count too.
  await assertNeeds(order([back(-2), { qty: 1 }]), 'refund', 200)
  await assertNeeds(order([{ qty: -2 }]), 'refund', 200)
  const refund = order([back(-2)])
  const token = await approve({ kind: 'refund', order: refund.uuid, amount: 200 })
  assert.equal((await send(refund, [token])).status, 200)
  await limit({ restrict_negative_orders: true })
  assert.equal((await send(order([back(-1)]))).status, 200)
  // Goods beyond what is left of a sale are not a refund of it.
  await assertNeeds(order([back(-2)]), 'negative', 200)
  await assertNeeds(order([{ qty: -1 }, { qty: 2 }]), 'negative', 100)
  await assertNeeds(order([{ price: -10 }]), 'negative', 10)
  const paid = [[0, 0, { uuid: 'out', payment_method_id: till.cash, amount: -50 }]]
  const outgoing = { amount_total: -50, amount_paid: -50, payment_ids: paid }
  await assertNeeds(order([], outgoing), 'negative', 50)
  // Prices that were agreed are those of the sale.
  await limit({ restrict_price_control: true })
  await assertNeeds(order([back(-1, 130)]), 'price', 30)
})

test('limits hold in the back office: orders made, written, imported or refunded there are paid under them', async () => {
  await limit({ restrict_discounts: true, limit_discount: 10, restrict_refunds: true, limit_refund: 0 })
  const draft = (discount: number, total: number) => ({
    session_id: till.session,
    amount_total: total,
    amount_tax: 0,
    amount_paid: 0,
    amount_return: 0,
    lines: [
      [
        0,
        0,
        {
          product_id: product,
          qty: 1,
          price_unit: 100,
          discount,
          price_subtotal: total,
          price_subtotal_incl: total,
        },
      ],
    ],
  })
  const pay = async (id: number, amount: number, tokens: readonly string[] = []) => {
    const context = { active_id: id, active_ids: [id], pos_approvals: tokens }
    const [form] = await till.ask<number[]>(
      'pos.make.payment/create',
      { vals_list: [{ amount, payment_method_id: till.cash }], context },
      'cashier',
    )
    return till.call('cashier', 'pos.make.payment/check', { ids: [form], context })
  }
  const discounted = await till.make('pos.order', draft(40, 60), 'cashier')
  assert.equal((await pay(discounted, 60)).status, 422)
  const plain = await till.make('pos.order', draft(0, 100), 'cashier')
  const [line] = await till.ask<number[]>('pos.order.line/search', { domain: [['order_id', '=', plain]] })
  const cheaper = { discount: 50, price_subtotal: 50, price_subtotal_incl: 50 }
  await till.ask(
    'pos.order/web_save',
    { ids: [plain], vals: { amount_total: 50, lines: [[1, line, cheaper]] }, specification: {} },
    'cashier',
  )
  assert.equal((await pay(plain, 50)).status, 422)
  const draftLine = await till.ask<number[]>('pos.order.line/search', {
    domain: [['order_id', '=', discounted]],
  })
  await till.ask(
    'pos.order.line/load',
    { fields: ['.id', 'discount'], data: [[`${draftLine[0]}`, '0']] },
    'cashier',
  )
  await till.ask('pos.order/write', { ids: [discounted], vals: { amount_total: 100 } }, 'cashier')
  assert.equal((await pay(discounted, 100)).status, 200)
  const { res_id } = await till.ask<{ res_id: number }>('pos.order/refund', { ids: [discounted] }, 'cashier')
  assert.equal((await pay(res_id, -100)).status, 422)
  const { uuid } = await till.read('pos.order', res_id, ['uuid'])
  const token = await approve({ kind: 'refund', order: uuid || res_id, amount: 100 })
  assert.equal((await pay(res_id, -100, [token])).status, 200)
})

test('drawers: opening without a sale and cash out need an approval each time', async () => {
  await limit({ restrict_drawer: true, restrict_cash_out: true })
  const call = (method: string, body: Row, tokens: readonly string[] = []) =>
    till.call('cashier', `pos.session/${method}`, {
      ids: [till.session],
      ...body,
      context: { pos_approvals: tokens },
    })
  const open = (tokens?: readonly string[]) => call('note_drawer_opened', { reason: 'change' }, tokens)
  assert.equal((await open()).status, 422)
  const token = await approve({ kind: 'drawer' })
  assert.equal((await open([token])).status, 200)
  assert.equal((await open([token])).status, 422, 'used')
  const move = (_type: string, amount: number, tokens?: readonly string[]) =>
    call('try_cash_in_out', { _type, amount, reason: 'bank', partner_id: false, extras: {} }, tokens)
  // Cash is moved by cashiers who may book it (recorded).
  const accounting = await till.run((env) => env.ref('account.group_account_invoice'))
  const [cashier] = await till.ask<number[]>('res.users/search', { domain: [['login', '=', 'cashier']] })
  await till.ask('res.users/write', { ids: [cashier], vals: { group_ids: [[4, accounting]] } })
  const put = await move('in', 50)
  assert.equal(put.status, 200, JSON.stringify(put.body))
  const some = await approve({ kind: 'cash_out', amount: 20 })
  assert.equal((await move('out', 21, [some])).status, 422)
  assert.equal((await move('out', 20, [some])).status, 200)
  await limit({})
  assert.equal((await open()).status, 200)
})

test('approvals: two calls at once use one of them once', async () => {
  await limit({ restrict_drawer: true })
  const token = await approve({ kind: 'drawer' })
  const open = () =>
    till.call('cashier', 'pos.session/note_drawer_opened', {
      ids: [till.session],
      reason: 'change',
      context: { pos_approvals: [token] },
    })
  const answers = await Promise.all([open(), open(), open()])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422, 422])
})

test('prices: a combo is judged as a whole, and only by parts that are its own', async () => {
  await limit({ restrict_price_control: true })
  const thing = (name: string, list_price: number, more: Row = {}) =>
    till.make('product.product', { name, list_price, available_in_pos: true, taxes_id: [[5]], ...more })
  const [tea, cake, safe] = [await thing('Tea', 3), await thing('Cake', 5), await thing('Safe', 900)]
  const choices = []
  for (const [name, part] of [
    ['Drinks', tea],
    ['Sweets', cake],
  ])
    choices.push(await till.make('product.combo', { name, combo_item_ids: [[0, 0, { product_id: part }]] }))
  const items = await till.ask<Row[]>('product.combo.item/search_read', {
    domain: [['combo_id', 'in', choices]],
    fields: ['product_id'],
    load: null,
  })
  const itemOf = (part: number) => items.find(({ product_id }) => product_id === part)?.id
  const set = await thing('Set', 7, { type: 'combo', combo_ids: [[6, 0, choices]] })
  const combo = (parts: readonly (readonly [product: number, price: number, item: number])[]) => {
    n++
    const uuids = parts.map((_, i) => `part-${n}-${i}`)
    return order([
      { price: 0, more: { product_id: set, uuid: `set-${n}`, combo_line_ids: uuids } },
      ...parts.map(([product_id, price, item], i) => ({
        price,
        more: { product_id, uuid: uuids[i], combo_item_id: itemOf(item) },
      })),
    ])
  }
  const whole = await send(
    combo([
      [tea, 2.5, tea],
      [cake, 4.5, cake],
    ]),
  )
  assert.equal(whole.status, 200, JSON.stringify(whole.body))
  const cheaper = await send(
    combo([
      [tea, 2, tea],
      [cake, 4.5, cake],
    ]),
  )
  assert.equal(cheaper.status, 422)
  // An expensive thing in the place of a part, and a part too many.
  const forged = await send(
    combo([
      [tea, 2.5, tea],
      [safe, 4.5, cake],
    ]),
  )
  assert.equal(forged.status, 422)
  const twice = await send(
    combo([
      [cake, 3.5, cake],
      [cake, 3.5, cake],
    ]),
  )
  assert.equal(twice.status, 422)
  // The sum is right, but the dear part could be taken back for more than the whole cost.
  const shifted = await send(
    combo([
      [tea, -993, tea],
      [cake, 1000, cake],
    ]),
  )
  assert.equal(shifted.status, 422)
})

test('prices: lines of a sales order cost what was agreed there, and nothing less', async () => {
  await limit({ restrict_price_control: true, restrict_discounts: true, limit_discount: 0 })
  const partner_id = await till.make('res.partner', { name: 'Customer' })
  const sale = await till.make('sale.order', {
    partner_id,
    order_line: [[0, 0, { product_id: product, product_uom_qty: 1, price_unit: 70, discount: 10 }]],
  })
  const [line] = await till.ask<number[]>('sale.order.line/search', { domain: [['order_id', '=', sale]] })
  const agreed = (price: number, discount: number, more: Row = {}) =>
    order([{ price, discount, more: { sale_order_line_id: line, sale_order_origin_id: sale, ...more } }])
  await assertNeeds(agreed(60, 10), 'price', 9)
  await assertNeeds(agreed(70, 11), 'price', 0.7)
  // An order line of other goods agreed on nothing for these.
  const other = await till.make('product.product', { name: 'Other', list_price: 500, taxes_id: [[5]] })
  await assertNeeds(agreed(63, 0, { product_id: other }), 'price', 437)
  assert.equal((await send(agreed(70, 10))).status, 200)
  await assertNeeds(agreed(70, 10), 'price', 30)
})

test('payments: what came by card does not leave in cash, by drafts and in the back office neither', async () => {
  await limit({})
  const pay = (uuid: string, payment_method_id: number, amount: number) => [
    0,
    0,
    { uuid, payment_method_id, amount },
  ]
  const draft = order([{}], { state: 'draft', amount_paid: 0, payment_ids: [pay('by-card', till.card, 150)] })
  assert.equal((await send(draft)).status, 200)
  const paid = { ...draft, state: 'paid', amount_paid: 100, payment_ids: [pay('in-cash', till.cash, -50)] }
  const refused = await send(paid)
  assert.equal(refused.status, 422)
  assert.match(JSON.stringify(refused.body), /must either bring money in/)
  const [id] = await till.ask<number[]>('pos.order/search', { domain: [['uuid', '=', draft.uuid]] })
  const data = { amount: -50, payment_method_id: till.cash }
  await till.ask('pos.order/add_payment', { ids: [id], data }, 'cashier')
  assert.equal((await till.call('cashier', 'pos.order/action_pos_order_paid', { ids: [id] })).status, 422)
})
