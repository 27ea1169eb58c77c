// Backups that somebody made up or that a disk spoilt: statements with effects outside of the new database,
// names of PostgreSQL's own tables, texts without end, files that are not what they were. All are refused,
// and nothing stays.
// Begins first: it takes 8 s.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { setLimits } from '../../limits.ts'
import { modules } from '../../modules/index.ts'
import { Copying } from '../../postgres/index.ts'
import { writeCustom } from './custom-write.ts'
import { Meter } from './meter.ts'
import type { Item } from './objects.ts'
import { beginSnapshot, FIRST_LINE, Script } from './script.ts'

const CONTENT = 'content that stands as it is in the file'

let fixture: TestDatabase
/** A sound backup, in its three forms. */
let zip: Buffer
let archive: Buffer
let script: Buffer
const dataDir = () => fixture.databases.options.dataDir
const path = (name: string) => join(dataDir(), name)
const all = async (name: string, statement: string) =>
  (await fixture.databases.database(name)).pool.use((c) => c.query(statement))

before(async () => {
  fixture = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  await mkdir(path('filestore/test/ab'), { recursive: true })
  await writeFile(path(`filestore/test/ab/ab${'0'.repeat(62)}`), CONTENT)
  zip = await buffer(await fixture.databases.backup('test', 'zip', '19.0'))
  archive = await buffer(await fixture.databases.backup('test', 'dump', '19.0'))
  await writeFile(path('whole.zip'), zip)
  script = await scriptOf('whole.zip')
})
after(() => fixture.close())

/** Restores something that must be refused, and holds that nothing stays. */
async function refused(file: string, bytes: Buffer | string): Promise<void> {
  await writeFile(path(file), bytes)
  await assert.rejects(fixture.databases.restore('wrong', path(file)), { name: 'UserError' })
  const names = await all(
    'test',
    "SELECT datname::text FROM pg_database WHERE datname LIKE '%restore%' OR datname = 'wrong'",
  )
  assert.deepEqual(names, [])
  assert.deepEqual(
    readdirSync(join(dataDir(), 'filestore')).filter(
      (folder) => folder === 'wrong' || folder.includes('restore'),
    ),
    [],
  )
}

test('what is not a backup, cut or damaged is refused and leaves nothing', async () => {
  await refused('nothing', '')
  await refused('text', 'not a backup')
  await refused('cut.zip', zip.subarray(0, zip.length >> 1))
  const bent = Buffer.from(zip)
  bent.fill(0, 2000, 2100)
  await refused('bent.zip', bent)
  await refused('cut.sql', script.subarray(0, script.length >> 1))
  await refused('short.sql', script.subarray(0, script.length - 5))
  await refused('cut.dump', archive.subarray(0, archive.length >> 1))
  await refused('short.dump', archive.subarray(0, archive.length - 7))
  const worn = Buffer.from(archive)
  worn.fill(7, archive.length - 5000, archive.length - 4900)
  await refused('worn.dump', worn)
  // A statement with a NUL is one that PostgreSQL cannot even take apart.
  const text = archive.toString('latin1')
  assert.ok(text.includes("setval('public.p"))
  await refused('nul.dump', Buffer.from(text.replace("setval('public.p", "setval('public.\0"), 'latin1'))
  await refused('old.dump', Buffer.concat([archive.subarray(0, 6), Buffer.from([99]), archive.subarray(7)]))
})

/** The script inside of a zip. */
async function scriptOf(name: string): Promise<Buffer> {
  const zip = await openPromise(path(name), { autoClose: false })
  try {
    for await (const entry of zip.eachEntry())
      if (entry.fileName === 'dump.sql') return buffer(await zip.openReadStreamPromise(entry))
    throw new Error('There is no script.')
  } finally {
    zip.close()
  }
}

test('a restore takes an SQL script without an archive', async () => {
  await writeFile(path('alone.sql'), script)
  await fixture.databases.restore('alone', path('alone.sql'))
  const counted = 'SELECT count(*)::int FROM ir_model_fields'
  assert.deepEqual(await all('alone', counted), await all('test', counted))
})

