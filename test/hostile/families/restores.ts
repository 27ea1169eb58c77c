// Backups that read or write files of the host, run something, or grow without an end: sent by somebody who
// has the master password.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import type { Attack, Hands, World } from '../attack.ts'

const FIRST_LINE = '-- Comptoir database dump 1\n'
const MARK = '\n-- %\n'

/** The parts of the valid backup. */
export async function soundParts(world: World): Promise<{ manifest: Buffer; script: Buffer }> {
  const zip = await openPromise(world.backup, { autoClose: false })
  const parts = new Map<string, Buffer>()
  try {
    for await (const entry of zip.eachEntry())
      if (['manifest.json', 'dump.sql'].includes(entry.fileName))
        parts.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)))
  } finally {
    zip.close()
  }
  return {
    manifest: parts.get('manifest.json') ?? Buffer.alloc(0),
    script: parts.get('dump.sql') ?? Buffer.alloc(0),
  }
}

let next = 0

/** Sends a file to be restored. Returns whether it was restored; null if the server was busy. */
export async function restored(
  { send, world }: Hands,
  bytes: Buffer | (() => Iterable<Buffer>),
): Promise<boolean | null> {
  const name = `hostile${process.pid}x${next++}`
  const field = (key: string, value: string) =>
    `--X\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`
  const head = `${field('master_pwd', world.master)}${field('name', name)}${field('copy', '1')}--X\r\nContent-Disposition: form-data; name="backup_file"; filename="b"\r\n\r\n`
  const { status, text } = await send({
    path: '/web/database/restore',
    headers: { 'content-type': 'multipart/form-data; boundary=X' },
    body: [head, bytes, '\r\n--X--\r\n'],
  })
  if (text.includes(world.secret.content)) throw new Error('the answer holds the secret')
  if (status !== 303) return status === 503 ? null : false
  await send({
    path: '/web/database/drop',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: [String(new URLSearchParams({ master_pwd: world.master, name }))],
  })
  return true
}

interface Places {
  readonly secret: string
  readonly out: string
}

/**
 * Each reads or writes files, runs something, or looks where it has no business. `secret` is a file, `out` a
 * place.
 */
