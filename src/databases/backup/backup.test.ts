// Backups and back: every table equal, every key and index there.
// Begins first: it takes 12 s.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { modules } from '../../modules/index.ts'
import { sql } from '../../sql/index.ts'
import { filesDirectory } from '../filestore.ts'

let fixture: TestDatabase
const dataDir = () => fixture.databases.options.dataDir
const path = (name: string) => join(dataDir(), name)
const all = async (name: string, statement: string) =>
  (await fixture.databases.database(name)).pool.use((c) => c.query(statement))

const NASTY = 'tab\tline\nback\\slash \\. end\r\n☃ " \' $$ \\N'

before(async () => {
  fixture = await openTestDatabase(modules)
  await fixture.run(async (env) => {
    await env.query(
      sql`INSERT INTO res_partner_category (name, active) VALUES (${JSON.stringify({ en_US: NASTY })}::jsonb, true)`,
    )
    await env.query(sql`UPDATE res_partner SET comment = ${NASTY} WHERE id = 1`)
  })
  const key = `ab/ab${'0'.repeat(62)}`
  await mkdir(path('filestore/test/ab'), { recursive: true })
  await writeFile(path(`filestore/test/${key}`), 'content')
  await writeFile(path(`filestore/test/${key}.1234.draft`), 'half')
})
after(() => fixture.close())

/** Rows of all tables, by table, as text in order. */
async function contents(name: string): Promise<Record<string, unknown>> {
  const tables = await all(
    name,
    "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
  )
  const byTable: Record<string, unknown> = {}
  for (const [table] of tables) {
    if (table === 'browser_session' || table === 'login_failure') continue
    // The feed of a restored database is a new one.
    if (String(table).startsWith('comptoir_feed') || String(table).startsWith('comptoir_change')) continue
    byTable[String(table)] = (await all(name, `SELECT t::text FROM "${table}" t ORDER BY 1`)).flat()
  }
  return byTable
}

/** Columns, keys, indexes, views, sequences, triggers with what they run, and comments, each as a line. */
async function objects(name: string): Promise<unknown[]> {
  const ours = "relnamespace = 'public'::regnamespace"
  const rows = [
    await all(
      name,
      `SELECT format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE ${ours} AND c.relkind IN ('r', 'v') ORDER BY 1`,
    ),
    await all(
      name,
      `SELECT conname || ' ' || pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = conrelid WHERE ${ours} AND contype <> 'n' ORDER BY 1`,
    ),
    await all(
      name,
      `SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE ${ours} ORDER BY 1`,
    ),
    await all(name, "SELECT format('%s %s', sequencename, last_value) FROM pg_sequences ORDER BY 1"),
    await all(name, 'SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1'),
    await all(
      name,
      "SELECT prosrc FROM pg_proc WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql') ORDER BY proname",
    ),
    await all(
      name,
      `SELECT c.relname || d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE ${ours} ORDER BY 1`,
    ),
  ]
  return rows.flat(2)
}

const back = async (format: 'zip' | 'dump', to: string) =>
  writeFile(path(to), await buffer(await fixture.databases.backup('test', format, '19.0')))

test('a restored zip equals its source, files included', async () => {
  await back('zip', 'one.zip')
  await mkdir(path('filestore/again/cd'), { recursive: true })
  await writeFile(path(`filestore/again/cd/cd${'0'.repeat(62)}`), 'of a database that is gone')
  await fixture.databases.restore('again', path('one.zip'))
  assert.deepEqual(await contents('again'), await contents('test'))
  assert.deepEqual(await objects('again'), await objects('test'))
  assert.deepEqual(readdirSync(filesDirectory(dataDir(), 'again'), { recursive: true }), [
    'ab',
    `ab/ab${'0'.repeat(62)}`,
  ])
})

test('an archive restores too; a copy has an identity of its own and, neutralized, says so', async () => {
  await back('dump', 'one.dump')
  await fixture.databases.restore('copied', path('one.dump'), { copy: true, neutralize: true })
  const uuid = "SELECT value FROM ir_config_parameter WHERE key = 'database.uuid'"
  assert.notDeepEqual(await all('copied', uuid), await all('test', uuid))
  const neutral = "SELECT value FROM ir_config_parameter WHERE key = 'database.is_neutralized'"
  assert.deepEqual(await all('copied', neutral), [['true']])
})