test('an archive with anything else is refused', async () => {
  const text = archive.toString('latin1')
  for (const [kind, other] of [
    ['CREATE TABLE', 'DROP   TABLE'],
    ['ADD CONSTRAINT', 'DROP COLUMN   '],
  ] as const) {
    assert.ok(text.includes(kind))
    await refused('hostile.dump', Buffer.from(text.replace(kind, other), 'latin1'))
  }
})

/** Entries that may have been added to the archive of a whole database. */
const STRANGE = [
  ['CONSTRAINT', 'ALTER TABLE ir_model ADD CONSTRAINT x CHECK ((name).pg_read_file IS NULL);'],
  ['INDEX', "CREATE INDEX x ON ir_model USING btree ((query_to_xml('SELECT 1', true, true, '')));"],
  ['BLOB', "SELECT pg_catalog.lo_create('77');"],
  ['RULE', 'CREATE RULE x AS ON INSERT TO ir_model DO ALSO SELECT 1;'],
  ['POLICY', 'CREATE POLICY x ON ir_model USING (true);'],
  [
    'EVENT TRIGGER',
    'CREATE EVENT TRIGGER x ON ddl_command_end EXECUTE FUNCTION comptoir_audit_append_only();',
  ],
  ['VIEW', "CREATE VIEW x AS SELECT pg_read_file('/etc/passwd');"],
] as const

test('an archive with an unknown kind of entry, or an unknown view, is refused, with its name', async () => {
  for (const [kind, statement] of STRANGE) {
    const connection = await Copying.connect({ ...fixture.databases.address, database: 'test' })
    try {
      const objects = await beginSnapshot(connection)
      const entry = { kind: kind as Item['kind'], tag: 'x', statement, table: null, needs: null }
      const pieces = writeCustom(
        connection,
        { ...objects, after: [...objects.after, entry] },
        { name: 'x', version: '18', meter: new Meter(undefined) },
      )
      await writeFile(path('strange.dump'), await buffer(pieces))
    } finally {
      connection.destroy()
    }
    const reason =
      kind === 'CONSTRAINT'
        ? /a dot/
        : kind === 'INDEX'
          ? /query_to_xml/
          : kind === 'VIEW'
            ? /the view x/
            : new RegExp(`the kind ${kind}`)
    await assert.rejects(fixture.databases.restore('wrong', path('strange.dump')), {
      name: 'UserError',
      message: reason,
    })
  }
})

const secret = () => path('secret')

/** Each would do something outside of the new database, or read there. */
const hostile = (): readonly string[] => [
  "COPY res_partner (name) FROM PROGRAM 'id';",
  'DROP TABLE res_partner;',
  'CREATE ROLE intruder SUPERUSER;',
  "DO $$ BEGIN RAISE 'x'; END $$;",
  `CREATE TABLE x AS SELECT pg_read_file('${secret()}') AS content;`,
  `CREATE TABLE x (content) AS SELECT pg_read_file('${secret()}');`,
  `CREATE TABLE x (id int, content text DEFAULT pg_read_file('${secret()}'));`,
  `ALTER TABLE res_partner ALTER COLUMN name SET DEFAULT "pg_read_file" ('${secret()}');`,
  `CREATE TABLE x (c text DEFAULT U&"pg\\005fread_file"('${secret()}'));`,
  `CREATE TABLE x (c text DEFAULT E'a''\\'' || pg_read_file('${secret()}') || '');`,
  `CREATE TABLE x (c text DEFAULT pg_read_file/**/('${secret()}'));`,
  `ALTER TABLE res_partner ADD CONSTRAINT c CHECK (lo_import('${secret()}') > 0);`,
  'CREATE TABLE x (a) AS TABLE pg_authid;',
  "CREATE TABLE x (id int, place text DEFAULT current_setting('data_directory'));",
  'CREATE EXTENSION IF NOT EXISTS tablefunc;',
  'CREATE EXTENSION IF NOT EXISTS plperl;',
  'CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA pg_catalog;',
  'CREATE EXTENSION IF NOT EXISTS file_fdw;',
  'CREATE EXTENSION IF NOT EXISTS pg_trgm CASCADE;',
  'COPY pg_authid (rolname, rolsuper) FROM stdin;\nintruder\tt\n\\.',
  'COPY pg_catalog.pg_authid (rolname, rolsuper) FROM stdin;\nintruder\tt\n\\.',
  "COMMENT ON ROLE postgres IS 'x';",
]

