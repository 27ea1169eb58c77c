// A database on which plans are played: users with keys, and the rights and records of one plan after the
// other. Ids and places are told apart here only.
import { ServiceError } from '../../src/errors.ts'
import { hashKey, newKey } from '../../src/kit/secrets.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { call } from '../../src/services/call.ts'
import { id, sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { COMPANIES, USERS } from './make.ts'
import type { ModelKey, Plan, Rule } from './plan.ts'
import { GROUPS, groupName, modelKeys, moduleOf, type Shape } from './shape.ts'
import { domainText } from './wire.ts'

/** Ids by place. */
export interface Ids {
  readonly rows: (number | undefined)[]
  /** Separate from the rows, because ids of different models overlap. */
  readonly models: (ModelKey | undefined)[]
  readonly companies: readonly number[]
  readonly users: readonly number[]
}

export class Stage {
  readonly db: TestDatabase
  readonly companies: readonly number[]
  readonly users: readonly number[]
  readonly #keys: readonly string[]

  private constructor(
    db: TestDatabase,
    companies: readonly number[],
    users: readonly number[],
    keys: readonly string[],
  ) {
    this.db = db
    this.companies = companies
    this.users = users
    this.#keys = keys
  }

  /** Opens a database with the models of all shapes, in modules kin0, kin1, … */
  static async open(shapes: readonly Shape[]): Promise<Stage> {
    const base = modules.filter((module) => module.name === 'base')
    const db = await openTestDatabase([...base, ...shapes.map((shape, i) => moduleOf(`kin${i}`, shape))])
    const keys = Array.from({ length: USERS }, newKey)
    return db.run(async (env) => {
      for (const module of shapes.map((_, i) => `kin${i}`)) await makeGroups(env, module)
      const companies = await env
        .model('res.company')
        .create(Array.from({ length: COMPANIES }, (_, i) => ({ name: `Company ${i}` })))
      const users = await env.model('res.users').create(
        keys.map((_, i) => ({
          name: `User ${i}`,
          login: `u${i}`,
          company_id: companies.ids[0],
          company_ids: [[6, 0, companies.ids]],
        })) as never,
      )
      for (const [i, user] of users.ids.entries())
        await env.query(sql`INSERT INTO res_users_apikeys (name, user_id, key_hash, expiration_date, create_date)
          VALUES ('rights', ${user}::int, ${hashKey(keys[i] as string)}, now() AT TIME ZONE 'UTC' + interval '1 day', now() AT TIME ZONE 'UTC')`)
      return new Stage(db, companies.ids, users.ids, keys)
    })
  }

  close(): Promise<void> {
    return this.db.close()
  }

  /** Puts the plan's rights and records in the place of those that were there. */
  put(module: string, plan: Plan, shape: Shape): Promise<Ids> {
    return this.db.run(async (env) => {
      const ids: Ids = {
        rows: plan.rows.map(() => undefined),
        models: plan.rows.map((row) => row?.model),
        companies: this.companies,
        users: this.users,
      }
      await clear(env)
      const groups: number[] = []
      for (let i = 0; i < GROUPS; i++) groups.push(await env.ref(groupName(module, i)))
      for (const [i, group] of groups.entries()) {
        const implied = plan.implied
          .filter(([group]) => group === i)
          .map(([, other]) => groups[other] as number)
        await env
          .model('res.groups')
          .browse([group])
          .write({ implied_ids: [[6, 0, implied]] } as never)
      }
      await putUsers(env, plan, groups, ids)
      await putRights(env, module, plan, groups, ids)
      await putRows(env, module, plan, shape, ids)
      return ids
    })
  }

  /** One call by a user's key, as any client's. Gives the parsed result, or the status of the refusal. */
  async call(
    user: number,
    model: string,
    method: string,
    body: Record<string, unknown>,
  ): Promise<{ refused: number } | { value: unknown }> {
    const { ids, context, ...named } = body
    try {
      const { json } = await call(this.db.databases, {
        database: 'test',
        credential: { kind: 'key', key: this.#keys[user] as string },
        model,
        method,
        body: () => ({ ids, context, named }),
        remote: '127.0.0.1',
        requestId: 'rights',
      })
      return { value: JSON.parse(json) as unknown }
    } catch (error) {
      if (error instanceof ServiceError) return { refused: error.status }
      throw error
    }
  }
}

async function makeGroups(env: Environment, module: string): Promise<void> {
  const groups = await env
    .model('res.groups')
    .create(Array.from({ length: GROUPS }, (_, i) => ({ name: groupName(module, i) })) as never)
  for (const [i, group] of groups.ids.entries())
    await env.query(
      sql`INSERT INTO ir_model_data (module, name, model, res_id) VALUES (${module}, ${`g${i}`}, 'res.groups', ${group}::int)`,
    )
}

/** Takes away what the plan before left. */
async function clear(env: Environment): Promise<void> {
  const left = [['model_id.model', 'like', 'kin']] as never
  for (const model of ['ir.rule', 'ir.model.access'] as const) {
    const records = await env.model(model).withContext({ active_test: false }).search(left)
    await records.unlink()
  }
  for (const model of env.unit.registry.models.values())
    if (model.name.startsWith('kin')) await env.query(sql`DELETE FROM ${id(model.table)}`)
  env.unit.cache.clear()
}

async function putUsers(
  env: Environment,
  plan: Plan,
  groups: readonly number[],
  { users, companies }: Ids,
): Promise<void> {
  const [internal, portal] = [await env.ref('base.group_user'), await env.ref('base.group_portal')]
  const exporters = await env.ref('base.group_allow_export')
  for (const [i, user] of plan.users.entries()) {
    const member = [
      user.portal ? portal : internal,
      ...(user.exports ? [exporters] : []),
      ...user.groups.map((group) => groups[group]),
    ]
    const of = user.companies.map((company) => companies[company])
    await env
      .model('res.users')
      .browse([users[i] as number])
      .write({ group_ids: [[6, 0, member]], company_ids: [[6, 0, of]], company_id: of[0] } as never)
  }
}

async function putRights(
  env: Environment,
  module: string,
  plan: Plan,
  groups: readonly number[],
  ids: Ids,
): Promise<void> {
  const models = await env
    .model('ir.model')
    .search([['model', 'in', modelKeys.map((key) => `${module}.${key}`)]] as never)
  const rows = await models.load(['model'] as never)
  const modelId = (key: ModelKey) =>
    (rows as unknown as { id: number; model: string }[]).find((row) => row.model === `${module}.${key}`)?.id
  const may = ({ operations }: Pick<Rule, 'operations'>) =>
    Object.fromEntries(
      ['read', 'write', 'create', 'unlink'].map((operation) => [
        `perm_${operation}`,
        operations.includes(operation as never),
      ]),
    )
  await env.model('ir.model.access').create(
    plan.access.map((line, i) => ({
      name: `line ${i}`,
      model_id: modelId(line.model),
      group_id: line.group === null ? false : groups[line.group],
      ...may(line),
    })) as never,
  )
  // Rules name records that do not exist yet: their ids are taken beforehand.
  for (const [place, row] of plan.rows.entries())
    if (row) {
      const [next] = await env.query(
        sql`SELECT nextval(pg_get_serial_sequence(${`${module}_${row.model}`}, 'id'))::int`,
      )
      ids.rows[place] = next?.[0] as number
    }
  await env.model('ir.rule').create(
    plan.rules.map((rule, i) => ({
      name: `rule ${i}`,
      model_id: modelId(rule.model),
      groups: [[6, 0, rule.groups.map((group) => groups[group])]],
      domain_force: domainText(rule.domain, ids),
      ...may(rule),
    })) as never,
  )
}

/** Rows as they are, whatever the rights: first all of them, then what refers to others. */
async function putRows(env: Environment, module: string, plan: Plan, shape: Shape, ids: Ids): Promise<void> {
  const idOf = (target: string | undefined, place: unknown) =>
    (target === 'company' ? ids.companies : target === 'user' ? ids.users : ids.rows)[place as number]
  for (const [place, row] of plan.rows.entries()) {
    if (!row) continue
    const { name, number, secret } = row.values
    await env.query(
      sql`INSERT INTO ${id(`${module}_${row.model}`)} (id, name, number, secret) VALUES (${ids.rows[place]}::int, ${name}, ${number}::int, ${secret}::int)`,
    )
  }
  for (const [place, row] of plan.rows.entries()) {
    for (const [name, field] of Object.entries(row ? shape[row.model] : {})) {
      const value = row?.values[name] ?? null
      if (!row || value === null) continue
      if (field.kind === 'many2one')
        await env.query(
          sql`UPDATE ${id(`${module}_${row.model}`)} SET ${id(name)} = ${idOf(field.target, value)}::int WHERE id = ${ids.rows[place]}::int`,
        )
      const { link } = env.def(`${module}.${row.model}`).fields.get(name) as {
        link: { table: string; column: string; other: string } | null
      }
      if (field.kind !== 'many2many' || !link) continue
      const others = (value as number[]).map((other) => ids.rows[other])
      await env.query(
        sql`INSERT INTO ${id(link.table)} (${id(link.column)}, ${id(link.other)}) SELECT ${ids.rows[place]}::int, unnest(${others}::int[])`,
      )
    }
  }
}