test('an archive holds the same as the zip, files aside', async () => {
  await fixture.databases.restore('archived', path('one.dump'))
  assert.deepEqual(await contents('archived'), await contents('test'))
  assert.deepEqual(await objects('archived'), await objects('test'))
})

test('a neutralized copy keeps all keys, sends no mail and runs nothing but its own housekeeping', async () => {
  await all(
    'test',
    "INSERT INTO ir_mail_server (name, smtp_host, smtp_user, smtp_pass, smtp_authentication, smtp_encryption, active) VALUES ('out', 'mail', 'me', 'secret', 'login', 'none', true)",
  )
  await fixture.run(async (env) => {
    const [bot] = (await env.model('res.users').create([{ name: 'Bot', login: 'bot' }] as never)).ids
    for (const user of [2, bot])
      await env.query(
        sql`INSERT INTO res_users_apikeys (name, user_id, key_hash, create_date, expiration_date) VALUES ('k', ${user}, ${Buffer.from(`hash ${user}`)}, now(), now() + interval '1 day')`,
      )
  })
  await fixture.databases.duplicate('test', 'quiet', { neutralize: true })
  assert.deepEqual(await all('quiet', 'SELECT count(DISTINCT user_id)::int FROM res_users_apikeys'), [[2]])
  assert.deepEqual(await all('quiet', 'SELECT active, smtp_user, smtp_pass FROM ir_mail_server'), [
    [false, null, null],
  ])
  const running = await all(
    'quiet',
    "SELECT count(*)::int FROM ir_cron WHERE active AND id NOT IN (SELECT res_id FROM ir_model_data WHERE name = 'autovacuum_job')",
  )
  assert.deepEqual(running, [[0]])
  assert.deepEqual(
    await all('test', 'SELECT count(DISTINCT user_id)::int FROM res_users_apikeys'),
    [[2]],
    'the original is as it was',
  )
})

test('progress never goes back, and ends with all', async () => {
  for (const format of ['zip', 'dump'] as const) {
    const shares: number[] = []
    const progress = (_step: string, done: number) => shares.push(done)
    await writeFile(
      path('told'),
      await buffer(await fixture.databases.backup('test', format, '19.0', { progress })),
    )
    await fixture.databases.restore(`told-${format}`, path('told'), {
      progress: (step, done) => shares.push(1 + (step ? done : 0)),
    })
    assert.ok(shares.length > 20, `${shares.length} steps`)
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    )
    assert.ok((shares.at(-1) as number) > 1.99, `ends at ${shares.at(-1)}`)
  }
})

test('new records in a restored database get new ids', async () => {
  const rows = await all(
    'again',
    "INSERT INTO res_partner_category (name, active) VALUES ('{}', true) RETURNING id",
  )
  const most = await all('test', 'SELECT max(id) FROM res_partner_category')
  assert.ok(Number(rows[0]?.[0]) > Number(most[0]?.[0]))
})

test('names are checked and taken ones are refused', async () => {
  await assert.rejects(fixture.databases.restore('test', path('one.zip')), /exists already/)
  await assert.rejects(fixture.databases.restore('a b', path('one.zip')), /Invalid database name/)
  await assert.rejects(fixture.databases.backup('none', 'zip', '19.0'), /Database not found/)
})

/** Number of connections that read a backup at this moment. */
const readers = async () =>
  (
    await all(
      'test',
      "SELECT count(*)::int FROM pg_stat_activity WHERE datname = 'test' AND pid <> pg_backend_pid() AND xact_start IS NOT NULL",
    )
  )[0]?.[0]

for (const format of ['zip', 'dump'] as const) {
  test(`a ${format} whose connection is lost fails as a whole`, async () => {
    const stream = await fixture.databases.backup('test', format, '19.0')
    assert.equal(await readers(), 1)
    await all(
      'test',
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'test' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()",
    )
    await assert.rejects(buffer(stream))
  })

  test(`an abandoned ${format} releases its connection`, async () => {
    const stream = await fixture.databases.backup('test', format, '19.0')
    stream.destroy()
    while ((await readers()) !== 0) await new Promise((done) => setTimeout(done, 10))
  })
}
