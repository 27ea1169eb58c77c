// Tests of admin.ts against the embedded server, and against one of COMPTOIR_TEST_DATABASE_URL when that is
// set.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { UserError } from '../errors.ts'
import type { ServerAddress } from './address.ts'
import { Admin, isOurs } from './admin.ts'
import { Connection } from './connection.ts'
import type { Embedded } from './embedded/index.ts'
import { startTemporary } from './embedded/index.ts'

const external = process.env.COMPTOIR_TEST_DATABASE_URL

describe('on the embedded server', () => {
  let server: Embedded
  before(async () => {
    server = await startTemporary()
  })
  administers(() => server)
  after(() => server?.stop())
})

describe('on the server of COMPTOIR_TEST_DATABASE_URL', { skip: external ? false : 'not set' }, () => {
  administers(() => ({ url: external ?? '' }))
})

test('databases of other programs are not listed', () => {
  assert.deepEqual(['shop', 'postgres', '_tool', 'template1', 'Shop 2'].filter(isOurs), ['shop', 'Shop 2'])
})

function administers(address: () => ServerAddress): void {
  const name = `admin "test" ${process.pid}`
  const copy = `${name} copy`
  const renamed = `${name} renamed`
  const listed = async (admin: Admin) =>
    (await admin.listDatabases()).filter((database) => database.startsWith(name))

  after(async () => {
    const admin = new Admin(address())
    for (const database of await listed(admin)) await admin.dropDatabase(database)
  })

  test('creates, copies, renames and drops, with clients connected', async () => {
    const admin = new Admin(address())
    await admin.createDatabase(name)
    assert.equal(await admin.databaseExists(name), true)
    await assert.rejects(admin.createDatabase(name), UserError)
    const client = await Connection.connect({ ...address(), database: name })
    await client.simple('CREATE TABLE kept (a int); INSERT INTO kept VALUES (7)')
    await admin.duplicateDatabase(name, copy)
    assert.equal(client.usable, false)
    await admin.renameDatabase(copy, renamed)
    const other = await Connection.connect({ ...address(), database: renamed })
    assert.deepEqual(await other.query('SELECT a FROM kept'), [[7]])
    assert.deepEqual(await listed(admin), [name, renamed])
    await admin.dropDatabase(renamed)
    await assert.rejects(admin.dropDatabase(renamed), UserError)
    assert.deepEqual(await listed(admin), [name])
    await other.close()
  })

  test('drops a database while background processes of PostgreSQL use it, which FORCE may not end', async (t) => {
    const admin = new Admin(address())
    const simple = Connection.prototype.simple
    const refused = new pg.DatabaseError('permission denied to terminate process', 0, 'error')
    refused.code = '42501'
    t.mock.method(Connection.prototype, 'simple', function (this: Connection, text: string) {
      return text.endsWith('WITH (FORCE)') ? Promise.reject(refused) : simple.call(this, text)
    })
    for (const drop of ['dropDatabase', 'clearDatabase'] as const) {
      await admin.createDatabase(copy)
      const client = await Connection.connect({ ...address(), database: copy })
      await admin[drop](copy)
      assert.equal(await admin.databaseExists(copy), false)
      assert.equal(client.usable, false)
    }
  })

  test('text is ordered by code point, and letters have their case', async () => {
    const client = await Connection.connect({ ...address(), database: name })
    const rows = await client.query(
      "SELECT t FROM unnest(ARRAY['é','b','a','_','B','É','Z','ж']) AS t ORDER BY t",
    )
    assert.deepEqual(rows.flat(), ['B', 'Z', '_', 'a', 'b', 'É', 'é', 'ж'])
    assert.deepEqual(
      await client.query("SELECT 'ÉLAN ПРИВЕТ' ILIKE 'élan привет', lower('ÉЖ'), upper('éж')"),
      [[true, 'éж', 'ÉЖ']],
    )
    await client.close()
  })
}
