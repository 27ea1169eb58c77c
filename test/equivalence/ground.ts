// The database that both sides begin with: made by the old server, with all modules, and furnished over its
// API with companies, people under record rules, contacts, products and a custom model.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type pg from 'pg'
import { fillDataDir } from '../support/temp.ts'
import { type Client, clientOf } from './client.ts'
import { DATABASE, openSide } from './side.ts'

/** Modules of the database: those that a tree has by itself. */
const MODULES = [
  ...[
    'base',
    'mail',
    'resource',
    'uom',
    'product',
    'account',
    'sales_team',
    'sale',
    'sale_management',
    'sale_margin',
    'stock',
  ],
  ...['sale_stock', 'stock_account', 'purchase', 'purchase_stock', 'point_of_sale', 'pos_sale'],
]

/** People of the database, by login, with the groups they have besides that of internal users. */
export const PEOPLE = {
  seller: ['sales_team.group_sale_salesman'],
  lead: ['sales_team.group_sale_salesman_all_leads'],
  cashier: ['point_of_sale.group_pos_user'],
  clerk: [],
} as const

export const CUSTOM_MODEL = 'x_thing'

/** Logins whom the record rules restrict: the administrator makes all records. */
const RESTRICTED: readonly string[] = ['seller', 'cashier']

/** Record rules for them: values of the user, several fields, a null that compares. */
const RULES: Readonly<Record<string, string>> = {
  'res.partner': "['|', ('color', '!=', 3), ('user_id', '=', user.id)]",
  [CUSTOM_MODEL]: "['|', ('create_uid', '=', user.id), ('x_whole', '<', 100)]",
}

