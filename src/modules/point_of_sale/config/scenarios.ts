// Shops to try a till with: a point of sale with its categories, and products in them.
import { type Records, set, type Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { assertAllowed } from '../../base/index.ts'

type Configs = Records<'pos.config'>

interface Scenario {
  readonly name: string
  /** Products with their prices, by category. */
  readonly goods: Readonly<Record<string, Readonly<Record<string, number>>>>
}

export const scenarios = {
  bakery: {
    name: 'Bakery',
    goods: {
      Bread: { 'Rye bread': 4.2, 'White loaf': 3.1, Roll: 0.6 },
      Pastry: { Croissant: 1.6, 'Apple tart': 3.4 },
      Drinks: { Coffee: 2.5, Juice: 2.8 },
    },
  },
  clothes: {
    name: 'Clothes',
    goods: { Tops: { 'T-shirt': 15, Jumper: 39 }, Trousers: { Jeans: 59 }, Extras: { Belt: 19, Scarf: 17 } },
  },
  furniture: {
    name: 'Furniture',
    goods: { Tables: { Desk: 249, 'Side table': 79 }, Seats: { Chair: 65, Stool: 35 }, Lamps: { Lamp: 45 } },
  },
  retail: {
    name: 'Shop',
    goods: { Food: { Chocolate: 2.2, Honey: 5.9 }, Home: { Candle: 4.5, Mug: 8 }, Paper: { Notebook: 3.5 } },
  },
} as const satisfies Readonly<Record<string, Scenario>>

/** Ids of the categories of a scenario by name: those there are, and new ones. */
async function categoriesOf({ env }: Configs, { goods }: Scenario): Promise<Map<string, number>> {
  const categories = env.model('pos.category')
  const names = Object.keys(goods)
  const namedCategories = await (await categories.search([['name', 'in', names]], { order: 'id desc' })).load(
    ['name'],
  )
  const byName = new Map(namedCategories.map(({ id, name }) => [name, id]))
  const missing = names.filter((name) => !byName.has(name))
  const createdCategories = await categories.create(missing.map((name) => ({ name })))
  for (const [i, name] of missing.entries()) byName.set(name, present(createdCategories.ids[i]))
  return byName
}

/** Makes the products that are not sold yet under their names. */
async function makeGoods(configs: Configs, scenario: Scenario): Promise<ReadonlyMap<string, number>> {
  const categories = await categoriesOf(configs, scenario)
  const templates = configs.env.model('product.template')
  const wanted = Object.entries(scenario.goods).flatMap(([category, products]) =>
    Object.entries(products).map(([name, list_price]): Vals<'product.template'> & { name: string } => ({
      name,
      list_price,
      type: 'consu',
      available_in_pos: true,
      pos_categ_ids: set([present(categories.get(category))]),
    })),
  )
  const soldTemplates = await templates.search([
    ['name', 'in', wanted.map(({ name }) => name)],
    ['available_in_pos', '=', true],
  ])
  const names = new Set((await soldTemplates.load(['name'])).map(({ name }) => name))
  await templates.create(wanted.filter(({ name }) => !names.has(name)))
  return categories
}

/** Products for a point of sale that is there. */
export async function addGoods(configs: Configs, scenario: Scenario): Promise<object> {
  await assertAllowed(configs, 'write')
  await makeGoods(configs, scenario)
  return { config_ids: configs.ids }
}

/** A new point of sale that sells the categories of a scenario. */
export async function openShop(configs: Configs, scenario: Scenario, withGoods: boolean): Promise<object> {
  await assertAllowed(configs.browse([]), 'create')
  const categories = await (withGoods ? makeGoods : categoriesOf)(configs, scenario)
  const createdConfigs = await configs.create([
    {
      name: scenario.name,
      limit_categories: true,
      iface_available_categ_ids: set([...categories.values()]),
    },
  ])
  return { config_id: createdConfigs.ensureOne() }
}
