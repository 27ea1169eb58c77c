// Endpoints that are removed while changes are taken up for them: the other endpoints still get these
// at once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { Connection } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { fanOut } from '../../src/services/webhooks/fan-out.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { until } from '../support/receiver.ts'

let database: TestDatabase
before(async () => {
  database = await openTestDatabase(modules, { installed: ['base'] })
})
after(() => database?.close())

test('webhooks: a removal between two reads is handled by reading again', async (t) => {
  const key = await createKey(database.databases, 'test', 'admin', { scope: null, name: 'hooks', days: 1 })
  const vals_list = [1, 2, 3].map((n) => ({ url: `https://example.com/${n}`, events: ['res.partner.*'] }))
  const { json } = await call(database.databases, {
    database: 'test',
    credential: { kind: 'key', key },
    remote: '127.0.0.1',
    requestId: 'hooks',
    model: 'comptoir.webhook',
    method: 'create',
    body: () => ({ ids: undefined, context: undefined, named: { vals_list } }),
  })
  const [first, second, third] = JSON.parse(json as string) as [number, number, number]
  const served = await database.databases.database('test')
  while ((await fanOut(served))?.more);
  await database.run((env) => env.model('res.partner').create([{ name: 'Ann' }]))
  const removers = []
  for (const id of [first, second]) {
    const connection = await Connection.connect({ ...database.databases.address, database: 'test' })
    t.after(() => connection.close())
    await connection.query('BEGIN')
    await connection.query('DELETE FROM comptoir_webhook WHERE id = $1', [id])
    removers.push(connection)
  }
  const taking = fanOut(served)
  for (const remover of removers) {
    const waits = async () =>
      (await remover.query('SELECT count(*)::int FROM pg_locks WHERE NOT granted'))[0]?.[0] === 1
    await until(waits, 'the taking up waits for the removal')
    await remover.query('COMMIT')
  }
  assert.equal((await taking)?.deliveries, 1)
  const rows = await removers[0]?.query('SELECT webhook_id FROM comptoir_webhook_delivery')
  assert.deepEqual(rows, [[third]])
})