/** Makes the data directory; with fewer modules, a smaller one. Throws with what the command printed. */
export async function makeGround(
  tree: string,
  dataDir: string,
  modules: readonly string[] = MODULES,
): Promise<void> {
  fillDataDir(dataDir)
  const bin = join(tree, 'bin/comptoir.js')
  const args = [
    'db',
    'create',
    DATABASE,
    '--modules',
    modules.join(),
    '--password',
    'admin',
    '--data-dir',
    dataDir,
  ]
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: tree, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The database cannot be made:\n${stderr}`)
  const side = await openSide('ground', tree, dataDir)
  try {
    const client = await clientOf(side, { lane: 0 })
    await makePeople(client, modules)
    await makeThings(client)
    await makeRules(client)
    await makeContacts(client)
    if (modules.includes('product')) await makeProducts(client)
    await stopClocks(side.db)
  } finally {
    await side.close()
  }
}

/** Scheduled jobs run at moments of their own, and would write on one side before they do on the other. */
async function stopClocks(db: pg.Client): Promise<void> {
  await db.query("UPDATE ir_cron SET nextcall = now() AT TIME ZONE 'UTC' + interval '90 days'")
  await db.query('ANALYZE')
}

async function makePeople(client: Client, modules: readonly string[]): Promise<void> {
  const companies = await client.ask<number[]>('res.company/create', { vals_list: [{ name: 'Second Shop' }] })
  const [main] = await client.ask<number[]>('res.company/search', { domain: [], order: 'id', limit: 1 })
  const groups = async (names: readonly string[]) =>
    Promise.all(
      ['base.group_user', ...names]
        .filter((name) => modules.includes(name.split('.')[0] as string))
        .map((name) => client.ref(name)),
    )
  for (const [login, names] of Object.entries(PEOPLE))
    await client.ask('res.users/create', {
      vals_list: [{ name: login, login, group_ids: [[6, 0, await groups(names)]] }],
    })
  const admin = await client.ref('base.user_admin')
  await client.ask('res.users/write', { ids: [admin], vals: { company_ids: [[6, 0, [main, ...companies]]] } })
}

async function makeRules(client: Client): Promise<void> {
  const users = await client.ask<number[]>('res.users/search', { domain: [['login', 'in', RESTRICTED]] })
  const groups = await client.ask<number[]>('res.groups/create', {
    vals_list: [{ name: 'Restricted', user_ids: [[6, 0, users]] }],
  })
  for (const [model, domain_force] of Object.entries(RULES)) {
    const [model_id] = await client.ask<number[]>('ir.model/search', { domain: [['model', '=', model]] })
    await client.ask('ir.rule/create', {
      vals_list: [{ name: `restricted ${model}`, model_id, domain_force, groups: [[6, 0, groups]] }],
    })
  }
}

/** A custom model with one field of most types. */
async function makeThings(client: Client): Promise<void> {
  const field = (name: string, ttype: string, more: object = {}) => [
    0,
    0,
    { name, ttype, field_description: name, ...more },
  ]
  const fields = [
    field('x_name', 'char'),
    field('x_active', 'boolean'),
    field('x_whole', 'integer'),
    field('x_amount', 'float'),
    field('x_day', 'date'),
    field('x_at', 'datetime'),
    field('x_note', 'html'),
    field('x_partner_id', 'many2one', { relation: 'res.partner' }),
    field('x_parent_id', 'many2one', { relation: CUSTOM_MODEL }),
    field('x_tag_ids', 'many2many', { relation: 'res.partner.category' }),
  ]
  const [model_id] = await client.ask<number[]>('ir.model/create', {
    vals_list: [{ name: 'Thing', model: CUSTOM_MODEL, field_id: fields }],
  })
  const all = { perm_read: true, perm_write: true, perm_create: true, perm_unlink: true }
  const group_id = await client.ref('base.group_user')
  await client.ask('ir.model.access/create', {
    vals_list: [{ name: CUSTOM_MODEL, model_id, group_id, ...all }],
  })
  await client.ask(`${CUSTOM_MODEL}/create`, {
    vals_list: Array.from({ length: 40 }, (_, i) => ({
      x_name: i % 7 ? `Thing ${i % 5}%_` : false,
      x_active: i % 6 !== 0,
      x_whole: [0, 1, 2, -3, 150, false][i % 6],
      x_amount: [0, 1.5, -2.25, 0.004, false][i % 5],
      x_day: ['2024-02-29', '2025-01-01', false][i % 3],
      x_at: ['2024-02-29 23:30:00', '2026-11-21 00:00:00', false, '2024-03-01 00:00:00'][i % 4],
    })),
  })
}

async function makeContacts(client: Client): Promise<void> {
  const tags = await client.ask<number[]>('res.partner.category/create', {
    vals_list: Array.from({ length: 6 }, (_, i) => ({ name: `Tag ${i}`, color: i })),
  })
  const [seller] = await client.ask<number[]>('res.users/search', { domain: [['login', '=', 'seller']] })
  const countries = await client.ask<number[]>('res.country/search', { domain: [], limit: 9 })
  const parents = await client.ask<number[]>('res.partner/create', {
    vals_list: Array.from({ length: 10 }, (_, i) => ({
      name: `Company ${i}`,
      is_company: true,
      color: i % 5,
      country_id: countries[i % 9],
      user_id: i % 3 ? false : seller,
    })),
  })
  await client.ask('res.partner/create', {
    vals_list: Array.from({ length: 50 }, (_, i) => ({
      name: `Contact ${i % 23}`,
      email: i % 4 ? `contact${i}@example.com` : false,
      city: ['Namur', 'Liège', false][i % 3],
      color: i % 5,
      parent_id: i % 2 ? parents[i % 10] : false,
      comment: i % 3 ? `<p>${i}</p>` : false,
      category_id: [[6, 0, tags.slice(i % 6, (i % 6) + (i % 4))]],
    })),
  })
}

async function makeProducts(client: Client): Promise<void> {
  await client.ask('product.product/create', {
    vals_list: Array.from({ length: 20 }, (_, i) => ({
      name: `Good ${i}`,
      default_code: `G${i % 11}`,
      list_price: Number((i * 3.37 + 0.99).toFixed(2)),
      standard_price: Number((i * 1.21).toFixed(2)),
      is_storable: i % 2 === 0,
      available_in_pos: true,
    })),
  })
}
