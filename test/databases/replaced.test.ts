// A database is replaced under its name while another node receives no announcement: that node must not
// go on with the models and rights of the earlier database.
import assert from 'node:assert/strict'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { after, before, test } from 'node:test'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import '../support/patience.ts'
import { makeTemp } from '../support/temp.ts'

const temp = makeTemp('replaced')
const base = modules.filter((module) => module.name === 'base')
let announcing: Databases
let deaf: Databases
let key: string

before(async () => {
  announcing = await Databases.open({ dataDir: temp.path, modules: base, durable: false })
  deaf = await Databases.open({ dataDir: temp.path, modules: base, durable: false })
  await announcing.create('shop', { modules: ['base'], login: 'admin', password: 'admin' })
  await (await announcing.database('shop')).system(async (env) => {
    const group = await env.ref('base.group_user')
    await env
      .model('res.users')
      .create([{ name: 'Clerk', login: 'clerk', group_ids: [[6, 0, [group]]] } as never])
  })
  key = await createKey(announcing, 'shop', 'clerk', { scope: null, name: 'till', days: 1 })
})
after(async () => {
  await deaf?.close()
  await announcing?.close()
  temp.remove()
})

/** The result of a clerk's read of system parameters on a node: the error's name, or the value. */
async function parameters(server: Databases): Promise<string> {
  const body = () => ({ ids: undefined, context: {}, named: { domain: [] } })
  const credential = { kind: 'key', key } as const
  const origin = { remote: '127.0.0.1', requestId: 'test' }
  try {
    const { json } = await call(server, {
      database: 'shop',
      credential,
      model: 'ir.config_parameter',
      method: 'search_count',
      body,
      ...origin,
    })
    return String(json)
  } catch (error) {
    return (error as Error).name
  }
}

/** Gives clerks the right to read parameters, or takes it. */
async function mayRead(name: string, may: boolean): Promise<void> {
  await (await announcing.database(name)).system(async (env) => {
    const model = await env.model('ir.model').search([['model', '=', 'ir.config_parameter']])
    const group = await env.ref('base.group_user')
    if (may)
      await env
        .model('ir.model.access')
        .create([{ name: 'clerks', model_id: model.ids[0], group_id: group, perm_read: true } as never])
    else await (await env.model('ir.model.access').search([['name', '=', 'clerks']])).unlink()
  })
}

async function version(name: string): Promise<number> {
  const rows = await (await announcing.database(name)).pool.use((connection) =>
    connection.query('SELECT version::int FROM rights_version'),
  )
  return Number(rows[0]?.[0])
}

/** Lets a database have counted as far as another one. */
async function count(name: string, to: number): Promise<void> {
  await (await announcing.database(name)).pool.use((connection) =>
    connection.query('UPDATE rights_version SET version = $1', [to]),
  )
}

async function backup(): Promise<string> {
  const path = join(temp.path, 'shop.zip')
  await pipeline(await announcing.backup('shop', 'zip', '19.0'), createWriteStream(path))
  return path
}

test('open databases: a restored or renamed database replaces the cached one at once on every node', async () => {
  await deaf.database('shop')
  // The first node's announcements get lost, and the other does not notice.
  Object.assign(announcing.announcements, { tell: async () => undefined })
  const strict = await backup()
  for (const swap of ['restore', 'rename'] as const) {
    await mayRead('shop', true)
    const open = await parameters(deaf)
    assert.match(open, /^\d+$/, 'a clerk may read them now')
    assert.equal(await parameters(announcing), open)
    const counted = await version('shop')
    if (swap === 'restore') {
      await announcing.drop('shop')
      await announcing.restore('shop', strict)
      await count('shop', counted)
    } else {
      await announcing.restore('other', strict)
      await count('other', counted)
      await announcing.rename('shop', 'past')
      await announcing.rename('other', 'shop')
    }
    assert.equal(await parameters(deaf), 'AccessError', swap)
    assert.equal(await parameters(announcing), 'AccessError', swap)
    const { pool } = await deaf.database('shop')
    const name = await pool.use((connection) =>
      connection.query('SELECT count(*)::int FROM ir_config_parameter'),
    )
    assert.ok(Number(name[0]?.[0]) > 0)
  }
})