test('a script with anything but what backups consist of is refused', async () => {
  const text = script.toString('utf8')
  assert.ok(text.startsWith(FIRST_LINE))
  const table = 'COPY pg_authid (rolname, rolsuper) FROM stdin;\nintruder\tt\n\\.'
  const two = 'CREATE TABLE x (id int); DROP DATABASE test;'
  for (const statement of [
    "COPY res_partner (name) FROM PROGRAM 'id';",
    table,
    two,
    hostile().at(-1) as string,
  ])
    await refused('hostile.sql', `${FIRST_LINE}${statement}\n-- %\n${text.slice(FIRST_LINE.length)}`)
  // Behind the tables too, where rows are there to be judged by what is added.
  const end = text.lastIndexOf('-- end of dump')
  const added = "ALTER TABLE res_partner ADD CONSTRAINT x CHECK (set_config('x.y', name, false) <> '');"
  await refused('hostile.sql', `${text.slice(0, end)}${added}\n-- %\n${text.slice(end)}`)
  assert.deepEqual(await all('test', "SELECT rolname FROM pg_roles WHERE rolname = 'intruder'"), [])
})

test('a script that holds no database of this kind, or less than one, is refused', async () => {
  const version = [
    'CREATE TABLE rights_version (version bigint);',
    'COPY rights_version (version) FROM stdin;\n1\n\\.',
  ]
  const list = 'CREATE TABLE ir_module_module (name text, state text, latest_version text);'
  const installed = [
    list,
    'COPY ir_module_module (name, state, latest_version) FROM stdin;\nbase\tinstalled\t0.0.1\n\\.',
  ]
  const twice = "CREATE VIEW rights_version AS SELECT unnest('{1,2}'::int[]) AS version;"
  for (const statements of [
    version,
    [...version, list],
    [version[0], ...installed],
    [twice, ...installed],
    [...version, ...installed],
  ])
    await refused(
      'less.sql',
      `${FIRST_LINE}${statements.map((statement) => `${statement}\n-- %\n`).join('')}-- end of dump\n`,
    )
})

test('statements with effects are refused before they reach PostgreSQL', async () => {
  await writeFile(secret(), 'secret')
  const connection = await Copying.connect({ ...fixture.databases.address, database: 'test' })
  try {
    const script = await Script.begin(connection)
    for (const statement of hostile())
      await assert.rejects(script.run(statement), { name: 'UserError' }, statement)
    for (const table of ['pg_catalog.pg_authid', '"pg_catalog".pg_authid', 'pg_temp.x'])
      assert.throws(() => script.rows(`COPY ${table} (a) FROM stdin;`), { name: 'UserError' }, table)
  } finally {
    await connection.close()
  }
})

test('harmless defaults and checks of other makers are taken', async () => {
  const text = script.toString('utf8')
  const statements = [
    'CREATE SEQUENCE own_seq;',
    `CREATE TABLE own (id int DEFAULT nextval('public.own_seq'::regclass), made timestamp DEFAULT now(), "random" varchar(70) DEFAULT E'it''s \\'pg_read_file(1)\\'', CHECK ((length("random") < 30)));`,
    "COMMENT ON TABLE own IS 'DROP TABLE -- not $$ at all';",
  ]
  await writeFile(
    path('own.sql'),
    `${FIRST_LINE}${statements.map((statement) => `${statement}\n-- %\n`).join('')}${text.slice(FIRST_LINE.length)}`,
  )
  await fixture.databases.restore('own', path('own.sql'))
  assert.deepEqual(await all('own', 'INSERT INTO own DEFAULT VALUES RETURNING id, "random"'), [
    [1, "it's 'pg_read_file(1)'"],
  ])
})