const statements: Readonly<Record<string, (places: Places) => string>> = {
  'continued-literal': ({ secret }) =>
    `CREATE TABLE loot (id int, content text DEFAULT E'x'\n'\\'' || pg_read_file('${secret}') || E'x'\n'\\'');\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.`,
  'continued-literal-check': ({ secret }) =>
    `CREATE TABLE loot (id int, CONSTRAINT c CHECK (length(E'x'\n'\\'' || pg_read_file('${secret}') || E'x'\n'\\'') > id));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.`,
  'continued-unicode-literal': ({ secret }) =>
    `CREATE TABLE loot (id int, content text DEFAULT U&'x'\n'\\'' || pg_read_file('${secret}') || '');`,
  'literal-continued-with-comment': ({ secret }) =>
    `CREATE TABLE loot (id int, content text DEFAULT E'x' --\n'\\'' || pg_read_file('${secret}') || E'x'\n'\\'');`,
  'carriage-return': ({ secret }) =>
    `CREATE TABLE loot (id int, content text DEFAULT E'x'\r'\\'' || pg_read_file('${secret}') || E'x'\r'\\'');`,
  'form-feed': ({ secret }) =>
    `CREATE TABLE loot (id int, content text DEFAULT E'x'\f\n'\\'' || pg_read_file('${secret}') || E'x'\v\n'\\'');`,
  attribute: ({ secret }) =>
    `CREATE VIEW loot AS SELECT g.pg_read_file AS content FROM unnest(ARRAY['${secret}']) g;`,
  'attribute-quoted': ({ secret }) =>
    `CREATE VIEW loot AS SELECT (g)."pg_read_file" AS content FROM unnest(ARRAY['${secret}'::text]) g;`,
  'attribute-of-directory': () =>
    "CREATE VIEW loot AS SELECT g.pg_ls_dir AS content FROM unnest(ARRAY['/']) g;",
  'attribute-of-setting': () =>
    "CREATE VIEW loot AS SELECT g.current_setting AS content FROM unnest(ARRAY['data_directory']) g;",
  'large-object-out': ({ out }) =>
    `CREATE TABLE loot (id int, n int DEFAULT lo_export(lo_from_bytea(0, 'x'), '${out}'));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.`,
  'large-object-out-attribute': ({ out }) =>
    `CREATE VIEW loot AS SELECT pg_catalog."lo_export"(1::oid, '${out}');`,
  'large-object-in': ({ secret }) =>
    `CREATE TABLE loot (id int, n oid DEFAULT lo_import('${secret}'));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.`,
  'large-object-create': () =>
    'CREATE TABLE loot (id int, n oid DEFAULT lo_creat(-1));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.',
  'query-to-xml': ({ secret }) =>
    `CREATE VIEW loot AS SELECT query_to_xml($$SELECT pg_read_file('${secret}')$$, true, true, '');`,
  'query-to-xml-quoted': () =>
    "CREATE TABLE loot (id int, x xml DEFAULT \"query_to_xml\"('SELECT rolpassword FROM pg_authid', true, true, ''));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.",
  'query-to-xml-spaced': () =>
    "CREATE TABLE loot (id int, x xml DEFAULT pg_catalog . query_to_xml\n\n('SELECT 1', true, true, ''));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.",
  'database-to-xml': () => "CREATE VIEW loot AS SELECT database_to_xml(true, true, '');",
  'cursor-to-xml': () => "CREATE VIEW loot AS SELECT cursor_to_xml('c', 1, true, true, '');",
  'ts-stat': ({ secret }) =>
    `CREATE VIEW loot AS SELECT * FROM ts_stat('SELECT to_tsvector(pg_read_file(''${secret}''))');`,
  'ts-rewrite': ({ secret }) =>
    `CREATE TABLE loot (id int, q tsquery DEFAULT ts_rewrite('a', 'SELECT ''a''::tsquery, plainto_tsquery(pg_read_file(''${secret}''))'));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.`,
  'xml-entity': ({ secret }) =>
    `CREATE TABLE loot (id int, x xml DEFAULT xmlparse(document '<!DOCTYPE a [<!ENTITY b SYSTEM "file://${secret}">]><a>&b;</a>'));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.`,
  'xml-entities-without-end': () =>
    `CREATE TABLE loot (id int, x xml DEFAULT xmlparse(document '<!DOCTYPE a [<!ENTITY e0 "x">${Array.from({ length: 30 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};&e${n};">`).join('')}]><a>&e30;</a>'));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.`,
  'xml-value': ({ secret }) =>
    `CREATE TABLE loot (x xml);\n-- %\nCOPY loot (x) FROM stdin;\n<!DOCTYPE a [<!ENTITY b SYSTEM "file://${secret}">]><a>&b;</a>\n\\.`,
  program: ({ out }) => `COPY res_partner (name) FROM PROGRAM 'touch ${out}';`,
  'program-out': ({ out }) => `COPY (SELECT 1) TO PROGRAM 'touch ${out}';`,
  'file-in': ({ secret }) => `CREATE TABLE loot (content text);\n-- %\nCOPY loot (content) FROM '${secret}';`,
  'file-out': ({ out }) => `COPY res_partner (name) TO '${out}';`,
  'copy-with-words': ({ out }) =>
    `COPY res_partner (name) FROM stdin WHERE pg_read_file('${out}') IS NOT NULL;\nx\n\\.`,
  function: ({ secret }) =>
    `CREATE FUNCTION loot() RETURNS text LANGUAGE sql AS $$SELECT pg_read_file('${secret}')$$;\n-- %\nCREATE TABLE l (id int, c text DEFAULT loot());\n-- %\nCOPY l (id) FROM stdin;\n1\n\\.`,
  'function-in-c': () =>
    "CREATE FUNCTION sh(text) RETURNS int AS '/lib/x86_64-linux-gnu/libc.so.6', 'system' LANGUAGE c;\n-- %\nCREATE VIEW loot AS SELECT sh('id');",
  block: () => 'DO $$ BEGIN PERFORM pg_sleep(20); END $$;',
  'role-made': () => "CREATE ROLE intruder SUPERUSER LOGIN PASSWORD 'x';",
  'role-taken': () => 'SET ROLE postgres;',
  'session-authorization': () => 'RESET SESSION AUTHORIZATION;',
  'setting-changed': () => "ALTER SYSTEM SET archive_command = 'id';",
  'two-statements': () => "SELECT pg_catalog.setval('res_partner_id_seq', 1, true);\nDROP TABLE res_users;",
  'set-of-other-sequence': () => "SELECT pg_catalog.setval('pg_catalog.pg_authid', 1, true);",
  'hidden-in-comment': () => "COMMENT ON TABLE res_partner IS 'x'; DROP TABLE res_users; --';",
  'comment-with-escape': ({ secret }) =>
    `COMMENT ON TABLE res_partner IS E'x\\'' || pg_read_file('${secret}');`,
  'owned-table': () => 'ALTER TABLE pg_catalog.pg_authid ADD CONSTRAINT c CHECK (true);',
  'like-catalogue': () => 'CREATE TABLE loot (LIKE pg_authid INCLUDING ALL);',
  inherits: () => 'CREATE TABLE loot (id int) INHERITS (pg_catalog.pg_class);',
  'as-table': () => 'CREATE TABLE loot (a) AS TABLE pg_authid;',
  'as-execute': () => 'CREATE TABLE loot (a) AS EXECUTE x;',
  'index-expression': ({ secret }) =>
    `CREATE INDEX loot ON res_partner ((name || pg_read_file('${secret}')));`,
  'index-where': () => "CREATE INDEX loot ON res_partner (name) WHERE set_config('x.y', name, false) <> '';",
  'operator-spelled': ({ secret }) =>
    `CREATE TABLE loot (c text DEFAULT '${secret}' OPERATOR(pg_catalog.||) pg_catalog."pg_read_file"('${secret}'));`,
  'procedure-by-name': () =>
    "CREATE TABLE loot (p regproc DEFAULT 'pg_read_file'::regproc, c text DEFAULT ('pg_ls_dir'::regproc)::text);",
  'server-and-table': () => 'CREATE SERVER s FOREIGN DATA WRAPPER file_fdw;',
  'extension-of-files': () => 'CREATE EXTENSION IF NOT EXISTS file_fdw;',
  'extension-of-links': () => 'CREATE EXTENSION IF NOT EXISTS dblink;',
  'extension-of-programs': () => 'CREATE EXTENSION IF NOT EXISTS plpython3u;',
  'extension-with-words': () => 'CREATE EXTENSION IF NOT EXISTS pg_trgm; DROP TABLE res_users;',
  'event-trigger': () => 'CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f();',
  rule: () => 'CREATE RULE r AS ON SELECT TO res_partner DO INSTEAD SELECT 1;',
  'view-of-secrets': () => 'CREATE VIEW loot AS SELECT rolpassword FROM pg_authid;',
  'view-of-settings': () => 'CREATE VIEW loot AS SELECT * FROM pg_settings, pg_hba_file_rules;',
  'view-that-sleeps': () => 'CREATE VIEW res_groups_privilege_v AS SELECT pg_sleep(100);',
  'psql-shell': ({ out }) => `\\! touch ${out}`,
  'psql-copy': ({ out }) => `\\copy res_partner to '${out}'`,
  'domain-with-check': () => 'CREATE DOMAIN d AS text CHECK (pg_sleep(20) IS NULL);',
  'cast-to-catalogue': () => "CREATE TABLE loot (c text DEFAULT '{1}'::pg_catalog.pg_authid[]);",
  tablespace: ({ out }) => `CREATE TABLESPACE t LOCATION '${out}';`,
  'partition-of-program': () => 'CREATE TABLE loot (id int) PARTITION BY RANGE ((pg_sleep(id)));',
  'generated-column': ({ secret }) =>
    `CREATE TABLE loot (id text, c text GENERATED ALWAYS AS (pg_read_file(id)) STORED);\n-- %\nCOPY loot (id) FROM stdin;\n${secret}\n\\.`,
}

