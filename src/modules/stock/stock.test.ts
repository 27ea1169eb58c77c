// The stock over a real server: what the database keeps, who may do what, lots, steps, replenishment, and how
// many statements it takes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventsOf } from '../../../test/support/events.ts'
import { type Office, openOffice } from '../../../test/support/office.ts'
import { patiently } from '../../../test/support/patient.ts'
import { statementsOf } from '../../../test/support/statements.ts'

type Row = Record<string, unknown>
type Who = 'keeper' | 'clerk'
let shop: Office<Who>
const refs: Record<string, number> = {}
before(async () => {
  shop = await openOffice(
    ['base', 'mail', 'uom', 'product', 'account', 'sales_team', 'sale', 'stock', 'sale_stock'],
    {
      keeper: ['stock.group_stock_user'],
      clerk: [],
    },
  )
  await shop.run(async (env) => {
    for (const name of [
      'stock_location_stock',
      'stock_location_customers',
      'stock_location_suppliers',
      'picking_type_in',
      'picking_type_out',
      'warehouse0',
    ])
      refs[name] = await env.ref(`stock.${name}`)
  })
})
after(() => shop?.close())

const ask = async <T>(path: string, body: object, who: Who | 'admin' = 'admin'): Promise<T> => {
  const { status, body: answer } = await shop.call(who, path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer).slice(0, 300)}`)
  return answer as T
}
const make = (model: string, vals_list: readonly object[]) => ask<number[]>(`${model}/create`, { vals_list })
const goods = async (count: number, each: number, more: object = {}): Promise<number[]> => {
  const products = await make(
    'product.product',
    Array.from({ length: count }, (_, n) => ({ name: `Goods ${n}`, is_storable: true, ...more })),
  )
  if (each) await put(products, each)
  return products
}
const put = async (products: readonly number[], quantity: number) => {
  const vals_list = products.map((product_id) => ({
    product_id,
    location_id: refs.stock_location_stock,
    inventory_quantity: quantity,
  }))
  const ids = await ask<number[]>('stock.quant/create', { vals_list, context: { inventory_mode: true } })
  await ask('stock.quant/action_apply_inventory', { ids })
}
const delivery = async (products: readonly number[], product_uom_qty: number, more: object = {}) => {
  const moves = products.map((product_id) => [0, 0, { product_id, product_uom_qty }])
  const [id] = await make('stock.picking', [
    { picking_type_id: refs.picking_type_out, move_ids: moves, ...more },
  ])
  return id as number
}
const quantities = (ids: readonly number[], context: object = {}) =>
  ask<Row[]>('product.product/read', {
    ids,
    fields: ['qty_available', 'free_qty', 'virtual_available'],
    context,
  })

/** No row of the ledger reserves more than it holds, and all places together hold nothing of any product. */
async function assertLaws(): Promise<void> {
  await shop.run(async (env) => {
    const { sql } = await import('../../sql/index.ts')
    const unbalanced = await env.query(
      sql`SELECT product_id, sum(quantity)::float8 FROM stock_quant GROUP BY 1 HAVING sum(quantity) <> 0`,
    )
    assert.deepEqual(unbalanced, [])
    const promised =
      await env.query(sql`SELECT q.id, q.quantity::float8, q.reserved_quantity::float8 FROM stock_quant q
      WHERE q.reserved_quantity > GREATEST(q.quantity, 0)`)
    assert.deepEqual(promised, [])
    const lines =
      await env.query(sql`SELECT q.product_id, q.location_id, sum(q.reserved_quantity)::float8, l.reserved FROM stock_quant q
      LEFT JOIN LATERAL (SELECT COALESCE(sum(l.quantity_product_uom), 0)::float8 AS reserved FROM stock_move_line l
        WHERE l.product_id = q.product_id AND l.location_id = q.location_id AND l.state NOT IN ('done', 'cancel')) l ON true
      JOIN stock_location p ON p.id = q.location_id AND p.usage = 'internal'
      GROUP BY 1, 2, l.reserved HAVING sum(q.reserved_quantity) <> l.reserved`)
    assert.deepEqual(lines, [])
  })
}

test('a delivery of many lines takes as many statements as one of few; so does confirming many orders', async () => {
  // Related records are read in the same statement for few moves and for many.
  const products = await goods(130, 50)
  const [small, large] = [await delivery(products.slice(0, 30), 2), await delivery(products.slice(30), 2)]
  const counts: number[] = []
  for (const id of [small, large]) {
    await ask('stock.picking/action_confirm', { ids: [id] })
    counts.push((await statementsOf(() => ask('stock.picking/button_validate', { ids: [id] }))).length)
  }
  // The first one reads what the others know.
  assert.ok(Math.abs((counts[0] as number) - (counts[1] as number)) <= 2, `${counts} statements`)
  assert.ok((counts[1] as number) <= 50, `${counts[1]} statements`)
  const [partner_id] = await make('res.partner', [{ name: 'Ann' }])
  const orders = await make(
    'sale.order',
    Array.from({ length: 130 }, (_, n) => ({
      partner_id,
      order_line: [[0, 0, { product_id: products[n], product_uom_qty: 1 }]],
    })),
  )
  const confirmed: number[] = []
  for (const ids of [orders.slice(0, 30), orders.slice(30)])
    confirmed.push((await statementsOf(() => ask('sale.order/action_confirm', { ids }))).length)
  assert.ok(Math.abs((confirmed[0] as number) - (confirmed[1] as number)) <= 3, `${confirmed} statements`)
  assert.ok((confirmed[1] as number) <= 160, `${confirmed} statements`)
  await assertLaws()
})

/** As many more of a product, with what each place holds of it, by plain SQL. */
const copied = (product: number, count: number) =>
  shop.run(async (env) => {
    const { sql } = await import('../../sql/index.ts')
    const copies =
      await env.query(sql`INSERT INTO product_product SELECT r.* FROM product_product p, generate_series(1, ${count}::int) n
      CROSS JOIN LATERAL jsonb_populate_record(NULL::product_product, to_jsonb(p)
        || jsonb_build_object('id', nextval('product_product_id_seq'), 'combination_indices', 'copy ' || n)) r
      WHERE p.id = ${product}::int RETURNING id`)
    const ids = copies.map((row) => row[0] as number)
    await env.query(sql`INSERT INTO stock_quant SELECT r.* FROM stock_quant q, jsonb_array_elements(${JSON.stringify(ids)}::jsonb) c
      CROSS JOIN LATERAL jsonb_populate_record(NULL::stock_quant, to_jsonb(q) || jsonb_build_object('id', nextval('stock_quant_id_seq'), 'product_id', c)) r
      WHERE q.product_id = ${product}::int`)
    return ids
  })

test('quantities of ten thousand products are read in at most four statements, and searched', async () => {
  const products = await goods(300, 4)
  await quantities(products.slice(0, 1))
  const [model] = (await goods(1, 4)) as [number]
  const all = await copied(model, 10_000)
  const request = {
    domain: [['id', 'in', all]],
    fields: ['name', 'default_code', 'qty_available', 'incoming_qty', 'virtual_available'],
  }
  for (const work of [
    () => quantities(products),
    () => quantities(all),
    () => ask<Row[]>('product.product/search_read', request),
  ]) {
    let rows: Row[] = []
    const statements = await statementsOf(async () => {
      rows = await work()
    })
    const queries = statements.filter((text) => !/^(BEGIN|COMMIT|START)/.test(text))
    assert.ok(queries.length <= 4, `${queries.length} statements: ${queries.join('\n')}`)
    assert.ok(rows.every((row) => row.qty_available === 4 && row.virtual_available === 4))
    assert.ok(rows.length === 300 || rows.length === 10_000)
  }
  const domain = [
    ['id', 'in', products],
    ['qty_available', '>', 3],
    ['virtual_available', '<=', 4],
  ]
  assert.equal(await ask('product.product/search_count', { domain }), 300)
  const template = [
    ['product_variant_ids', 'in', products],
    ['free_qty', '=', 4],
  ]
  assert.equal(await ask('product.template/search_count', { domain: template }), 300)
  for (const leaf of [
    ['qty_available', '>', 'much'],
    ['qty_available', 'ilike', '4'],
  ])
    assert.equal((await shop.call('admin', 'product.product/search', { domain: [leaf] })).status, 422)
})

test('competing deliveries reserve no more than there is, and all come through', async () => {
  const [product] = await goods(1, 30)
  const ids = await Promise.all(Array.from({ length: 16 }, () => delivery([product as number], 2)))
  const done = await Promise.all(
    ids.map((id) => patiently(() => shop.call('admin', 'stock.picking/action_confirm', { ids: [id] }))),
  )
  assert.deepEqual(new Set(done.map(({ status }) => status)), new Set([200]))
  await assertLaws()
  assert.deepEqual(await quantities([product as number]), [
    { id: product, qty_available: 30, free_qty: 0, virtual_available: -2 },
  ])
  const ready = await ask<number[]>('stock.picking/search', {
    domain: [
      ['id', 'in', ids],
      ['state', '=', 'assigned'],
    ],
  })
  assert.equal(ready.length, 15)
  const validated = await Promise.all(
    ready.map((id) => patiently(() => shop.call('admin', 'stock.picking/button_validate', { ids: [id] }))),
  )
  assert.deepEqual(new Set(validated.map(({ status }) => status)), new Set([200]))
  assert.equal((await quantities([product as number]))[0]?.qty_available, 0)
  await assertLaws()
})

test('stock ledger: the database keeps it in balance, whatever writes it', async () => {
  const [product] = await goods(1, 3)
  const { sql } = await import('../../sql/index.ts')
  await assert.rejects(
    shop.run((env) =>
      env.query(
        sql`UPDATE stock_quant SET quantity = quantity + 1 WHERE product_id = ${product}::int AND quantity > 0`,
      ),
    ),
    /appear or vanish|balanced/,
  )
  await assert.rejects(
    shop.run((env) =>
      env.query(
        sql`UPDATE stock_quant SET reserved_quantity = -1 WHERE product_id = ${product}::int AND quantity > 0`,
      ),
    ),
    /reserved/,
  )
  const [quant] = await ask<number[]>('stock.quant/search', {
    domain: [
      ['product_id', '=', product],
      ['location_id.usage', '=', 'internal'],
    ],
  })
  assert.equal(
    (await shop.call('admin', 'stock.quant/write', { ids: [quant], vals: { quantity: 9 } })).status,
    422,
  )
  assert.equal((await shop.call('admin', 'stock.quant/unlink', { ids: [quant] })).status, 403)
  assert.equal((await shop.call('clerk', 'stock.picking/search', { domain: [] })).status, 403)
  assert.equal(
    (await shop.call('keeper', 'stock.warehouse/create', { vals_list: [{ name: 'W', code: 'W' }] })).status,
    403,
  )
})

test('stock.move: new moves cannot be created as done', async () => {
  const [product] = await goods(1, 3)
  const id = await delivery([product as number], 2, { state: 'draft' })
  const move = { product_id: product, product_uom_qty: 1, state: 'done', picking_id: id }
  const places = { location_id: refs.stock_location_stock, location_dest_id: refs.stock_location_customers }
  for (const [path, vals] of [
    ['stock.picking/create', { picking_type_id: refs.picking_type_out, state: 'done' }],
    ['stock.move/create', { ...move, ...places }],
  ] as const)
    assert.equal((await shop.call('admin', path, { vals_list: [vals] })).status, 422, path)
  assert.equal((await quantities([product as number]))[0]?.qty_available, 3)
})

test('what was moved is corrected by its quantity: the ledger follows; product, places and state stay', async () => {
  const [product, other] = (await goods(2, 10)) as [number, number]
  const id = await delivery([product], 4)
  await ask('stock.picking/action_confirm', { ids: [id] })
  await ask('stock.picking/button_validate', { ids: [id] })
  const [move] = await ask<Row[]>('stock.move/search_read', {
    domain: [['picking_id', '=', id]],
    fields: ['move_line_ids'],
  })
  const [line] = (move as Row).move_line_ids as number[]
  const left = async () => (await quantities([product]))[0]?.qty_available
  const counted: unknown[] = []
  for (const quantity of [6, 1, 0, 4]) {
    await ask('stock.move/write', { ids: [move?.id], vals: { quantity } })
    counted.push(await left())
  }
  assert.deepEqual(counted, [4, 9, 10, 6])
  await ask('stock.move.line/write', { ids: [line], vals: { quantity: 3 } })
  await assertLaws()
  const refused = [
    ['stock.move.line/write', { ids: [line], vals: { location_dest_id: refs.stock_location_suppliers } }],
    ['stock.move/write', { ids: [move?.id], vals: { product_id: other } }],
    ['stock.move/write', { ids: [move?.id], vals: { state: 'draft' } }],
    ['stock.move.line/write', { ids: [line], vals: { product_id: other } }],
    ['stock.move.line/write', { ids: [line], vals: { state: 'cancel' } }],
    ['stock.picking/write', { ids: [id], vals: { state: 'draft' } }],
    ['stock.move.line/unlink', { ids: [line] }],
    ['stock.picking/action_cancel', { ids: [id] }],
  ] as const
  for (const [path, body] of refused)
    assert.equal((await shop.call('admin', path, body)).status, 422, `${path} ${JSON.stringify(body)}`)
  const open = await delivery([other], 2)
  await ask('stock.picking/action_confirm', { ids: [open] })
  const [waiting] = await ask<number[]>('stock.move/search', { domain: [['picking_id', '=', open]] })
  const done = { ids: [waiting], vals: { state: 'done' } }
  assert.equal((await shop.call('admin', 'stock.move/write', done)).status, 422)
  await assertLaws()
})

test('numbers are made where goods arrive; the oldest lots leave first', async () => {
  const [product] = await goods(1, 0, { tracking: 'lot' })
  const move_line_ids = ['B', 'A'].map((lot_name) => [0, 0, { lot_name, quantity: 2, picked: true }])
  const moves = [[0, 0, { product_id: product, product_uom_qty: 4, move_line_ids }]]
  const [receipt] = await make('stock.picking', [{ picking_type_id: refs.picking_type_in, move_ids: moves }])
  await ask('stock.picking/button_validate', { ids: [receipt] })
  const out = await delivery([product as number], 3)
  await ask('stock.picking/action_confirm', { ids: [out] })
  const lines = await ask<Row[]>('stock.move.line/search_read', {
    domain: [['picking_id', '=', out]],
    fields: ['lot_id', 'quantity'],
    order: 'id',
  })
  assert.deepEqual(
    lines.map((line) => [(line.lot_id as [number, string])[1], line.quantity]),
    [
      ['B', 2],
      ['A', 1],
    ],
  )
  await assertLaws()
})

test('what comes back has the lots that went; nothing comes back from where it is no more', async () => {
  const [product] = (await goods(1, 0, { tracking: 'serial' })) as [number]
  const lots = await make('stock.lot', [
    { name: 'Back 1', product_id: product },
    { name: 'Back 2', product_id: product },
  ])
  const places = { location_id: refs.stock_location_suppliers, location_dest_id: refs.stock_location_stock }
  const pieces = lots.map((lot_id) => [0, 0, { product_id: product, lot_id, quantity: 1, picked: true }])
  const move = { product_id: product, product_uom_qty: 2, move_line_ids: pieces, ...places }
  const [came] = (await make('stock.picking', [
    { picking_type_id: refs.picking_type_in, ...places, move_ids: [[0, 0, move]] },
  ])) as [number]
  const went = await delivery([product], 2)
  for (const ids of [[came], [went]]) await ask('stock.picking/button_validate', { ids })
  const back = async (picking_id: number, quantity: number) => {
    const [wizard] = (await make('stock.return.picking', [{ picking_id }])) as [number]
    const domain = [['wizard_id', '=', wizard]]
    const ids = await ask<number[]>('stock.return.picking.line/search', { domain })
    await ask('stock.return.picking.line/write', { ids, vals: { quantity } })
    const { res_id } = await ask<{ res_id: number }>('stock.return.picking/action_create_returns', {
      ids: [wizard],
    })
    return res_id
  }
  const read = async (id: number) => {
    const [picking] = await ask<Row[]>('stock.picking/read', { ids: [id], fields: ['state'] })
    const domain = [['picking_id', '=', id]]
    const moves = await ask<Row[]>('stock.move/search_read', {
      domain,
      fields: ['state', 'quantity', 'lot_ids'],
    })
    return [picking?.state, ...moves.map(({ state, quantity, lot_ids }) => [state, quantity, lot_ids])]
  }
  assert.deepEqual(await read(await back(came, 1)), ['waiting', ['waiting', 0, []]])
  const first = await back(went, 1)
  assert.deepEqual(await read(first), ['assigned', ['assigned', 1, [lots[0]]]])
  assert.deepEqual(await read(await back(went, 1)), ['assigned', ['assigned', 1, [lots[1]]]])
  await ask('stock.picking/button_validate', { ids: [first] })
  await assertLaws()
})

test('returns: may be planned for more than was moved, and need a manager to be validated for it', async () => {
  const [product] = (await goods(1, 10)) as [number]
  const went = await delivery([product], 4)
  await ask('stock.picking/button_validate', { ids: [went] })
  const back = async (picking_id: number, quantity: number) => {
    const vals = { picking_id }
    const [wizard] = (await make('stock.return.picking', [vals])) as [number]
    const ids = await ask<number[]>('stock.return.picking.line/search', {
      domain: [['wizard_id', '=', wizard]],
    })
    await ask('stock.return.picking.line/write', { ids, vals: { quantity } })
    const { res_id } = await ask<{ res_id: number }>('stock.return.picking/action_create_returns', {
      ids: [wizard],
    })
    return res_id
  }
  const validate = (id: number, who: Who | 'admin' = 'keeper', context = {}) =>
    shop.call(who, 'stock.picking/button_validate', { ids: [id], context })
  const whole = await back(went, 5)
  const refused = await validate(whole)
  assert.equal(refused.status, 422)
  assert.match(JSON.stringify(refused.body), /Goods 0: 5 would have come back, but 4 were moved/)
  await shop.run(async (env) => {
    const languages = env.sudo().withContext({ active_test: false }).model('res.lang')
    await (await languages.search([['code', '=', 'fr_FR']])).write({ active: true })
  })
  const french = { lang: 'fr_FR' }
  await ask('product.product/write', { ids: [product], vals: { name: 'Marchandise' }, context: french })
  const inFrench = await validate(whole, 'keeper', french)
  assert.match(JSON.stringify(inFrench.body), /Marchandise: 5 would/)
  const [part, rest] = [await back(went, 3), await back(went, 2)]
  assert.equal((await validate(part)).status, 200)
  assert.equal((await validate(rest)).status, 422)
  // Goods that went out again by the return of a return may come back anew.
  assert.equal((await validate(await back(part, 1))).status, 200)
  assert.equal((await validate(rest)).status, 200)
  assert.equal((await validate(whole, 'admin')).status, 200)
  await assertLaws()
})

test('a warehouse that gets another code numbers what comes by it', async () => {
  const [id] = (await make('stock.warehouse', [{ name: 'Harbour', code: 'HRB' }])) as [number]
  const read = async () => {
    const fields = ['out_type_id', 'lot_stock_id']
    const [warehouse] = (await ask<Row[]>('stock.warehouse/read', { ids: [id], fields })) as [Row]
    const [out, stock] = [warehouse.out_type_id, warehouse.lot_stock_id] as [
      [number, string],
      [number, string],
    ]
    const [picking] = await make('stock.picking', [{ picking_type_id: out[0] }])
    const [{ name }] = await ask<[Row]>('stock.picking/read', { ids: [picking], fields: ['name'] })
    return [stock[1], name]
  }
  assert.deepEqual(await read(), ['HRB/Stock', 'HRB/OUT/00001'])
  await ask('stock.warehouse/write', { ids: [id], vals: { code: 'QUAY' } })
  assert.deepEqual(await read(), ['QUAY/Stock', 'QUAY/OUT/00002'])
})

test('what was there at a day is known later', async () => {
  const [product] = await goods(1, 5)
  await shop.run(async (env) => {
    const { sql } = await import('../../sql/index.ts')
    await env.query(sql`UPDATE stock_move_line SET date = '2020-01-01' WHERE product_id = ${product}::int`)
  })
  await put([product as number], 9)
  const at = async (to_date: string) => (await quantities([product as number], { to_date }))[0]?.qty_available
  assert.deepEqual([await at('2019-12-31'), await at('2020-01-02'), await at('2999-01-01')], [0, 5, 9])
})

test('two steps out: what is picked is delivered, a part of it in a part', async () => {
  const [product] = await goods(1, 0)
  const [house] = await make('stock.warehouse', [
    { name: 'Second', code: 'SEC', delivery_steps: 'pick_ship', reception_steps: 'two_steps' },
  ])
  const [{ lot_stock_id, in_type_id }] = (await ask<Row[]>('stock.warehouse/read', {
    ids: [house],
    fields: ['lot_stock_id', 'in_type_id'],
    load: null,
  })) as [Row]
  const moves = [[0, 0, { product_id: product, product_uom_qty: 6 }]]
  const [receipt] = await make('stock.picking', [{ picking_type_id: in_type_id, move_ids: moves }])
  await ask('stock.picking/button_validate', { ids: [receipt] })
  const [storing] = await ask<number[]>('stock.picking/search', {
    domain: [
      ['picking_type_id.sequence_code', '=', 'STOR'],
      ['state', '=', 'assigned'],
    ],
  })
  await ask('stock.picking/button_validate', { ids: [storing] })
  assert.equal((await quantities([product as number], { location: lot_stock_id }))[0]?.qty_available, 6)
  const [partner_id] = await make('res.partner', [{ name: 'Bob' }])
  const [order] = await make('sale.order', [
    { partner_id, warehouse_id: house, order_line: [[0, 0, { product_id: product, product_uom_qty: 4 }]] },
  ])
  await ask('sale.order/action_confirm', { ids: [order] })
  const standing = async () =>
    (await ask<Row[]>('sale.order/read', { ids: [order], fields: ['delivery_count', 'delivery_status'] }))[0]
  assert.deepEqual(await standing(), { id: order, delivery_count: 1, delivery_status: 'pending' })
  const events = await shop.run((env) => eventsOf(env, 'sale.order', order as number))
  assert.deepEqual(events, ['sale.order.confirmed'])
  const states = () =>
    ask<Row[]>('stock.move/search_read', {
      domain: [
        ['product_id', '=', product],
        ['state', '!=', 'done'],
      ],
      fields: ['state', 'quantity'],
      order: 'id',
    })
  assert.deepEqual(
    (await states()).map(({ state, quantity }) => [state, quantity]),
    [['assigned', 4]],
  )
  const [pick] = await ask<number[]>('stock.move/search', {
    domain: [
      ['product_id', '=', product],
      ['state', '=', 'assigned'],
    ],
  })
  await ask('stock.move/write', { ids: [pick], vals: { quantity: 3, picked: true } })
  const [picking] = await ask<Row[]>('stock.move/read', { ids: [pick], fields: ['picking_id'], load: null })
  await ask('stock.picking/button_validate', {
    ids: [picking?.picking_id],
    context: { skip_backorder: true },
  })
  assert.deepEqual(
    (await states()).map(({ state, quantity }) => [state, quantity]),
    [
      ['assigned', 1],
      ['assigned', 3],
    ],
  )
  assert.deepEqual(await standing(), { id: order, delivery_count: 3, delivery_status: 'started' })
  await ask('sale.order/action_cancel', { ids: [order] })
  assert.deepEqual([...new Set((await states()).map(({ state }) => state))], ['cancel'])
  await assertLaws()
})

test('reordering rules order what is missing by the route of another warehouse, once', async () => {
  const [product] = await goods(1, 20)
  const [house] = await make('stock.warehouse', [{ name: 'Third', code: 'THI' }])
  const [place] = await ask<Row[]>('stock.warehouse/read', {
    ids: [house],
    fields: ['lot_stock_id', 'int_type_id'],
    load: null,
  })
  const [route] = await make('stock.route', [
    {
      name: 'From the first',
      rule_ids: [
        [
          0,
          0,
          {
            name: 'Supply',
            action: 'pull',
            location_src_id: refs.stock_location_stock,
            location_dest_id: place?.lot_stock_id,
            picking_type_id: place?.int_type_id,
          },
        ],
      ],
    },
  ])
  await make('stock.warehouse.orderpoint', [
    {
      product_id: product,
      warehouse_id: house,
      location_id: place?.lot_stock_id,
      product_min_qty: 5,
      product_max_qty: 8,
      route_id: route,
    },
  ])
  for (let run = 0; run < 2; run++) await ask('stock.rule/run_scheduler', {})
  const moves = await ask<Row[]>('stock.move/search_read', {
    domain: [
      ['product_id', '=', product],
      ['is_inventory', '=', false],
    ],
    fields: ['product_uom_qty', 'state'],
  })
  assert.deepEqual(
    moves.map(({ product_uom_qty, state }) => [product_uom_qty, state]),
    [[8, 'assigned']],
  )
})

test('a delivery that is done is an event, and so is what falls below its minimum, once', async () => {
  const [product] = (await goods(1, 10)) as [number]
  const [rule] = (await make('stock.warehouse.orderpoint', [
    { product_id: product, product_min_qty: 8, product_max_qty: 9 },
  ])) as [number]
  const deliver = async (quantity: number) => {
    const id = await delivery([product], quantity)
    await ask('stock.picking/action_confirm', { ids: [id] })
    await ask('stock.picking/button_validate', { ids: [id] })
    return id
  }
  const events = (model: string, id: number) => shop.run((env) => eventsOf(env, model, id))
  const first = await deliver(2)
  assert.deepEqual(await events('stock.picking', first), ['stock.picking.done'])
  assert.deepEqual(await events('stock.warehouse.orderpoint', rule), [])
  await deliver(1)
  await deliver(1)
  assert.deepEqual(await events('stock.warehouse.orderpoint', rule), [
    'stock.warehouse.orderpoint.below_minimum',
  ])
})
