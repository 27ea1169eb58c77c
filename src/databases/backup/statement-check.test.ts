// Tests of the judge: what reads, writes or runs something in any statement that could carry it, in whatever
// spelling, never reaches PostgreSQL.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { makeTemp } from '../../../test/support/temp.ts'
import { startTemporary } from '../../postgres/embedded/index.ts'
import { Admin, Copying, withRestoreRole } from '../../postgres/index.ts'
import { type StatementCheck, statementCheckOf } from './statement-check.ts'

let server: Awaited<ReturnType<typeof startTemporary>>
let connection: Copying
let judge: StatementCheck

before(async () => {
  server = await startTemporary()
  connection = await Copying.connect({ ...server, database: 'postgres' })
  judge = await statementCheckOf(connection)
})
after(async () => {
  await connection.close()
  await server.stop()
})

const SECRET = '/etc/passwd'

/** Statements that hold an expression. */
const carriers: Readonly<Record<string, (expression: string) => string>> = {
  default: (e) => `CREATE TABLE x (id integer, c text DEFAULT ${e});`,
  'default of pg_dump': (e) => `ALTER TABLE ONLY public.x ALTER COLUMN c SET DEFAULT ${e};`,
  generated: (e) => `CREATE TABLE x (c text, d text GENERATED ALWAYS AS (${e}) STORED);`,
  check: (e) => `CREATE TABLE public.x (\n    c text,\n    CONSTRAINT k CHECK ((${e} IS NOT NULL))\n);`,
  'check of a column': (e) => `CREATE TABLE x (c text CHECK (${e} <> ''));`,
  'later check': (e) => `ALTER TABLE x ADD CONSTRAINT k CHECK ((c <> ${e}));`,
  index: (e) => `CREATE INDEX i ON x USING btree ((${e}));`,
  'element of an index': (e) => `CREATE UNIQUE INDEX i ON public.x USING btree (c, ${e});`,
  'partial index': (e) => `CREATE INDEX i ON x USING btree (c) WHERE (${e} = c);`,
  exclusion: (e) => `ALTER TABLE x ADD CONSTRAINT k EXCLUDE USING gist ((${e}) WITH =);`,
  rows: (e) => `CREATE TABLE x AS SELECT ${e} AS c;`,
  values: (e) => `CREATE TABLE x (c) AS VALUES (${e});`,
  rule: (e) => `CREATE RULE r AS ON INSERT TO x DO ALSO SELECT ${e};`,
  policy: (e) => `CREATE POLICY p ON x USING (${e} IS NULL);`,
  matview: (e) => `CREATE MATERIALIZED VIEW v AS SELECT ${e} AS c;`,
  domain: (e) => `CREATE DOMAIN d AS text CHECK (${e} IS NOT NULL);`,
  statistics: (e) => `CREATE STATISTICS s ON (${e}), c FROM x;`,
  partition: (e) => `CREATE TABLE x (c text) PARTITION BY LIST ((${e}));`,
  copy: (e) => `COPY (SELECT ${e}) TO PROGRAM 'id';`,
  option: (e) => `CREATE SEQUENCE s START ${e};`,
  comment: (e) => `COMMENT ON TABLE x IS ${e};`,
  counter: (e) => `SELECT pg_catalog.setval('x', ${e}, true);`,
}

/** Functions with effects, or that reveal facts about the server; each with texts as arguments. */
const functions: readonly (readonly [name: string, ...texts: string[]])[] = [
  ['pg_read_file', SECRET],
  ['pg_ls_dir', '.'],
  ['lo_import', SECRET],
  ['lo_export', '1', '/tmp/comptoir-judged'],
  ['query_to_xml', 'DROP TABLE x', 'true', 'true', ''],
  ['table_to_xml', 'pg_authid', 'true', 'true', ''],
  ['database_to_xml', 'true', 'true', ''],
  ['set_config', 'session_authorization', 'default', 'false'],
  ['current_setting', 'data_directory'],
  ['pg_terminate_backend', '1'],
  ['pg_sleep', '1000'],
  ['dblink', 'dbname=other', 'SELECT 1'],
  ['repeat', 'x', '1000000000'],
  ['xpath', '/x', '<x/>'],
]

const list = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ')