/** Statements that access nothing foreign, but never end or fill memory and disk. */
const heavy: Readonly<Record<string, string>> = {
  repeat:
    "CREATE TABLE loot (id int, c text DEFAULT repeat('x', 1000000000));\n-- %\nCOPY loot (id) FROM stdin;\n1\n2\n3\n\\.",
  power:
    'CREATE TABLE loot (id int, CONSTRAINT c CHECK ((9.0::numeric ^ 99999.5) > id));\n-- %\nCOPY loot (id) FROM stdin;\n1\n\\.',
  pattern: `CREATE TABLE loot (t text, CONSTRAINT c CHECK (t !~ '((a*)*b)*c(a*)\\1'));\n-- %\nCOPY loot (t) FROM stdin;\n${'a'.repeat(5000)}\n\\.`,
  series: 'CREATE VIEW res_partner_title AS SELECT count(*) FROM generate_series(1, 100000000000) a;',
  recursive:
    'CREATE VIEW loot AS WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n FROM r) SELECT * FROM r;',
  columns: `CREATE TABLE loot (${Array.from({ length: 1600 }, (_, at) => `c${at} text DEFAULT 'x'`)});`,
  'deep-check': `CREATE TABLE loot (id int, CONSTRAINT c CHECK (${'('.repeat(100_000)}id > 0${')'.repeat(100_000)}));`,
  'long-list': `CREATE TABLE loot (id int, CONSTRAINT c CHECK (id IN (${Array.from({ length: 100_000 }, (_, at) => at)})));`,
  'many-indexes': Array.from(
    { length: 2000 },
    (_, at) => `CREATE INDEX loot${at} ON res_partner (name) WHERE id > ${at};`,
  ).join(MARK),
}

