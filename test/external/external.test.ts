// A server of one's own by --database-url: the same calls on the PostgreSQL that Debian packages, as a role that may only create databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { makeTemp } from '../support/temp.ts'
import { installedServer, startInstalled } from './server.ts'

const folder = installedServer()

test('databases, calls and copies on an external server', {
  skip: folder ? false : 'this machine has no PostgreSQL of its own',
}, async () => {
  const external = await startInstalled(folder as string)
  const temp = makeTemp('external-data')
  try {
    const server = await createServer({ databaseUrl: external.url, dataDir: temp.path, masterPassword: 'master' })
    try {
      await server.databases.create('shop', { country: 'be' })
      const key = await createKey(server.databases, 'shop', 'admin', { scope: null, name: 'test', days: 1 })
      const call = async (path: string, body: object, database = 'shop') => {
        const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json', 'x-service-database': database }
        const answer = await server.app.inject({ method: 'POST', url: `/json/2/${path}`, headers, payload: JSON.stringify(body) })
        return { status: answer.statusCode, body: answer.json() }
      }
      const made = await call('res.partner/create', { vals_list: [{ name: 'Élan' }, { name: 'elan', parent_id: 1 }] })
      assert.equal(made.status, 200)
      const found = await call('res.partner/search_read', { domain: [['name', 'ilike', 'éLAN']], fields: ['name', 'country_id'] })
      assert.deepEqual(found.body, [{ id: made.body[0], name: 'Élan', country_id: false }])
      const company = await call('res.company/read', { ids: [1], fields: ['country_id', 'currency_id'] })
      assert.deepEqual([company.body[0].country_id[1], company.body[0].currency_id[1]], ['Belgium', 'EUR'])
      assert.equal((await call('res.country/create', { vals_list: [{ name: 'Belgium', code: 'QX' }] })).status, 422)
      await server.databases.duplicate('shop', 'copy')
      assert.deepEqual(await server.databases.list(), ['copy', 'shop'])
      assert.equal((await call('res.partner/search_count', { domain: [['id', 'in', made.body]] }, 'copy')).body, 2)
      assert.equal(await server.databases.drop('copy'), true)
    } finally {
      await server.close()
    }
  } finally {
    temp.remove()
    await external.stop()
  }
})
