// A roll under load, with processes: an old and a new node write while the database is expanded, migrated by
// a command that is killed again and again, and contracted when the old node is gone.
// `node test/machines/rolling.ts --records 100000 --kills 5`. `--pooled`: nodes and steps reach PostgreSQL
// through PgBouncer, which lends connections to transactions; `--force`: the database is contracted although
// the old node serves and is written to.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { startEmbedded } from '../../src/postgres/embedded/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { raw } from '../../src/sql/index.ts'
import { first, second } from '../fixtures/modules/rolling/index.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { root, type Served, serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
import { eachWrites } from '../support/writers.ts'

const CLIENTS = 4
const base = modules.filter(({ name }) => name === 'base')
const addon = (name: string) => join(root, `test/fixtures/modules/rolling/releases/${name}.ts`)

/** A step as a command; killed after a while where that is asked for. Gives its exit code, null when killed. */
async function step(
  name: string,
  { killAfterMs, force = false }: { readonly killAfterMs?: number; readonly force?: boolean } = {},
): Promise<{ code: number | null; output: string; seconds: number }> {
  const begun = performance.now()
  const args = [
    'module',
    'upgrade',
    '--database',
    'test',
    '--step',
    name,
    ...(force ? ['--force'] : []),
    ...way,
    '--addons',
    addon('second'),
  ]
  const child = spawn(process.execPath, [join(root, 'bin/comptoir.js'), ...args], {
    stdio: 'pipe',
    env: { ...process.env, COMPTOIR_DATA_DIR: nodeDir.path },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  const code = await new Promise<number | null>((done) => child.once('close', done))
  clearTimeout(timer)
  return { code, output: output.trim(), seconds: (performance.now() - begun) / 1000 }
}

const ground = makeDataDir('rolling')
const used = [ground]
const nodeDir = makeDataDir('rolling-node')
const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '3' },
    pooled: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
})
const [records, kills] = [Number(options.records), Number(options.kills)]
const embedded = await startEmbedded({ dataDir: ground.path, durable: true, log: () => undefined })
const url = `postgres://${embedded.user}:${embedded.password}@${embedded.host}:${embedded.port}/`
const pooler = options.pooled
  ? await startPgBouncer(embedded, {
      mode: 'transaction',
      size: 8,
      settings: { ignore_startup_parameters: 'options' },
    })
  : null
const way = pooler
  ? ['--database-url', pooler.url, '--pooler', 'transaction', '--direct-url', url]
  : ['--database-url', url]
const served: Served[] = []
/** Count of each message, with its numbers removed. */
const counted = (lines: readonly string[]) =>
  Object.fromEntries(
    [...Map.groupBy(lines, (line) => line.slice(0, 160).replaceAll(/\d{4,}/g, '…'))].map(([line, all]) => [
      line,
      all.length,
    ]),
  )
try {
  const databases = await Databases.open({
    dataDir: nodeDir.path,
    databaseUrl: url,
    modules: [...base, first],
  })
  await databases.create('test', { modules: ['base', 'rolling'] })
  const key = await createKey(databases, 'test', 'admin', { scope: null, name: 'load', days: 1 })
  await (await databases.database('test')).system((env) =>
    env.query(
      raw(
        `INSERT INTO rolling_note (label, amount) SELECT 'before ' || n, n FROM generate_series(1, ${records}) n`,
      ),
    ),
  )
  await databases.close()

  const node = async (release: string) => {
    const dir = makeDataDir(`rolling-${release}`)
    used.push(dir)
    const server = await serve(dir.path, [...way, '--addons', addon(release)])
    served.push(server)
    return server
  }
  const old = await node('first')
  const writers = (server: Served, field: string) =>
    Array.from({ length: CLIENTS }, (_, i) =>
      eachWrites(server, key, 'rolling.note', (n) => ({ [field]: `${field} ${i} ${n}`, amount: n })),
    )
  const before = writers(old, 'label')
  await sleep(1000)
  const expanded = await step('expand')
  const fresh = await node('second')
  const later = writers(fresh, 'title')
  let killed = 0
  for (let i = 0; i < kills; i++)
    if ((await step('migrate', { killAfterMs: 2000 + Math.random() * 2000 })).code === null) killed++
  const migrated = await step('migrate')
  const refused = await step('contract')
  const end = async () => {
    const all = await Promise.all(before.map((load) => load.stop()))
    await old.stop()
    return all
  }
  const ended = options.force ? null : await end()
  const contracted = await step('contract', { force: options.force })
  const wrote = ended ?? (await end())
  const alsoWrote = await Promise.all(later.map((load) => load.stop()))

  const after = await Databases.open({
    dataDir: nodeDir.path,
    databaseUrl: url,
    modules: [...base, second({ seen: 0, failsAt: 0 })],
  })
  const [row] = await (await after.database('test')).system((env) =>
    env.query(
      raw(
        `SELECT array_agg(id), count(*) FILTER (WHERE title IS NULL OR double IS DISTINCT FROM amount * 2 OR state IS NULL)::int FROM rolling_note`,
      ),
    ),
  )
  await after.close()
  const existingIds = new Set(row?.[0] as number[])
  const all = [...wrote, ...alsoWrote]
  const acknowledged = all.flatMap(({ ids }) => ids)
  console.log(
    JSON.stringify(
      {
        records,
        acknowledged: {
          old: wrote.flatMap(({ ids }) => ids).length,
          new: alsoWrote.flatMap(({ ids }) => ids).length,
        },
        lost: acknowledged.filter((id) => !existingIds.has(id)).length,
        beyond: existingIds.size - records - acknowledged.length,
        notMigrated: row?.[1],
        refusals: {
          old: counted(wrote.flatMap(({ wrong }) => wrong)),
          new: counted(alsoWrote.flatMap(({ wrong }) => wrong)),
        },
        longestAnswerMs: {
          old: Math.max(...wrote.map((load) => load.longestMs)),
          new: Math.max(...alsoWrote.map((load) => load.longestMs)),
        },
        killed,
        steps: Object.fromEntries(
          Object.entries({ expanded, migrated, refused, contracted }).map(
            ([name, { code, seconds, output }]) => [
              name,
              `${code} after ${seconds.toFixed(1)} s: ${output.slice(0, 160)}`,
            ],
          ),
        ),
      },
      undefined,
      2,
    ),
  )
} finally {
  for (const server of served) await server.stop()
  await pooler?.stop()
  await embedded.stop()
  for (const { remove } of [...used, nodeDir]) remove()
}
