// A server of one's own by --database-url: the same calls on the PostgreSQL that Debian packages, as a role
// that may only create databases.
// Begins first: it takes 11 s.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules, type Server } from '../../src/main.ts'
import { Connection } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { runHere } from '../support/command.ts'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { installedServer, startInstalled } from './server.ts'

const folder = installedServer()

/**
 * A database goes from the external server into the embedded one and back, and from there comes as the
 * archive of PostgreSQL's own tool.
 */
async function thereAndBack(external: Server, partner: number): Promise<void> {
  const temp = makeTemp('external-back')
  const embedded = await Databases.open({ dataDir: temp.path, modules, durable: false })
  const file = (name: string) => join(temp.path, name)
  const save = async (from: Databases, name: string, format: 'zip' | 'dump', to: string) =>
    pipeline(await from.backup(name, format, '19.0'), createWriteStream(file(to)))
  const name = async (databases: Databases, database: string) => {
    const opened = await databases.database(database)
    return (
      await opened.system((env) => env.query(sql`SELECT name FROM res_partner WHERE id = ${partner}`))
    ).flat()
  }
  try {
    for (const format of ['zip', 'dump'] as const) {
      await save(external.databases, 'shop', format, `there.${format}`)
      await embedded.restore(`there-${format}`, file(`there.${format}`))
      assert.deepEqual(await name(embedded, `there-${format}`), ['Élan'])
      await save(embedded, `there-${format}`, format, `back.${format}`)
      await external.databases.restore(`back-${format}`, file(`back.${format}`))
      assert.deepEqual(await name(external.databases, `back-${format}`), ['Élan'])
    }
    const { address } = external.databases
    const url = (database: string) => `${String(address.url).replace(/\/$/, '')}/${database}`
    const tool = (program: string, ...args: string[]) =>
      promisify(execFile)(join(folder as string, program), args)
    await tool('pg_dump', '-Fc', '-f', file('own.dump'), url('shop'))
    await embedded.restore('own', file('own.dump'))
    assert.deepEqual(await name(embedded, 'own'), ['Élan'])
    // Ours is an archive for PostgreSQL's tools too.
    await tool('createdb', '--maintenance-db', url('postgres'), 'by_tool')
    await tool('pg_restore', '--no-owner', '--exit-on-error', '-d', url('by_tool'), file('there.dump'))
    assert.deepEqual(await name(external.databases, 'by_tool'), ['Élan'])
  } finally {
    await embedded.close()
    temp.remove()
  }
}

test('external PostgreSQL: a role without CREATEDB, and one that owns no database, are reported', {
  skip: folder ? false : 'this machine has no PostgreSQL of its own',
}, async () => {
  const external = await startInstalled(folder as string)
  const temp = makeTemp('external-roles')
  const port = Number(new URL(external.url).port)
  const where = (user: string) => [
    '--database-url',
    `postgres://${user}@127.0.0.1:${port}`,
    '--data-dir',
    temp.path,
  ]
  const run = (user: string, ...args: string[]) => runHere(...args, ...where(user))
  try {
    const owner = await Connection.connect({
      host: '127.0.0.1',
      port,
      user: 'owner',
      password: '',
      database: 'postgres',
    })
    await owner.simple('CREATE ROLE poor LOGIN NOCREATEDB; CREATE ROLE other LOGIN CREATEDB')
    await owner.close()
    const refused = 'comptoir: PostgreSQL denies this to the role that the server uses: '
    const unable = `${refused}permission denied to create database; a superuser gives the right by ALTER ROLE … CREATEDB.\n`
    assert.deepEqual(await run('poor', 'db', 'create', 'till'), { code: 1, err: unable, out: '' })
    const serve = spawnSync(
      process.execPath,
      [join(root, 'bin/comptoir.js'), 'serve', '--port', '0', '--shop', 'empty', ...where('poor')],
      { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined } },
    )
    assert.deepEqual([serve.status, serve.stdout], [1, ''])
    // Lines about the preparation are printed after two seconds, before or after the error.
    assert.ok(serve.stderr.replaceAll(/^ {2}\d.*\n/gm, '').endsWith(unable), serve.stderr)
    assert.equal((await run('shop', 'db', 'create', 'till')).code, 0)
    // The server of this test writes nothing to the disk in time.
    const { code: ill, out } = await run('poor', 'doctor', '--nodes', '9')
    assert.equal(ill, 1)
    for (const line of [
      /^wrong +fsync +off\n +Set fsync = on/m,
      /^advice +role +role poor\n +.*ALTER ROLE "poor" CREATEDB/m,
      /^advice +max_connections +100, .* 9 nodes × 1 processes × 18 = 162 .*\n +Set max_connections = 170,/m,
    ])
      assert.match(out, line)
    const foreign = {
      code: 1,
      err: `${refused}must be owner of database till; use the role that created the database.\n`,
      out: '',
    }
    assert.deepEqual(await run('other', 'db', 'drop', 'till'), foreign)
    assert.deepEqual(await run('other', 'db', 'rename', 'till', 'shop'), foreign)
    const { code, err } = await run('other', 'db', 'backup', 'till', join(temp.path, 'till.zip'))
    assert.equal(code, 1)
    assert.match(
      err,
      /^comptoir: PostgreSQL denies this .*: permission denied for table \w+; use the role that created the database\n$/,
    )
  } finally {
    temp.remove()
    await external.stop()
  }
})

test('external PostgreSQL: databases, calls and copies', {
  skip: folder ? false : 'this machine has no PostgreSQL of its own',
}, async () => {
  const external = await startInstalled(folder as string)
  const temp = makeTemp('external-data')
  try {
    const server = await createServer({
      databaseUrl: external.url,
      dataDir: temp.path,
      masterPassword: 'master',
    })
    try {
      await server.databases.create('shop', { country: 'be' })
      const key = await createKey(server.databases, 'shop', 'admin', { scope: null, name: 'test', days: 1 })
      const call = async (path: string, body: object, database = 'shop') => {
        const headers = {
          authorization: `bearer ${key}`,
          'content-type': 'application/json',
          'x-service-database': database,
        }
        const answer = await server.app.inject({
          method: 'POST',
          url: `/json/2/${path}`,
          headers,
          payload: JSON.stringify(body),
        })
        return { status: answer.statusCode, body: answer.json() }
      }
      const created = await call('res.partner/create', {
        vals_list: [{ name: 'Élan' }, { name: 'elan', parent_id: 1 }],
      })
      assert.equal(created.status, 200)
      const partners = await call('res.partner/search_read', {
        domain: [['name', 'ilike', 'éLAN']],
        fields: ['name', 'country_id'],
      })
      assert.deepEqual(partners.body, [{ id: created.body[0], name: 'Élan', country_id: false }])
      const company = await call('res.company/read', { ids: [1], fields: ['country_id', 'currency_id'] })
      assert.deepEqual([company.body[0].country_id[1], company.body[0].currency_id[1]], ['Belgium', 'EUR'])
      assert.equal(
        (await call('res.country/create', { vals_list: [{ name: 'Belgium', code: 'QX' }] })).status,
        422,
      )
      await server.databases.duplicate('shop', 'copy')
      assert.deepEqual(await server.databases.list(), ['copy', 'shop'])
      assert.equal(
        (await call('res.partner/search_count', { domain: [['id', 'in', created.body]] }, 'copy')).body,
        2,
      )
      assert.equal(await server.databases.drop('copy'), true)
      await thereAndBack(server, created.body[0])
    } finally {
      await server.close()
    }
  } finally {
    temp.remove()
    await external.stop()
  }
})
