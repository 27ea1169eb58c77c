// A random mix of writes: creates in batches, links, children, orders and their confirmation, archiving and
// deletion. Calls of one shape come several times in a row: the first is cold, the others are warm.
import { Random } from '../../fuzz/random.ts'
import { type Client, clientOf } from '../client.ts'
import { CUSTOM_MODEL } from '../ground.ts'
import type { Phase, PhaseOptions } from '../phase.ts'
import type { Side } from '../side.ts'

const STEPS = 90
const SHAPE_REPEATS = 4

export interface Records {
  readonly partners: number[]
  readonly tags: number[]
  readonly products: readonly number[]
  readonly orders: number[]
  readonly things: number[]
}

/** The work of a step; all its repeats do the same with other values. */
type Step = (client: Client, random: Random, records: Records, name: string) => Promise<unknown>

export const mix: Phase = {
  name: 'mix',
  about: 'random creates, links, writes, orders and deletions; every shape cold, then warm',
  ids: 'exact',
  repeats: true,
  async play(side, options) {
    const all = Object.keys(steps) as StepName[]
    const count = Math.ceil(STEPS * options.share)
    // Every step comes once before the random choice begins.
    const choose = (random: Random, n: number) => all[n] ?? random.pick(all)
    await playSteps(side, options, count, choose)
  },
}

/** A phase of some of the steps of the mix, one after the other. */
export const partOfMix = (names: readonly StepName[]): Phase => ({
  ...mix,
  name: names.join(', '),
  play: (side, options) =>
    playSteps(side, options, names.length, (_random, n) => names[n % names.length] as StepName),
})

async function playSteps(
  side: Side,
  { seed, round }: PhaseOptions,
  count: number,
  choose: (random: Random, n: number) => StepName,
): Promise<void> {
  const client = await clientOf(side, { lane: 0 })
  const random = new Random(seed * 65_537 + round)
  const records = await recordsOf(client)
  for (let n = 0; n < count; n++) {
    const step: Step = steps[choose(random, n)]
    for (let i = 0; i < SHAPE_REPEATS; i++) await step(client, random, records, `mix ${round}.${n}.${i}`)
  }
}

export async function recordsOf(client: Client): Promise<Records> {
  // None of models that a small database does not have.
  const find = async (model: string) => {
    const { status, body } = await client.call(`${model}/search`, { domain: [], order: 'id', limit: 20 })
    return status === 200 ? (body as number[]) : []
  }
  return {
    partners: await find('res.partner'),
    tags: await find('res.partner.category'),
    products: await find('product.product'),
    orders: [],
    things: await find(CUSTOM_MODEL),
  }
}

/** Creates records and remembers their ids; a refusal is an answer too. */
async function make(
  client: Client,
  model: string,
  vals_list: readonly object[],
  into: number[],
): Promise<number[]> {
  const { status, body } = await client.call(`${model}/create`, { vals_list })
  const ids = status === 200 ? (body as number[]) : []
  into.push(...ids)
  return ids
}

const READ = ['name', 'email', 'color', 'category_id', 'child_ids', 'parent_id', 'write_uid', 'active']

/** Four contacts at once, the third with a new tag: their ids come in the order of the values. */
const batchWithTag: Step = async (client, _random, { partners }, name) => {
  const vals = ['one', 'two', 'three', 'four'].map((which) => ({ name: `${name} ${which}` }))
  const tagged = vals.map((entry, i) =>
    i === 2 ? { ...entry, category_id: [[0, 0, { name: `${name} tag` }]] } : entry,
  )
  await make(client, 'res.partner', tagged, partners)
  await client.call('res.partner/search_read', { domain: [['name', 'like', name]], fields: READ })
}

/** Plain contacts, first one and then several: once their shape is known, a server may take a shorter way. */
const plainBatch: Step = async (client, _random, { partners }, name) => {
  await make(client, 'res.partner', [{ name: `${name} single` }], partners)
  const vals = ['alpha', 'beta', 'gamma'].map((which) => ({ name: `${name} ${which}` }))
  const ids = await make(client, 'res.partner', vals, partners)
  await client.call('res.partner/read', { ids, fields: ['name'] })
}

/** Searches by text and by ids, of which plans may be kept; repeats in a row search for different values. */
const find: Step = async (client, random, { partners }, name) => {
  const fields = ['name', 'color']
  const texts = ['tact', 'Comp', 'ontact 1', 'pany', 'mix']
  const text = texts[Number(name.split('.').at(-1)) % texts.length]
  for (const domain of [[['name', 'ilike', text]], [['id', 'in', random.some(partners, 5)]]]) {
    await client.call('res.partner/search_read', { domain, fields, order: 'name', limit: 30 })
    await client.call('res.partner/search_count', { domain })
  }
}

/** Prices, of which nothing is read back: who wrote them is only in the tables. */
const price: Step = async (client, random, { products }) => {
  const vals = { list_price: random.below(10_000) / 100 }
  await client.call('product.product/write', { ids: [random.pick(products)], vals })
}

const contact: Step = async (client, random, { partners, tags }, name) => {
  const vals = { name, color: random.below(9), category_id: [[6, 0, random.some(tags, 3)]] }
  const ids = await make(client, 'res.partner', [vals], partners)
  await client.call('res.partner/read', { ids, fields: READ })
}

