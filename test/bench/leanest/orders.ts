// Creating orders of 1 to 100 lines, and confirming an order of three, compared with the leanest
// handlers by hand.

import { confirming, orderAtOnce, orderInSteps, type Settings } from './order-sql.ts'
import { besideLeanest, type Lean, openLean, type Rows, type Side } from './sides.ts'
import { asFunction, BEGIN, COMMIT, knownCaller, type Who } from './sql.ts'

const MODULES = ['base', 'mail', 'uom', 'product', 'account', 'sales_team', 'sale', 'sale_management']
const QUANTITY = 2

interface Shop {
  readonly lean: Lean
  readonly who: Who
  readonly settings: Settings
  readonly partner: number
  readonly products: readonly number[]
}

async function openShop(lean: Lean): Promise<Shop> {
  const { connection } = lean
  const vals_list = Array.from({ length: 100 }, (_, n) => ({ name: `Lean ${n}`, list_price: n + 0.9 }))
  const products = JSON.parse(await lean.ask('product.product', 'create', { vals_list })) as number[]
  const [partner] = JSON.parse(
    await lean.ask('res.partner', 'create', { vals_list: [{ name: 'Lean' }] }),
  ) as [number]
  const shop = { lean, partner, products }
  const [id] = JSON.parse(await engineOrder(shop, 1)()) as [number]
  const [row = []] = await connection.query(
    `SELECT (SELECT id FROM ir_sequence WHERE code = 'sale.order'), team_id, pricelist_id, validity_date - create_date::date FROM sale_order WHERE id = $1`,
    [id],
  )
  const [sequence, team, list, days] = row as [number, number | null, number | null, number]
  return { ...shop, who: await knownCaller(lean), settings: { sequence, team, list, days } }
}

const engineOrder =
  ({ lean, partner, products }: Pick<Shop, 'lean' | 'partner' | 'products'>, size: number, many = 1) =>
  () => {
    const lines = products
      .slice(0, size)
      .map((product_id) => [0, 0, { product_id, product_uom_qty: QUANTITY }])
    const vals = { partner_id: partner, order_line: lines }
    return lean.ask('sale.order', 'create', { vals_list: Array.from({ length: many }, () => vals) })
  }

/** Rows of two columns: what the handler needs of goods to put lines together. */
type Good = [number, number, number, string, number, string, number, number[] | null, string, string]

async function makers(shop: Shop): Promise<(size: number) => Record<string, Side>> {
  const { lean, who, settings, partner } = shop
  const { connection } = lean
  const steps = orderInSteps(settings)
  const once = orderAtOnce(who, settings)
  await connection.simple(
    asFunction(
      'lean_order',
      'bytea, text, text, int, int[], numeric[]',
      once.replace(/SELECT id FROM n$/, 'SELECT ARRAY[id] INTO made FROM n;'),
    ),
  )
  return (size) => {
    const parameters = [
      shop.products.slice(0, size),
      Array.from({ length: Math.min(size, shop.products.length) }, () => QUANTITY),
    ]
    return {
      engine: engineOrder(shop, size),
      'statements in two flushes': async () => {
        const [, check, customer, goods, number] = connection.flush([
          BEGIN,
          who.check,
          { text: steps.customer, values: [partner] },
          { text: steps.goods, values: parameters },
          { text: steps.number, values: [] },
        ]) as Promise<Rows>[]
        await check
        const [row = []] = (await customer) as Rows
        const [[id, name] = []] = (await number) as Rows
        let [untaxed, taxed] = [0, 0]
        const lines = ((await goods) as unknown as Good[]).map(
          ([line, , product, qty, uom_id, name, price, taxes, subtotal, tax]) => {
            untaxed += Math.round(Number(subtotal) * 100)
            taxed += Math.round(Number(tax) * 100)
            return { id: line, product, qty, uom_id, name, price, taxes, subtotal, tax }
          },
        )
        const values = [2, id, name, ...row, JSON.stringify(lines), untaxed / 100, taxed / 100]
        const [rows, commit] = connection.flush([{ text: steps.rows, values }, COMMIT])
        await rows
        return commit
      },
      'one statement': () => connection.query(once, [...who.values, partner, ...parameters]),
      'a function': () =>
        connection.query('SELECT lean_order($1, $2, $3, $4, $5, $6)', [
          ...who.values,
          partner,
          ...parameters,
        ]),
    }
  }
}

