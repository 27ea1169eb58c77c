// Models and fields made over the API: usable at once in every process, changed and dropped with their
// tables, refused where unsound.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Database } from '../../src/databases/database.ts'
import type { Databases } from '../../src/databases/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

type Server = Pick<Databases, 'database' | 'forget'> & {
  readonly handles: Pick<Databases['handles'], 'known'>
}

let db: TestDatabase
let key: string
/** The same database as another process sees it: with models of its own reading. */
let elsewhere: { readonly server: Server; close(): Promise<void> }

before(async () => {
  db = await openTestDatabase([base])
  key = await createKey(db.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
  const second = await Database.open('test', { ...db.databases.address, max: 2 }, [base], {
    files: db.database.files,
  })
  elsewhere = {
    server: {
      handles: { known: () => second },
      database: async () => second,
      forget: async () => undefined,
    },
    close: () => second.close(),
  }
})
after(async () => {
  await elsewhere.close()
  await db.close()
})

async function ask(server: Server, path: string, named: Record<string, unknown>): Promise<unknown> {
  const [model = '', method = ''] = path.split('/')
  const { ids, ...rest } = named
  const answer = await call(server as Databases, {
    database: 'test',
    credential: { kind: 'key', key },
    model,
    method,
    body: () => ({ ids, named: rest }),
    remote: '127.0.0.1',
    requestId: 'test',
  })
  return JSON.parse(answer.json)
}
const askHere = (path: string, named: Record<string, unknown> = {}) => ask(db.databases, path, named)
const askElsewhere = (path: string, named: Record<string, unknown> = {}) => ask(elsewhere.server, path, named)
const create = async (model: string, ...list: object[]) =>
  (await askHere(`${model}/create`, { vals_list: list })) as number[]
const refusal = (name: string) => (error: unknown) => (error as Error).name === name
const line = (name: string, ttype: string, more: object = {}) => [
  0,
  0,
  { name, ttype, field_description: name, ...more },
]

async function makeModel(model: string, ...fields: unknown[]): Promise<number> {
  const [id] = (await create('ir.model', { name: model, model, field_id: fields })) as [number]
  const [group] = (await askHere('res.groups/search', {
    domain: [['name', '=', 'Role / User']],
    limit: 1,
  })) as number[]
  await create('ir.model.access', {
    name: model,
    model_id: id,
    ...(group ? { group_id: group } : {}),
    perm_read: true,
    perm_write: true,
    perm_create: true,
    perm_unlink: true,
  })
  return id
}

test('custom models: work at once on every node until they are removed', async () => {
  await askElsewhere('res.partner/search_count', { domain: [] })
  const id = await makeModel(
    'x_tool',
    line('x_name', 'char'),
    line('x_count', 'integer'),
    line('x_kind', 'selection', { selection: "[('a', 'A'), ('b', 'B')]" }),
  )
  const described = (await askHere('ir.model.fields/search_read', {
    domain: [
      ['model', '=', 'x_tool'],
      ['state', '=', 'base'],
    ],
    fields: ['name'],
  })) as { name: string }[]
  assert.deepEqual(described.map(({ name }) => name).sort(), [
    'create_date',
    'create_uid',
    'display_name',
    'id',
    'write_date',
    'write_uid',
  ])
  const [tool] = (await askElsewhere('x_tool/create', {
    vals_list: [{ x_name: 'Saw', x_count: 3, x_kind: 'a' }],
  })) as [number]
  assert.deepEqual(
    await askHere('x_tool/search_read', {
      domain: [['x_count', '>', 2]],
      fields: ['x_kind', 'display_name'],
    }),
    [{ id: tool, x_kind: 'a', display_name: 'Saw' }],
  )
  await askHere('ir.model/unlink', { ids: [id] })
  for (const where of [askHere, askElsewhere])
    await assert.rejects(where('x_tool/search', { domain: [] }), refusal('NotFound'))
  const rows = await db.run((env) =>
    env.query({ compile: () => ({ text: "SELECT to_regclass('x_tool')::text", values: [] }) } as never),
  )
  assert.deepEqual(rows, [[null]])
})

test('custom models: a field that is created again with another type is a new field', async () => {
  const [partner] = (await askHere('ir.model/search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const [first] = await create('ir.model.fields', {
    model_id: partner,
    name: 'x_mark',
    ttype: 'integer',
    field_description: 'Mark',
  })
  const [ann] = (await create('res.partner', { name: 'Ann', x_mark: 5 })) as [number]
  assert.deepEqual(await askElsewhere('res.partner/read', { ids: [ann], fields: ['x_mark'] }), [
    { id: ann, x_mark: 5 },
  ])
  await askHere('ir.model.fields/unlink', { ids: [first] })
  await assert.rejects(
    askElsewhere('res.partner/read', { ids: [ann], fields: ['x_mark'] }),
    refusal('InvalidValue'),
  )
  const [second] = await create('ir.model.fields', {
    model_id: partner,
    name: 'x_mark',
    ttype: 'char',
    field_description: 'Mark',
  })
  assert.deepEqual(await askElsewhere('res.partner/read', { ids: [ann], fields: ['x_mark'] }), [
    { id: ann, x_mark: false },
  ])
  await askHere('ir.model.fields/unlink', { ids: [second] })
})

test('custom models: stored related fields are filled for existing records, and stay up to date', async () => {
  const [partner] = (await askHere('ir.model/search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const [be] = (await askHere('res.country/search', { domain: [['code', '=', 'BE']] })) as [number]
  const [ann] = (await create('res.partner', { name: 'Ann B', country_id: be })) as [number]
  const [field] = await create('ir.model.fields', {
    model_id: partner,
    name: 'x_code',
    ttype: 'char',
    field_description: 'Code',
    related: 'country_id.code',
    readonly: true,
  })
  assert.deepEqual(
    await askElsewhere('res.partner/search', {
      domain: [
        ['x_code', '=', 'BE'],
        ['id', '=', ann],
      ],
    }),
    [ann],
  )
  await askHere('res.partner/write', { ids: [ann], vals: { country_id: false } })
  assert.deepEqual(await askHere('res.partner/read', { ids: [ann], fields: ['x_code'] }), [
    { id: ann, x_code: false },
  ])
  await askHere('ir.model.fields/unlink', { ids: [field] })
})

test('custom models: a writable related field writes its value through, stored or not', async () => {
  const [partner] = (await askHere('ir.model/search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const kept = {
    model_id: partner,
    ttype: 'char',
    field_description: 'Mail above',
    related: 'parent_id.email',
    readonly: false,
  }
  const fields = await create(
    'ir.model.fields',
    { ...kept, name: 'x_above', store: true },
    { ...kept, name: 'x_above_too', store: false },
  )
  const [firm] = (await create('res.partner', { name: 'Above', is_company: true })) as [number]
  const [kid] = (await create('res.partner', {
    name: 'Below',
    parent_id: firm,
    x_above: 'new@example.com',
  })) as [number]
  const mails = async () => {
    const [above] = (await askElsewhere('res.partner/read', { ids: [firm], fields: ['email'] })) as [
      { email: string },
    ]
    const [below] = (await askElsewhere('res.partner/read', {
      ids: [kid],
      fields: ['x_above', 'x_above_too'],
    })) as [Record<string, string>]
    return [above.email, below.x_above, below.x_above_too]
  }
  assert.deepEqual(await mails(), Array(3).fill('new@example.com'))
  await askElsewhere('res.partner/write', { ids: [kid], vals: { x_above: 'a@example.com' } })
  assert.deepEqual(await mails(), Array(3).fill('a@example.com'))
  await askHere('res.partner/write', { ids: [kid], vals: { x_above_too: 'b@example.com' } })
  assert.deepEqual(await mails(), Array(3).fill('b@example.com'))
  await askHere('ir.model.fields/unlink', { ids: fields })
})

test('custom models: groups of a field apply, also a group without an external id', async () => {
  const [partner] = (await askHere('ir.model/search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const [group] = (await create('res.groups', { name: 'Secret keepers' })) as [number]
  const [field] = await create('ir.model.fields', {
    model_id: partner,
    name: 'x_secret',
    ttype: 'char',
    field_description: 'Secret',
    groups: [[6, 0, [group]]],
  })
  const fields = (await askHere('res.partner/fields_get', { allfields: ['x_secret'] })) as object
  assert.deepEqual(Object.keys(fields), [])
  await assert.rejects(
    askHere('res.partner/search', { domain: [['x_secret', '=', 'x']] }),
    refusal('AccessError'),
  )
  const [admin] = (await askHere('res.users/search', { domain: [['login', '=', 'admin']] })) as [number]
  await askHere('res.users/write', { ids: [admin], vals: { group_ids: [[4, group]] } })
  assert.deepEqual(await askElsewhere('res.partner/search', { domain: [['x_secret', '=', 'x']] }), [])
  await askHere('ir.model.fields/unlink', { ids: [field] })
})

test('custom models: removal takes references to the model along, and unsets removed options', async () => {
  const id = await makeModel('x_spot', line('x_name', 'char'))
  const [partner] = (await askHere('ir.model/search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const [spot] = (await create('x_spot', { x_name: 'Here' })) as [number]
  await create('ir.model.fields', {
    model_id: partner,
    name: 'x_spot_id',
    ttype: 'many2one',
    relation: 'x_spot',
    field_description: 'Spot',
  })
  const [pick] = (await create('ir.model.fields', {
    model_id: partner,
    name: 'x_pick',
    ttype: 'selection',
    selection: "[('u', 'Up'), ('d', 'Down')]",
    field_description: 'Pick',
  })) as [number]
  const [ann] = (await create('res.partner', { name: 'Ann C', x_spot_id: spot, x_pick: 'u' })) as [number]
  const options = (await askHere('ir.model.fields.selection/search', {
    domain: [
      ['field_id', '=', pick],
      ['value', '=', 'u'],
    ],
  })) as number[]
  await askHere('ir.model.fields.selection/unlink', { ids: options })
  assert.deepEqual(await askElsewhere('res.partner/read', { ids: [ann], fields: ['x_spot_id', 'x_pick'] }), [
    { id: ann, x_spot_id: [spot, 'Here'], x_pick: false },
  ])
  await askHere('ir.model/unlink', { ids: [id] })
  await assert.rejects(
    askHere('res.partner/read', { ids: [ann], fields: ['x_spot_id'] }),
    refusal('InvalidValue'),
  )
  await askHere('ir.model.fields/unlink', { ids: [pick] })
})

test('custom models: unsound definitions are rejected, and leave nothing', async () => {
  const [partner] = (await askHere('ir.model/search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  const field = (vals: object) => () =>
    create('ir.model.fields', { model_id: partner, name: 'x_bad', field_description: 'Bad', ...vals })
  const refused: [() => Promise<unknown>, string][] = [
    [field({ ttype: 'monetary', currency_field: 'country_id' }), 'ValidationError'],
    [field({ ttype: 'many2many', relation: 'res.country', relation_table: 'res_users' }), 'ValidationError'],
    [field({ ttype: 'many2one', relation: 'res.country', required: true }), 'ValidationError'],
    [field({ ttype: 'integer', related: 'country_id.code' }), 'UserError'],
    [field({ ttype: 'char', related: 'child_ids.name' }), 'UserError'],
    [field({ ttype: 'selection', selection: "__import__('os')" }), 'ValidationError'],
    [field({ ttype: 'char', compute: 'pass' }), 'UserError'],
    [() => create('ir.model', { name: 'x', model: `x_${'a'.repeat(62)}` }), 'ValidationError'],
    [() => create('ir.model', { name: 'x', model: 'x_a"; DROP TABLE res_users' }), 'ValidationError'],
  ]
  for (const [attempt, name] of refused) await assert.rejects(attempt(), refusal(name), attempt.toString())
  assert.equal(await askHere('ir.model.fields/search_count', { domain: [['name', '=', 'x_bad']] }), 0)
  const dotted = await makeModel('x_a.b', line('x_name', 'char'))
  await assert.rejects(create('ir.model', { name: 'x', model: 'x_a_b' }), refusal('ValidationError'))
  await askHere('ir.model/unlink', { ids: [dotted] })
})

test('custom models: a renamed field keeps its values, unless another one depends on it', async () => {
  const id = await makeModel(
    'x_room',
    line('x_name', 'char'),
    line('x_floor', 'integer'),
    line('x_plan', 'binary'),
  )
  const [room] = (await create('x_room', { x_name: 'Hall', x_floor: 2, x_plan: 'aGFsbA==' })) as [number]
  const field = async (name: string) =>
    (await askHere('ir.model.fields/search', {
      domain: [
        ['model', '=', 'x_room'],
        ['name', '=', name],
      ],
    })) as number[]
  await askHere('ir.model.fields/write', { ids: await field('x_floor'), vals: { name: 'x_level' } })
  await askHere('ir.model.fields/write', { ids: await field('x_plan'), vals: { name: 'x_map' } })
  assert.deepEqual(await askElsewhere('x_room/read', { ids: [room], fields: ['x_level', 'x_map'] }), [
    { id: room, x_level: 2, x_map: 'aGFsbA==' },
  ])
  const [partner] = (await askHere('ir.model/search', { domain: [['model', '=', 'res.partner']] })) as [
    number,
  ]
  await create('ir.model.fields', {
    model_id: partner,
    name: 'x_room_id',
    ttype: 'many2one',
    relation: 'x_room',
    field_description: 'Room',
  })
  const [level] = await create('ir.model.fields', {
    model_id: partner,
    name: 'x_level',
    ttype: 'integer',
    related: 'x_room_id.x_level',
    field_description: 'Level',
  })
  await assert.rejects(
    askHere('ir.model.fields/write', { ids: await field('x_level'), vals: { name: 'x_other' } }),
    refusal('UserError'),
  )
  await askHere('ir.model.fields/unlink', { ids: [level] })
  await askHere('ir.model/write', { ids: [id], vals: { order: 'x_level desc' } })
  await assert.rejects(
    askHere('ir.model/write', { ids: [id], vals: { order: 'x_nope' } }),
    refusal('ValidationError'),
  )
  await askHere('ir.model/unlink', { ids: [id] })
})

test('custom models: a renamed option stays with its records; a domain is an expression', async () => {
  const model = await makeModel(
    'x_kept',
    line('x_kind', 'selection', { selection: "[('a', 'A'), ('b', 'B')]" }),
  )
  const ids = await create('x_kept', { x_kind: 'a' }, { x_kind: 'b' })
  const [option] = (await askHere('ir.model.fields.selection/search', {
    domain: [
      ['field_id.model', '=', 'x_kept'],
      ['value', '=', 'a'],
    ],
  })) as number[]
  await askHere('ir.model.fields.selection/write', { ids: [option], vals: { value: 'aa' } })
  assert.deepEqual(await askHere('x_kept/read', { ids, fields: ['x_kind'] }), [
    { id: ids[0], x_kind: 'aa' },
    { id: ids[1], x_kind: 'b' },
  ])
  const link = {
    model_id: model,
    name: 'x_who',
    ttype: 'many2one',
    relation: 'res.partner',
    field_description: 'W',
  }
  await assert.rejects(create('ir.model.fields', { ...link, domain: '[("id", ' }), refusal('ValidationError'))
  const [record] = await create('ir.model.fields', { ...link, domain: "[('id', '=', parent.id)]" })
  await assert.rejects(
    askHere('ir.model.fields/write', { ids: [record], vals: { domain: 'not (' } }),
    refusal('ValidationError'),
  )
})

test('custom models: a required many2one to a missing record has the message of its field, before and after custom models exist', async () => {
  const make = () => create('ir.cron', { ir_actions_server_id: 99_999_999 })
  const message = 'The field Server action refers to a record that does not exist.'
  await assert.rejects(make(), { name: 'ValidationError', message })
  await makeModel('x_between', line('x_kind', 'char'))
  await assert.rejects(make(), { name: 'ValidationError', message })
})