/** Ways to write a call. */
const spellings: Readonly<Record<string, (name: string, texts: readonly string[]) => string>> = {
  plain: (name, texts) => `${name}(${list(texts)})`,
  upper: (name, texts) => `${name.toUpperCase()} (${list(texts)})`,
  quoted: (name, texts) => `"${name}"(${list(texts)})`,
  qualified: (name, texts) => `pg_catalog.${name}(${list(texts)})`,
  'qualified in quotes': (name, texts) => `"pg_catalog" . "${name}" (${list(texts)})`,
  'of a record': (name, texts) => `('${texts[0]}'::text).${name}`,
  'of a column': (name) => `(c).${name}`,
  'of a row': (name) => `x.${name}`,
  'of a row in quotes': (name) => `x."${name}"`,
  'of brackets': (name) => `(ARRAY[c])[1].${name}`,
  'behind a text that goes on': (name, texts) => `E'a'\n'\\' || ${name}(${list(texts)}) || '`,
  'behind a text with a backslash': (name, texts) => `'\\' || ${name}(${list(texts)}) || '\\'`,
  'behind an escaped text': (name, texts) => `E'a''\\'' || ${name}(${list(texts)}) || ''`,
  'by numbers': (name, texts) =>
    `U&"${[...name].map((sign) => `\\${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"(${list(texts)})`,
  'with a comment': (name, texts) => `${name}/**/(${list(texts)})`,
  'with a comment of a line': (name, texts) => `${name}--\n(${list(texts)})`,
  'with a strange blank': (name, texts) => `${name}\v\f(${list(texts)})`,
  'in dollars': (name, texts) => `${name}(${texts.map((text) => `$$${text}$$`).join(', ')})`,
  selected: (name, texts) => `(SELECT ${name}(${list(texts)}))`,
  'as a table': (name, texts) => `ARRAY(SELECT * FROM ${name}(${list(texts)}))`,
  'inside of a harmless one': (name, texts) => `lower(COALESCE(c, ${name}(${list(texts)})))`,
  'in a branch': (name, texts) => `CASE WHEN true THEN ${name}(${list(texts)}) ELSE c END`,
  'as a name of a function': (name) => `'${name}'::regproc`,
  'as another type': (name) => `CAST('${name}' AS regprocedure)`,
  variadic: (name, texts) => `${name}(VARIADIC ARRAY[${list(texts)}])`,
  'in a slice': (name, texts) => `('{1}'::int[])[1:${name}(${list(texts)})]`,
}

/** Expressions that read or run something without being a call by name. */
const others = [
  `xmlparse(document '<!DOCTYPE x [<!ENTITY e SYSTEM "file://${SECRET}">]><x>&e;</x>')`,
  `XMLPARSE(CONTENT c)`,
  `xml '<!DOCTYPE x [<!ENTITY e SYSTEM "file://${SECRET}">]><x>&e;</x>'`,
  `'<x/>'::xml`,
  `CAST(c AS xml)`,
  `c::pg_catalog.xml`,
  `xmlserialize(content c as text)`,
  `(c OPERATOR(pg_catalog.||) c)`,
  `(SELECT rolpassword FROM pg_authid LIMIT 1)`,
  `(TABLE pg_authid)`,
  `EXISTS (TABLE pg_authid)`,
  `c::regclass::oid`,
  `current_user`,
  `session_user`,
  `regclass 'pg_authid'`,
  `c COLLATE "de_DE".x`,
  `(c, c)::pg_authid`,
  `ROW(c)`,
  `json_table(c, '$')`,
  `$1`,
  `'a' 'b'`,
  `b'1' || c`,
  `count(*) OVER ()`,
  `c; DROP TABLE x`,
  `c) ; SELECT (1`,
]

test('no call with effects passes, whatever carries it and however it is written', () => {
  let tried = 0
  for (const [carrier, carry] of Object.entries(carriers))
    for (const [spelling, spell] of Object.entries(spellings))
      for (const [name, ...texts] of functions) {
        const statement = carry(spell(name, texts))
        if (judge(statement) === null) assert.fail(`${carrier}, ${spelling}: ${statement}`)
        tried++
      }
  for (const [carrier, carry] of Object.entries(carriers))
    for (const expression of others)
      assert.notEqual(judge(carry(expression)), null, `${carrier}: ${expression}`)
  assert.ok(tried > 5000)
})

test('no other kind of statement passes', () => {
  for (const statement of [
    'DROP TABLE x;',
    'SET ROLE comptoir;',
    "SET session_replication_role = 'replica';",
    'RESET SESSION AUTHORIZATION;',
    "SELECT pg_catalog.set_config('role', 'none', false);",
    "SELECT pg_catalog.lo_create('1');",
    "SELECT pg_catalog.setval('x', 1, true), pg_read_file('/etc/passwd');",
    'CREATE ROLE intruder SUPERUSER;',
    'ALTER ROLE comptoir_restore SUPERUSER;',
    'GRANT pg_read_server_files TO comptoir_restore;',
    'ALTER TABLE x OWNER TO comptoir;',
    'ALTER TABLE x ENABLE ROW LEVEL SECURITY;',
    'ALTER TABLE x ADD COLUMN c xml;',
    'ALTER TABLE x INHERIT y;',
    'ALTER TABLE pg_authid ADD CONSTRAINT k CHECK (true);',
    'ALTER TABLE pg_catalog.x ADD CONSTRAINT k CHECK (true);',
    'CREATE TABLE x (c xml);',
    'CREATE TABLE x (c regproc);',
    'CREATE TABLE x (c other.type);',
    'CREATE TABLE x (LIKE pg_authid);',
    'CREATE TABLE x (c integer) INHERITS (y);',
    'CREATE TABLE x (c integer) TABLESPACE t;',
    'CREATE TABLE x OF y;',
    'CREATE TABLE other.x (c integer);',
    'CREATE TEMP TABLE x (c integer);',
    'CREATE UNLOGGED TABLE x (c integer);',
    'CREATE FOREIGN TABLE x (c integer) SERVER s;',
    'CREATE EVENT TRIGGER t ON ddl_command_end EXECUTE FUNCTION f();',
    'CREATE INDEX i ON x USING evil (c);',
    'CREATE INDEX i ON x USING btree (c) TABLESPACE t;',
    'CREATE INDEX CONCURRENTLY i ON x USING btree (c);',
    "CREATE INDEX i ON x USING btree (c) WITH (fillfactor = (pg_read_file('x')));",
    'CREATE EXTENSION IF NOT EXISTS plperl;',
    'CREATE EXTENSION IF NOT EXISTS pg_trgm CASCADE;',
    'CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA pg_catalog;',
    'CREATE OPERATOR + (FUNCTION = pg_read_file, RIGHTARG = text);',
    'CREATE CAST (text AS bytea) WITH FUNCTION pg_read_file(text);',
    'CREATE SUBSCRIPTION s CONNECTION $$x$$ PUBLICATION p;',
    'CREATE SERVER s FOREIGN DATA WRAPPER postgres_fdw;',
    'COMMENT ON ROLE comptoir IS NULL;',
    "COMMENT ON TABLE x IS 'a' 'b';",
    "COPY x FROM '/etc/passwd';",
    "COPY x FROM PROGRAM 'id';",
    'DO $$ BEGIN END $$;',
    'LISTEN x;',
    "LOAD 'x';",
    'VACUUM;',
    'CREATE TABLE x (c integer); DROP TABLE y;',
    'CREATE TABLE x (c integer)\\gexec',
    '',
    ';',
    `CREATE TABLE x (c text DEFAULT 'a`,
    `CREATE TABLE x (c text DEFAULT (a);`,
    `CREATE TABLE x (c text DEFAULT a));`,
    `CREATE TABLE x (${'c text, '.repeat(8000)}d text);`,
  ])
    assert.notEqual(judge(statement), null, statement)
})

test('what modules and the tool of PostgreSQL write passes', () => {
  for (const statement of [
    "CREATE TABLE public.x (\n    id integer NOT NULL,\n    name character varying(64),\n    at timestamp(6) without time zone DEFAULT now(),\n    price numeric(16,2) DEFAULT 0.0 NOT NULL,\n    tags text[],\n    CONSTRAINT k CHECK (((name)::text <> ''::text))\n);",
    "CREATE TABLE x (at timestamp with time zone DEFAULT (now() AT TIME ZONE 'UTC'::text), n double precision DEFAULT '-1'::integer);",
    'ALTER TABLE public.x ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (\n    SEQUENCE NAME public.x_id_seq\n    START WITH 1\n    INCREMENT BY 1\n    NO MINVALUE\n    NO MAXVALUE\n    CACHE 1\n);',
    "ALTER TABLE ONLY public.x ALTER COLUMN id SET DEFAULT nextval('public.x_id_seq'::regclass);",
    'ALTER SEQUENCE public.x_id_seq OWNED BY public.x.id;',
    'ALTER TABLE ONLY public.x\n    ADD CONSTRAINT x_y_fkey FOREIGN KEY (y_id) REFERENCES public.y(id) ON DELETE SET NULL;',
    'ALTER TABLE x ADD CONSTRAINT k UNIQUE NULLS NOT DISTINCT (a, "order");',
    "CREATE INDEX i ON public.x USING gin (((name ->> 'en_US'::text)) public.gin_trgm_ops) WITH (gin_pending_list_limit='512');",
    "CREATE UNIQUE INDEX i ON x USING btree (a, COALESCE(b, ''::text), lower((c)::text) text_pattern_ops DESC NULLS LAST) INCLUDE (d) WHERE (active AND (state = ANY (ARRAY['a'::text, 'b'::text])));",
    "ALTER TABLE x ADD CONSTRAINT k CHECK (((a >= 0) AND (a <= (100)::numeric) AND (name !~~ '% %'::text) AND (b IS DISTINCT FROM c)));",
    "COMMENT ON TABLE x IS E'it''s a \\\\ -- /* $$ (c).pg_read_file';",
    `CREATE TABLE x ("select" text, "pg_read_file" text COLLATE "C" DEFAULT 'pg_read_file(''x'')'::text);`,
  ])
    assert.equal(judge(statement), null, statement)
})

test('the role of restores holds where the judge would not: nothing is read or written by any call', async () => {
  const admin = new Admin(server)
  const temp = makeTemp('judged')
  const draft = '_comptoir_draft_restore_test'
  await admin.createDatabase(draft)
  const others = [
    "SELECT pg_read_file('/etc/hostname')",
    "SELECT lo_import('/etc/hostname')",
    "SELECT lo_export(lo_from_bytea(0, 'x'), '/tmp/comptoir-judged')",
  ]
  // A file that every account of the machine may read, recognized by its content in any output of the server.
  const secret = join(temp.path, 'secret.txt')
  writeFileSync(secret, 'what the machine keeps', { mode: 0o644 })
  const xml = `SELECT xmlparse(document '<!DOCTYPE x [<!ENTITY e SYSTEM "${pathToFileURL(secret)}">]><x>&e;</x>')::text`
  await withRestoreRole({ pool: server, restorer: server.restorer }, draft, async (address) => {
    const restorer = await Copying.connect(address)
    try {
      const all = [
        ...others,
        "SELECT query_to_xml('SELECT rolpassword FROM pg_authid', true, true, '')",
        "COPY (SELECT 1) TO '/tmp/comptoir-judged'",
        'SET ROLE comptoir_server',
        'SET SESSION AUTHORIZATION comptoir',
        'CREATE EXTENSION dblink',
        'ALTER DATABASE postgres RENAME TO other',
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'comptoir_server'`,
      ]
      for (const statement of all)
        await assert.rejects(restorer.query(statement), { code: '42501' }, statement)
      // Entities are not followed; a server that is built without XML refuses it all.
      const rows = await restorer.query(xml).catch(() => [])
      assert.doesNotMatch(String(rows), /what the machine keeps/)
      await restorer.query('CREATE TABLE made (id int)')
    } finally {
      await restorer.close()
    }
  })
  const connection = await Copying.connect({ ...server, database: draft })
  assert.deepEqual(
    await connection.query("SELECT tableowner::text FROM pg_tables WHERE tablename = 'made'"),
    [['comptoir_server']],
  )
  await connection.close()
  const again = await Copying.connect({ ...server, ...server.restorer, database: draft })
  await assert.rejects(again.query('CREATE TABLE more (id int)'), { code: '42501' })
  await again.close()
  temp.remove()
})