const children: Step = async (client, random, { partners }, name) => {
  const child_ids = Array.from({ length: 1 + random.below(3) }, (_, i) => [
    0,
    0,
    { name: `${name} child ${i}` },
  ])
  const ids = await make(client, 'res.partner', [{ name, is_company: true, child_ids }], partners)
  await client.call('res.partner/read', { ids, fields: READ })
}

const links: Step = async (client, random, { partners, tags }) => {
  const ids = random.some(partners, 4)
  const tag = random.pick(tags)
  const command = random.pick([
    [4, tag, 0],
    [3, tag, 0],
    [5, 0, 0],
    [6, 0, random.some(tags, 3)],
  ])
  await client.call('res.partner/write', { ids, vals: { category_id: [command] } })
  await client.call('res.partner/read', { ids, fields: READ }, { as: 'clerk' })
}

const write: Step = async (client, random, { partners }, name) => {
  const ids = random.some(partners, 5)
  const vals = random.pick<object>([
    { color: random.below(9) },
    { name },
    { comment: `<p>${name}</p>` },
    { active: false },
  ])
  await client.call('res.partner/write', { ids, vals }, { as: random.pick(['admin', 'seller', 'clerk']) })
}

const search: Step = async (client, random) => {
  const domain = [['color', random.pick(['=', '>', '<=', '!=']), random.below(6)]]
  const order = random.pick(['name', 'color desc, name', 'id desc'])
  const as = random.pick(['admin', 'seller', 'cashier'])
  await client.call('res.partner/search_read', { domain, fields: READ, order, limit: 40 }, { as })
  await client.call('res.partner/search_count', { domain }, { as })
  await client.call(
    'res.partner/web_search_read',
    { domain, specification: { name: {}, color: {} }, limit: 5, order },
    { as },
  )
}

const order: Step = async (client, random, { partners, products, orders }) => {
  const line = () => [
    0,
    0,
    {
      product_id: random.pick(products),
      product_uom_qty: random.pick([1, 2, 3.5]),
      price_unit: random.below(10_000) / 1000,
      discount: random.pick([0, 5, 12.5]),
    },
  ]
  const order_line = Array.from({ length: 1 + random.below(4) }, line)
  const ids = await make(client, 'sale.order', [{ partner_id: partners[0], order_line }], orders)
  if (random.chance(0.7)) await client.call('sale.order/action_confirm', { ids })
  const fields = ['name', 'state', 'amount_untaxed', 'amount_tax', 'amount_total', 'order_line']
  await client.call('sale.order/read', { ids, fields })
}

const things: Step = async (client, random, { things: thingIds, tags, partners }, name) => {
  const vals = Array.from({ length: 1 + random.below(4) }, (_, i) => ({
    x_name: `${name} ${i}`,
    x_active: random.chance(0.7),
    x_whole: random.pick([0, 5, 150, false]),
    x_amount: random.pick([0.1, 2.25, false]),
    x_tag_ids: [[6, 0, random.some(tags, 2)]],
    x_partner_id: random.pick(partners),
    x_note: random.pick(['<p>note</p>', false]),
  }))
  await make(client, CUSTOM_MODEL, vals, thingIds)
  await client.call(
    `${CUSTOM_MODEL}/search_read`,
    { domain: [], order: 'x_name, id', limit: 60 },
    { as: 'seller' },
  )
}

const remove: Step = async (client, random, { partners, things: thingIds }) => {
  const [partner] = partners.splice(-1)
  await client.call('res.partner/unlink', { ids: [partner] })
  await client.call(`${CUSTOM_MODEL}/unlink`, { ids: thingIds.splice(-1 - random.below(2)) })
}

const copy: Step = async (client, random, { partners, products }) => {
  await client.call('res.partner/copy', { ids: [random.pick(partners)] })
  await client.call('product.product/copy', { ids: [random.pick(products)] })
  await client.call('res.partner/name_create', { name: `named ${random.below(1e6)}` })
}

const groups: Step = async (client, random) => {
  const groupby = [random.pick(['color', 'country_id', 'category_id', 'create_date:day', 'is_company'])]
  const aggregates = ['__count', 'color:sum', 'id:max']
  await client.call('res.partner/formatted_read_group', { domain: [], groupby, aggregates }, { as: 'seller' })
}

/** Values that are refused: by a constraint, by a foreign key, as no field, as no value. */
const refusals: Step = async (client, random, { partners }) => {
  const id = random.pick(partners)
  for (const vals of [{ parent_id: id }, { parent_id: 99_999_999 }, { x_none: 1 }, { color: 'red' }])
    await client.call('res.partner/write', { ids: [id], vals })
}

/** Steps that may also run many at a time, as what they find does not depend on others. */
export const independent: readonly Step[] = [contact, children, order]

const steps = {
  plainBatch,
  find,
  links,
  order,
  remove,
  price,
  refusals,
  batchWithTag,
  contact,
  children,
  write,
  search,
  things,
  copy,
  groups,
} satisfies Record<string, Step>

export type StepName = keyof typeof steps