const outPlace = (world: World, name: string) => join(world.dataDir, `written-by-${name}`)

/** The script with a statement before or after all others. */
async function scriptWith(world: World, statement: string, behind: boolean): Promise<Buffer> {
  const { script } = await soundParts(world)
  const added = Buffer.from(`${statement}${MARK}`)
  const at = behind ? script.lastIndexOf('-- end of dump') : FIRST_LINE.length
  return Buffer.concat([script.subarray(0, at), added, script.subarray(at)])
}

const refused: Attack[] = Object.entries(statements).map(([name, statement], at) => ({
  name: `restore/${name}`,
  area: 'A',
  size: 1,
  ...(at % 5 ? {} : { small: 1 }),
  run: async (hands) => {
    const { world } = hands
    const out = outPlace(world, name)
    const text = statement({ secret: world.secret.path, out })
    const early = !text.includes('res_partner')
    if (await restored(hands, await scriptWith(world, text, !early)))
      hands.complain(`it was restored: ${text.slice(0, 60)}`)
    if (existsSync(out)) hands.complain('a file of the host was written')
  },
}))

const endless: Attack[] = Object.entries(heavy).map(([name, text]) => ({
  name: `restore-heavy/${name}`,
  area: 'A',
  size: 1,
  run: async (hands) => restored(hands, await scriptWith(hands.world, text, text.includes('res_partner ('))),
}))