/** Orders that wait to be confirmed. */
async function confirmers(shop: Shop): Promise<[Record<string, Side>, (calls: number) => Promise<void>]> {
  const { lean, who } = shop
  const { connection } = lean
  const once = confirming(who.text, '$4::int')
  const separate = confirming('SELECT $1::int AS uid', '$2::int')
  await connection.simple(
    asFunction(
      'lean_confirm',
      'bytea, text, text, int',
      once.replace(/SELECT id FROM o$/, 'SELECT ARRAY[id] INTO made FROM o;'),
    ),
  )
  let waiting: number[] = []
  const next = () => waiting.pop() as number
  const sides: Record<string, Side> = {
    engine: () => lean.ask('sale.order', 'action_confirm', {}, [next()]),
    'statements in two flushes': async () => {
      const [, check, insertion] = connection.flush([
        BEGIN,
        who.check,
        { text: separate, values: [2, next()] },
      ])
      await check
      await insertion
      const [commit] = connection.flush([COMMIT])
      return commit
    },
    'one statement': () => connection.query(once, [...who.values, next()]),
    'a function': () => connection.query('SELECT lean_confirm($1, $2, $3, $4)', [...who.values, next()]),
  }
  const prepare = async (calls: number) => {
    waiting = JSON.parse(await engineOrder(shop, 3, calls)()) as number[]
  }
  return [sides, prepare]
}

/** Measures them in turns with the engine; gives lines for people. */
export async function orders(): Promise<string[]> {
  const lean = await openLean(MODULES)
  try {
    const shop = await openShop(lean)
    const sidesOf = await makers(shop)
    const said: string[] = []
    for (const [size, calls] of [
      [1, 80],
      [3, 80],
      [10, 40],
      [100, 10],
    ] as const) {
      const sides = sidesOf(size)
      await assertAlike(lean, sides)
      await lean.connection.simple('VACUUM ANALYZE')
      said.push(...(await besideLeanest(`create of an order of ${size} lines`, sides, { calls, rounds: 5 })))
    }
    const [sides, prepare] = await confirmers(shop)
    await prepare(Object.keys(sides).length)
    await assertAlike(lean, sides)
    said.push(
      ...(await besideLeanest(
        'confirmation of an order of three lines',
        sides,
        { calls: 80, rounds: 5 },
        prepare,
      )),
    )
    return said
  } finally {
    await lean.close()
  }
}

/** All that an order is, without what is its own. */
const LEFT = `SELECT f.model, f.op, cardinality(f.ids), f.fields::text, f.event, (SELECT count(*) FROM comptoir_change_before b WHERE b.tx = f.tx),
    (SELECT (to_jsonb(o) - '{id,name,date_order,create_date,write_date}'::text[])::text FROM sale_order o WHERE f.model = 'sale.order' AND o.id = f.ids[1]),
    (SELECT string_agg((to_jsonb(l) - '{id,order_id,create_date,write_date}'::text[])::text || ARRAY(SELECT account_tax_id FROM account_tax_sale_order_line_rel WHERE sale_order_line_id = l.id)::text, ' ' ORDER BY l.id)
      FROM sale_order_line l WHERE f.model = 'sale.order.line' AND l.id = ANY(f.ids))
  FROM comptoir_change f WHERE f.seq > $1::bigint ORDER BY f.seq, f.n`

/** Every side leaves the same rows: throws where one does less, or something else. */
async function assertAlike({ connection }: Lean, sides: Readonly<Record<string, Side>>): Promise<void> {
  let first = ''
  for (const [name, side] of Object.entries(sides)) {
    const [[seq] = []] = await connection.query('SELECT last_value FROM comptoir_feed_seq')
    await side(0)
    // Amounts that differ only in trailing zeros are equal.
    const left = JSON.stringify(await connection.query(LEFT, [seq])).replaceAll(
      /(\.\d*[1-9])0+(?=[,}])|\.0+(?=[,}])/g,
      '$1',
    )
    first ||= left
    const place = [...left].findIndex((letter, at) => letter !== first[at])
    const near = (text: string) => text.slice(Math.max(0, place - 200), place + 100)
    if (left !== first) throw new Error(`an order by ${name}:\n${near(left)}\nbeside\n${near(first)}`)
  }
}
