// Copies of databases, new ones among them, count on after a crash of PostgreSQL: no id and no number is
// given twice.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeDataDir } from '../../test/support/temp.ts'
import { modules } from '../modules/index.ts'
import { isConnectionLost } from '../postgres/index.ts'
import { sql } from '../sql/index.ts'
import { Databases } from './index.ts'

const temp = makeDataDir('counters')
let databases: Databases

before(async () => {
  databases = await Databases.open({ dataDir: temp.path, modules, durable: true })
})
after(async () => {
  await databases.close()
  temp.remove()
})

/** Ids of three new partners; waits while PostgreSQL recovers. */
async function create(name: string): Promise<readonly number[]> {
  for (;;) {
    try {
      const database = await databases.database(name)
      return await database.system(
        async (env) =>
          (await env.model('res.partner').create([{ name: 'a' }, { name: 'b' }, { name: 'c' }])).ids,
      )
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      await new Promise((done) => setTimeout(done, 20))
    }
  }
}

async function crash(name: string): Promise<void> {
  const database = await databases.database(name)
  const [row] = await database.system((env) => env.query(sql`SELECT pg_backend_pid()`))
  process.kill(Number(row?.[0]), 'SIGKILL')
}

test('a new database, and a copy of one, give no id twice after a crash', {
  skip: process.platform === 'win32',
}, async () => {
  await databases.create('shop', { modules: ['base'] })
  const first = await create('shop')
  await crash('shop')
  const second = await create('shop')
  assert.equal(new Set([...first, ...second]).size, 6)
  await databases.duplicate('shop', 'copy')
  const third = await create('copy')
  await crash('copy')
  assert.equal(new Set([...first, ...second, ...third, ...(await create('copy'))]).size, 12)
})