/** A zip of many small entries, written directly: the library takes quadratic time for many entries. */
function zipOfMany(
  names: Iterable<string>,
  { manifest, script }: { manifest: Buffer; script: Buffer },
): Buffer {
  const [local, central]: [Buffer[], Buffer[]] = [[], []]
  let [at, count] = [0, 0]
  const add = (name: string, content: Buffer) => {
    const fields = Buffer.alloc(26)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const offset = Buffer.alloc(14)
    offset.writeUInt32LE(at, 10)
    const both = Buffer.from(name)
    central.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, offset, both)
    local.push(Buffer.from('PK\x03\x04', 'latin1'), fields, both, content)
    at += 30 + name.length + content.length
    count++
  }
  for (const name of names) add(name, Buffer.alloc(0))
  add('manifest.json', manifest)
  add('dump.sql', script)
  const directory = Buffer.concat(central)
  const long = Buffer.alloc(56)
  long.write('PK\x06\x06', 'latin1')
  long.writeUInt32LE(44, 4)
  for (const place of [24, 32]) long.writeUInt32LE(count, place)
  long.writeUInt32LE(directory.length, 40)
  long.writeUInt32LE(at, 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 'latin1')
  locator.writeUInt32LE(at + directory.length, 8)
  locator.writeUInt32LE(1, 16)
  const end = Buffer.alloc(22, 0xff)
  end.write('PK\x05\x06\0\0\0\0', 'latin1')
  end.writeUInt16LE(0, 20)
  return Buffer.concat([...local, directory, long, locator, end])
}

/** A zip of given entries; contents of `size` zeros are made while it is packed. */
function zipOf(entries: Iterable<readonly [string, Buffer | number]>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of entries) {
    if (typeof content !== 'number') zip.addBuffer(content, name, { compress: content.length > 0 })
    else zip.addReadStream(Readable.from(zerosOf(content)), name)
  }
  zip.end()
  return buffer(zip.outputStream)
}

function* zerosOf(size: number): Generator<Buffer> {
  const piece = Buffer.alloc(1024 ** 2)
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length))
}

const hash = (at: number) => at.toString(16).padStart(64, '0')
const manifestWith = (more: object, manifest: Buffer) =>
  Buffer.from(JSON.stringify({ ...(JSON.parse(manifest.toString()) as object), ...more }))

const bombs: Readonly<
  Record<
    string,
    {
      size: number
      small?: number
      entries: (
        n: number,
        sound: { manifest: Buffer; script: Buffer },
      ) => Iterable<readonly [string, Buffer | number]>
    }
  >
> = {
  'script-of-zeros': {
    size: 3_000_000_000,
    small: 20_000_000,
    entries: (n, { manifest }) => [
      ['manifest.json', manifest],
      ['dump.sql', n],
    ],
  },
  'files-of-zeros': {
    size: 1_000_000_000,
    small: 5_000_000,
    entries: (n, { manifest, script }) => [
      ['manifest.json', manifest],
      ['dump.sql', script],
      ...[1, 2, 3].map((at) => [`filestore/00/${hash(at)}`, n] as const),
    ],
  },
  'manifest-of-zeros': {
    size: 500_000_000,
    small: 5_000_000,
    entries: (n, { script }) => [
      ['manifest.json', n],
      ['dump.sql', script],
    ],
  },
  'many-modules': {
    size: 40_000,
    small: 1000,
    entries: (n, { manifest, script }) => [
      [
        'manifest.json',
        manifestWith(
          { modules: Object.fromEntries(Array.from({ length: n }, (_, at) => [`m${at}`, '1'])) },
          manifest,
        ),
      ],
      ['dump.sql', script],
    ],
  },
  'deep-manifest': {
    size: 500_000,
    small: 50_000,
    entries: (n, { script }) => [
      ['manifest.json', Buffer.from(`{"comptoir_backup":1,"sha256":${'['.repeat(n)}${']'.repeat(n)}}`)],
      ['dump.sql', script],
    ],
  },
  'names-that-lead-out': {
    size: 1,
    small: 1,
    entries: (_, { manifest, script }) =>
      [
        ['manifest.json', manifest],
        ['dump.sql', script],
        ['filestore/00/../../../../evil', Buffer.from('x')],
      ].map(([name, content]) => [String(name).replaceAll('..', '__'), content as Buffer] as const),
  },
}