test('a statement or a line without end is refused before it fills the memory', async () => {
  const long = 'x'.repeat(64 * 1024)
  for (const start of [`${FIRST_LINE}CREATE TABLE x (\n`, FIRST_LINE])
    await refused('endless.sql', `${start}${long.repeat(64)}`)
  // Every sign of it is one that a careless reader of texts would go back to.
  const nested = `CREATE TABLE x (c text DEFAULT E'${"\\\\''".repeat(100_000)}');`
  await refused('nested.sql', `${FIRST_LINE}${nested}`)
})

test('a file whose content is not what was backed up is refused', async () => {
  const at = zip.indexOf(CONTENT)
  assert.ok(at > 0)
  const spoilt = Buffer.from(zip)
  spoilt.write('C', at)
  await refused('spoilt.zip', spoilt)
})

test('a small file that would fill the disk, or the memory, is refused before anything is made', async () => {
  const bomb = async (add: (zip: ZipFile) => void) => {
    const zip = new ZipFile()
    add(zip)
    zip.end()
    await writeFile(path('bomb.zip'), await buffer(zip.outputStream as unknown as Readable))
  }
  const manifest = (zip: ZipFile) => zip.addBuffer(Buffer.from('{"comptoir_backup":1}'), 'manifest.json')
  await bomb((zip) => {
    manifest(zip)
    zip.addReadStream(Readable.from(zeros(256)), 'dump.sql')
  })
  const named = (limit: string) => ({ name: 'PayloadTooLarge', message: new RegExp(limit) })
  await assert.rejects(fixture.databases.restore('wrong', path('bomb.zip')), named('backup-growth'))
  setLimits({ 'backup-files': 10 })
  try {
    await bomb((zip) => {
      manifest(zip)
      for (let n = 10; n < 30; n++)
        zip.addBuffer(Buffer.alloc(1), `filestore/${n}/${String(n).padEnd(40, '0')}`)
    })
    await assert.rejects(fixture.databases.restore('wrong', path('bomb.zip')), named('backup-files'))
    setLimits({ 'backup-objects': 10 })
    const tables = Array.from({ length: 3 }, (_, n) => `CREATE TABLE t${n} (id integer);\n-- %\n`).join('')
    await writeFile(path('many.sql'), `${FIRST_LINE}${tables}-- end of dump\n`)
    await assert.rejects(fixture.databases.restore('wrong', path('many.sql')), named('backup-objects'))
    const counters = `CREATE SEQUENCE s;\n-- %\n${"SELECT pg_catalog.setval('s', 1, true);\n-- %\n".repeat(7)}`
    await writeFile(path('many.sql'), `${FIRST_LINE}${counters}-- end of dump\n`)
    await assert.rejects(fixture.databases.restore('wrong', path('many.sql')), named('backup-objects'))
  } finally {
    setLimits()
  }
})

/** Megabytes of nothing. */
function* zeros(megabytes: number): Generator<Buffer> {
  const megabyte = Buffer.alloc(1024 * 1024)
  for (let n = 0; n < megabytes; n++) yield megabyte
}

test('two restores to one name: one is made, the other refused', async () => {
  const ends = await Promise.allSettled(
    [1, 2].map(() => fixture.databases.restore('once', path('whole.zip'))),
  )
  assert.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.equal(
    (ends.find(({ status }) => status === 'rejected') as PromiseRejectedResult).reason.name,
    'UserError',
  )
  assert.ok((await fixture.databases.list()).includes('once'))
  assert.deepEqual(
    await all('test', "SELECT datname FROM pg_database WHERE datname LIKE '%draft_restore%'"),
    [],
  )
})
