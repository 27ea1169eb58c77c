// A user whom record rules hold back, with a key: what the bench's cases under rules call with.
import pg from 'pg'
import { hashKey, newKey } from '../../src/kit/secrets.ts'
import type { Call } from './data.ts'

/**
 * Makes a user of one company and gives its id and an API key; keys cannot be made over the wire without a
 * password.
 */
export async function makeUser(
  call: Call,
  address: string,
  values: { login: string } & Record<string, unknown>,
): Promise<{ id: number; key: string }> {
  const [id] = (await call('res.users', 'create', { vals_list: [{ name: values.login, ...values }] })) as [
    number,
  ]
  const key = newKey()
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    await client.query(
      `INSERT INTO res_users_apikeys (name, user_id, key_hash, expiration_date, create_date)
      VALUES ('bench', $1, $2, now() AT TIME ZONE 'UTC' + interval '1 day', now() AT TIME ZONE 'UTC')`,
      [id, hashKey(key)],
    )
  } finally {
    await client.end()
  }
  return { id, key }
}

/** Id of a model's row in `ir.model`. */
export async function modelId(call: Call, model: string): Promise<number> {
  const [id] = (await call('ir.model', 'search', { domain: [['model', '=', model]] })) as [number]
  return id
}

/** Id of the group that every user of the house is in. */
export async function userGroup(call: Call): Promise<number> {
  const [, id] = (await call('ir.model.data', 'check_object_reference', {
    module: 'base',
    xml_id: 'group_user',
  })) as [string, number]
  return id
}

/**
 * A user of two companies under three rules on partners: the one for all that every database has, by company,
 * and two of a group of the user's own, one of them over a relation. They let the bench's partners through.
 */
export async function makeRuled(call: Call, address: string): Promise<string> {
  const [company] = (await call('res.company', 'create', {
    vals_list: [{ name: 'Bench, second company' }],
  })) as [number]
  const companies = (await call('res.company', 'search', { domain: [] })) as number[]
  const [group] = (await call('res.groups', 'create', { vals_list: [{ name: 'Bench, under rules' }] })) as [
    number,
  ]
  const model_id = await modelId(call, 'res.partner')
  await call('ir.rule', 'create', {
    vals_list: [
      {
        name: 'bench author',
        domain_force: "[('create_uid', 'in', [user.id, 1, 2]), ('country_id.code', '!=', 'ZZ')]",
      },
      { name: 'bench city', domain_force: "[('city', '=like', 'Bench%'), ('parent_id', '=', False)]" },
    ].map((rule) => ({ ...rule, model_id, groups: [[6, 0, [group]]] })),
  })
  const companyOfUser = companies.find((candidate) => candidate !== company)
  const groups = [[6, 0, [await userGroup(call), group]]]
  const user = await makeUser(call, address, {
    login: 'bench-ruled',
    company_id: companyOfUser,
    company_ids: [[6, 0, companies]],
    group_ids: groups,
  })
  return user.key
}
