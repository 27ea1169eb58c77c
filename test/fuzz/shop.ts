// The place where generated calls are asked: the demo shop with two companies and two languages, people under
// rules of all sorts, and a made model.

import type { Database } from '../../src/databases/database.ts'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { environmentOf } from '../../src/models/unit/environment.ts'
import { SYSTEM } from '../../src/models/unit/options.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { makeOddRecords } from '../support/demo-shop.ts'
import '../support/patience.ts'
import { takeDataDir } from '../support/shared-server.ts'
import type { Ground } from './calls.ts'

export interface Shop {
  readonly databases: Databases
  readonly database: Database
  /** API keys by login. */
  readonly keys: Readonly<Record<string, string>>
  close(): Promise<void>
}

export const MADE = 'x_thing'

const people: Readonly<Record<string, readonly string[]>> = {
  lead: ['base.group_user', 'sales_team.group_sale_salesman_all_leads'],
  guest: ['base.group_portal'],
  manager: ['base.group_user', 'base.group_system', 'sales_team.group_sale_manager'],
}

/** Rules of all sorts: values of the user, companies, paths, texts, and conditions that take no value. */
const rules: readonly (readonly [model: string, domain: string, group: string | null])[] = [
  ['res.partner', "['|', ('color', '!=', 3), ('user_id', '=', user.id)]", 'sales_team.group_sale_salesman'],
  [
    'res.partner',
    "['|', ('id', 'child_of', user.commercial_partner_id.id), ('name', 'ilike', 'a')]",
    'base.group_user',
  ],
  ['product.template', "['|', ('company_id', '=', False), ('company_id', 'in', company_ids)]", null],
  [MADE, "[('x_whole', '<', 100)]", null],
  [MADE, "['|', ('create_uid', '=', user.id), ('x_partner_id.name', '!=', user.name)]", 'base.group_user'],
]