const packed: Attack[] = Object.entries(bombs).map(([name, { size, small, entries }]) => ({
  name: `restore-zip/${name}`,
  area: 'A',
  size,
  ...(small ? { small } : {}),
  run: async (hands, n) => restored(hands, await zipOf(entries(n, await soundParts(hands.world)))),
}))

const whole: Attack[] = [
  {
    name: 'restore-zip/many-entries',
    area: 'A',
    size: 300_000,
    small: 3000,
    run: async (hands, n) => {
      const names = Array.from({ length: n }, (_, at) => `filestore/00/${hash(at)}`)
      await restored(hands, zipOfMany(names, await soundParts(hands.world)))
    },
  },
  {
    name: 'restore-zip/sound',
    area: 'A',
    size: 1,
    small: 1,
    run: async (hands) => {
      if ((await restored(hands, await readFile(hands.world.backup))) === false)
        hands.complain('a sound backup was refused')
    },
  },
  {
    name: 'restore-zip/four-sound-at-once',
    area: 'A',
    size: 4,
    run: (hands, n) => hands.crowd(n, n, async () => restored(hands, await readFile(hands.world.backup))),
  },
  {
    name: 'restore-heavy/rows-without-end',
    area: 'A',
    size: 120_000_000,
    small: 200_000,
    run: async (hands, n) =>
      restored(
        hands,
        Buffer.concat([
          Buffer.from(`${FIRST_LINE}CREATE TABLE loot (t text);${MARK}COPY loot (t) FROM stdin;\n`),
          Buffer.alloc(n, 'row of a table\n'),
        ]),
      ),
  },
  {
    name: 'restore-heavy/one-row-without-end',
    area: 'A',
    size: 120_000_000,
    small: 200_000,
    run: async (hands, n) =>
      restored(
        hands,
        Buffer.concat([
          Buffer.from(`${FIRST_LINE}CREATE TABLE loot (t text);${MARK}COPY loot (t) FROM stdin;\n`),
          Buffer.alloc(n, 'r'),
        ]),
      ),
  },
  {
    name: 'restore-heavy/statement-without-end',
    area: 'A',
    size: 100_000_000,
    small: 2_000_000,
    run: async (hands, n) =>
      restored(
        hands,
        Buffer.concat([Buffer.from(`${FIRST_LINE}CREATE TABLE x (`), Buffer.alloc(n, "'\\''")]),
      ),
  },
  {
    name: 'restore-heavy/many-statements',
    area: 'A',
    size: 20_000,
    small: 200,
    run: async (hands, n) =>
      restored(
        hands,
        Buffer.from(
          `${FIRST_LINE}${Array.from({ length: n }, (_, at) => `CREATE SEQUENCE s${at};${MARK}`).join('')}-- end of dump\n`,
        ),
      ),
  },
  {
    name: 'restore-heavy/archive-header',
    area: 'A',
    size: 1,
    small: 1,
    run: async (hands) => {
      for (let at = 0; at < 40; at++)
        await restored(
          hands,
          Buffer.concat([
            Buffer.from('PGDMP\x01\x0f\x00\x04\x08\x01\x01', 'latin1'),
            Buffer.alloc(3000, at * 7),
          ]),
        )
    },
  },
  {
    name: 'restore-heavy/archive-claims',
    area: 'A',
    size: 1,
    small: 1,
    run: async (hands) => {
      for (const fill of ['\x00\xff\xff\xff\x7f', '\x01\xff\xff\xff\xff', '\x00\x00\x00\x00\x40'])
        await restored(hands, Buffer.from(`PGDMP\x01\x0f\x00\x04\x08\x01\x01${fill.repeat(500)}`, 'latin1'))
    },
  },
]

export const restores: readonly Attack[] = [...refused, ...endless, ...packed, ...whole]
