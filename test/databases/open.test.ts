// A setting limits the number of open databases of a process; further databases are opened in turn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, modules } from '../../src/main.ts'
import { openTestDatabase } from '../support/databases.ts'

test('open databases: beyond the limit one is closed for another, without an effect on calls', async (t) => {
  const fixture = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  t.after(fixture.close)
  const { host, port, user, password } = fixture.databases.address
  const { dataDir } = fixture.databases.options
  const databaseUrl = `postgres://${user}:${password}@${host}:${port}/`
  const server = await createServer({ databaseUrl, dataDir, openDatabases: 2 })
  t.after(() => server.close())
  const { databases } = server
  const names = ['test', 'second', 'third']
  for (const name of names.slice(1)) await databases.duplicate('test', name)
  for (let round = 0; round < 2; round++)
    for (const name of names) {
      const database = await databases.database(name)
      assert.equal(await database.system(async (env) => env.uid), 1)
      assert.ok(databases.open <= 2)
    }
})