/** Opens the shop. Takes seconds without what `npm test` prepares. */
export async function openShop(): Promise<Shop> {
  const temp = await takeDataDir('calls')
  const databases = await Databases.open({ dataDir: temp.path, modules, durable: false })
  const close = async () => {
    await temp.release(databases)
    await databases.close()
    temp.remove()
  }
  try {
    await databases.create('shop', {
      modules: ['sale_management'],
      demo: true,
      login: 'admin',
      password: 'admin',
    })
    const database = await databases.database('shop')
    await makeOddRecords(database)
    await within(database, makePeople)
    await within(database, makeThings)
    await database.refresh()
    await within(database, makeRules)
    await within(database, fillThings)
    const keys: Record<string, string> = {}
    for (const login of ['admin', 'seller', 'clerk', ...Object.keys(people)])
      keys[login] = await createKey(databases, 'shop', login, { scope: null, name: 'test', days: 1 })
    return { databases, database, keys, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** One committed transaction of the system's own, with the rights that hold. */
export async function within<T>(database: Database, work: (env: Environment) => Promise<T>): Promise<T> {
  const unit = new UnitOfWork(database.pool, database.registry, await database.callers.rights(), {
    readonly: false,
    files: database.files,
  })
  try {
    const env = environmentOf(unit, SYSTEM, { active_test: false }, true)
    const result = await work(env)
    await unit.registry.engine.flush(env)
    await unit.commit()
    return result
  } catch (error) {
    throw await unit.abandon(error)
  }
}

async function makePeople(env: Environment): Promise<void> {
  for (const [login, groups] of Object.entries(people)) {
    const ids = await Promise.all(groups.map((group) => env.ref(group)))
    await env.model('res.users').create([{ name: login, login, group_ids: [[6, 0, ids]] }] as never)
  }
  const companies = (await env.model('res.company').search([], { order: 'id' })).ids
  const [manager] = (await env.model('res.users').search([['login', 'in', ['manager']]])).ids
  await env
    .model('res.users')
    .browse([manager as number, 2])
    .write({ company_ids: [[6, 0, companies]] } as never)
  await (await env.model('properties.base.definition').search([])).write({
    properties_definition: [
      { name: 'nick', type: 'char', string: 'Nick' },
      { name: 'shoe', type: 'integer', string: 'Shoe' },
      { name: 'mate', type: 'many2one', string: 'Mate', comodel: 'res.partner' },
      { name: 'day', type: 'date', string: 'Day' },
      { name: 'yes', type: 'boolean', string: 'Yes' },
    ],
  } as never)
  const partners = (await env.model('res.partner').search([], { order: 'id', limit: 40 })).ids
  for (const [i, id] of partners.entries()) {
    await env
      .model('res.partner')
      .browse([id])
      .write({
        color: i % 5,
        comment: i % 3 ? `<p>${i}</p>` : false,
        properties: {
          nick: i % 2 ? 'A' : false,
          shoe: i,
          mate: partners[0],
          day: '2024-02-29',
          yes: i % 3 === 0,
        },
      } as never)
  }
  await env.query(
    sql`UPDATE res_partner SET write_date = '2024-02-29 09:59:59.5'::timestamp + id % 5 * interval '7 hours' WHERE id = ANY(${partners}::int[])`,
  )
}

async function makeThings(env: Environment): Promise<void> {
  const field = (name: string, ttype: string, more: object = {}) => [
    0,
    0,
    { name, ttype, field_description: name, ...more },
  ]
  const [modelId] = (
    await env.model('ir.model').create([
      {
        name: 'Thing',
        model: MADE,
        field_id: [
          field('x_name', 'char', { translate: 'standard' }),
          field('x_active', 'boolean'),
          field('x_whole', 'integer'),
          field('x_amount', 'float'),
          field('x_day', 'date'),
          field('x_at', 'datetime'),
          field('x_note', 'html'),
          field('x_own', 'char', { company_dependent: true }),
          field('x_own_partner_id', 'many2one', { relation: 'res.partner', company_dependent: true }),
          field('x_partner_id', 'many2one', { relation: 'res.partner' }),
          field('x_parent_id', 'many2one', { relation: MADE }),
          field('x_tag_ids', 'many2many', { relation: 'res.partner.category' }),
          field('x_city', 'char', { related: 'x_partner_id.city', store: false }),
          field('x_picture', 'binary'),
          field('x_kind', 'selection', {
            selection_ids: [
              [0, 0, { value: 'a', name: 'A' }],
              [0, 0, { value: 'b', name: 'B' }],
            ],
          }),
        ],
      },
    ] as never)
  ).ids
  await env.model('ir.model.fields').create([
    {
      model_id: modelId,
      name: 'x_child_ids',
      ttype: 'one2many',
      field_description: 'Children',
      relation: MADE,
      relation_field: 'x_parent_id',
      domain: "[('x_whole', '>', 1)]",
    },
  ] as never)
  const all = { perm_read: true, perm_write: true, perm_create: true, perm_unlink: true }
  await env
    .model('ir.model.access')
    .create([{ name: MADE, model_id: modelId, group_id: await env.ref('base.group_user'), ...all }] as never)
}

async function makeRules(env: Environment): Promise<void> {
  for (const [model, domain_force, group] of rules) {
    const [model_id] = (await env.model('ir.model').search([['model', '=', model]])).ids
    await env.model('ir.rule').create([
      {
        name: `${model} ${domain_force}`,
        model_id,
        domain_force,
        groups: group ? [[6, 0, [await env.ref(group)]]] : [],
      },
    ] as never)
  }
}

async function fillThings(env: Environment): Promise<void> {
  const partners = (await env.model('res.partner').search([], { order: 'id', limit: 9 })).ids
  const tags = (
    await env.model('res.partner.category').create([{ name: 'first' }, { name: 'second' }] as never)
  ).ids
  const vals = Array.from({ length: 40 }, (_, i) => ({
    x_name: i % 7 ? `Thing ${i % 5}%_\\` : false,
    x_active: i % 6 !== 0,
    x_whole: [0, 1, 2, -3, 150, false][i % 6],
    x_amount: [0, 1.5, -2.25, 0.004, false][i % 5],
    x_day: ['2024-02-29', '2025-01-01', false][i % 3],
    x_at: ['2024-02-29 23:30:00', '2026-11-21 00:00:00', false, '2024-03-01 00:00:00'][i % 4],
    x_own: i % 3 ? 'one' : false,
    x_own_partner_id: i % 2 ? partners[i % 9] : false,
    x_partner_id: i % 4 ? partners[i % 9] : false,
    x_tag_ids: [[6, 0, tags.slice(i % 3)]],
    x_picture: i % 2 ? 'aGVsbG8=' : false,
    x_kind: ['a', 'b', false][i % 3],
  }))
  const things = env.model(MADE as never)
  const ids = (await things.create(vals as never)).ids
  await things.browse(ids.slice(20)).write({ x_parent_id: ids[1] } as never)
  await things.browse(ids.slice(30)).write({ x_parent_id: ids[21] } as never)
  await things
    .browse(ids.slice(0, 20))
    .withContext({ lang: 'fr_FR' })
    .write({ x_name: 'Chose' } as never)
  const [, other] = (await env.model('res.company').search([], { order: 'id' })).ids
  await things
    .browse(ids.slice(5, 15))
    .withContext({ allowed_company_ids: [other] })
    .write({ x_own: 'two', x_own_partner_id: partners[0] } as never)
}

/** Existing records, and values that they hold, for generated calls. */
export async function groundOf({ database, keys }: Shop): Promise<Ground> {
  return within(database, async (env) => {
    const { registry } = database
    const ids = new Map<string, number[]>()
    const held = new Map<string, unknown[]>()
    for (const model of registry.models.values()) {
      if (!model.hasRows || model.kind === 'abstract') continue
      const fields = [...model.fields.values()].filter(
        (field) =>
          field.column && !['binary', 'json'].includes(field.kind) && !field.comodel && !field.options.hidden,
      )
      const rows = (await (
        await env.model(model.name as never).search([], { order: 'id', limit: 30 } as never)
      ).read(fields.map(({ name }) => name))) as unknown as ({ id: number } & Record<string, unknown>)[]
      ids.set(
        model.name,
        rows.map(({ id }) => id),
      )
      for (const { name } of fields) {
        const values = new Set(
          rows
            .map((row) => row[name])
            .filter((value) => ['string', 'number', 'boolean'].includes(typeof value)),
        )
        if (values.size) held.set(`${model.name}.${name}`, [...values].slice(0, 8))
      }
    }
    const companies = (await env.model('res.company').search([], { order: 'id' })).ids
    const often = [
      MADE,
      'res.partner',
      'sale.order',
      'sale.order.line',
      'product.product',
      'product.template',
      'res.users',
      'ir.attachment',
      'res.currency',
    ]
    const models = [...ids.keys(), ...Array.from({ length: 8 }, () => often).flat()]
    return {
      registry,
      models,
      keys: Object.values(keys),
      companies,
      ids,
      held,
      properties: ['nick', 'shoe', 'mate', 'day', 'yes', 'none'],
    }
  })
}
