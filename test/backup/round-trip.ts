// A database of some size is backed up, dropped and restored: its contents must be the same, table by table
// and through the API, and the memory that this takes must not grow with it.
// npm run backup-bench [-- --partners 100000 --attachments 1000 --bytes 200000 --format zip]
import { createHash, hash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { filesDirectory } from '../../src/databases/filestore.ts'
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules } from '../../src/main.ts'
import { passingTables } from '../../src/models/changes/tables.ts'
import { createKey } from '../../src/services/admin.ts'
import { id, sql } from '../../src/sql/index.ts'
import { makeDataDir } from '../support/temp.ts'

export interface Size {
  readonly partners: number
  readonly attachments: number
  /** Of each attachment; contents are random, so that nothing compresses them away. */
  readonly bytes: number
  readonly format: 'zip' | 'dump'
}

export interface Outcome {
  /** Tables whose rows differ, and files whose contents do. Must be empty. */
  readonly different: readonly string[]
  /** Whether partners and attachments read the same through the API. */
  readonly sameByApi: boolean
  readonly tables: number
  readonly files: number
  readonly backupBytes: number
  /** Highest growth of the server's memory during the backup, in bytes. */
  readonly backupGrowth: number
  readonly restoreGrowth: number
  readonly backupSeconds: number
  readonly restoreSeconds: number
}

const NAME = 'big'

async function fill(databases: Databases, { partners, attachments, bytes }: Size): Promise<void> {
  const database = await databases.database(NAME)
  // By the model's own path, in portions: every stored value is what an application would have stored.
  const portion = 1000
  for (let from = 0; from < partners; from += portion) {
    const list = Array.from({ length: Math.min(portion, partners - from) }, (_, n) => ({
      name: `Partner ${from + n} ☃ "quoted" \\ tab\t`,
      email: `partner${from + n}@example.com`,
      comment: `<p>Line one</p>\n<p>${'long '.repeat(20)}</p>`,
    }))
    await database.system(async (env) => void (await env.model('res.partner').create(list as never)))
  }
  for (let n = 0; n < attachments; n++) {
    const content = randomBytes(bytes)
    await database.system(async (env) => {
      const values = {
        name: `file ${n}`,
        raw: content.toString('base64'),
        res_model: 'res.partner',
        res_id: 1,
      }
      await env.model('ir.attachment').create([values] as never)
    })
  }
}

/**
 * Tables that are not restored: sessions, failed logins, answers kept for retries and the feed's
 * identity belong to one database only.
 */
const staying: ReadonlySet<string> = new Set([
  'browser_session',
  'failed_login',
  'comptoir_feed',
  ...passingTables,
])

/** A hash of the rows of every table, whatever their order, and of every file. */
async function digests(databases: Databases): Promise<{ tables: number; digests: Map<string, string> }> {
  const database = await databases.database(NAME)
  const digests = await database.system(async (env) => {
    const tables = await env.query(
      sql`SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
    )
    const digests = new Map<string, string>()
    for (const [table] of tables as [string][]) {
      if (staying.has(table)) continue
      const [row] = await env.query(
        sql`SELECT count(*)::text || ' ' || COALESCE(md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))), '') FROM ${id(table)} t`,
      )
      digests.set(table, String(row?.[0]))
    }
    return digests
  })
  const tables = digests.size
  const files = filesDirectory(databases.options.dataDir, NAME)
  for (const name of await readdir(files, { recursive: true })) {
    const path = join(files, name)
    if ((await stat(path)).isFile()) digests.set(name, hash('sha256', await readFile(path)))
  }
  return { tables, digests }
}

/** A hash of what an administrator reads of partners and attachments, and of the contents of some. */
async function readByApi(databases: Databases, key: string): Promise<string> {
  const server = await createServer({ databases })
  const all = createHash('sha256')
  try {
    const call = async (
      model: string,
      body: { readonly limit: number; readonly offset: number; readonly fields: readonly string[] },
    ) => {
      const headers = {
        authorization: `bearer ${key}`,
        'content-type': 'application/json',
        'x-service-database': NAME,
      }
      const answer = await fetch(`${server.url}/json/2/${model}/search_read`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ domain: [], order: 'id', ...body }),
      })
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`${model}: ${answer.status} ${text.slice(0, 300)}`)
      all.update(text)
      return (JSON.parse(text) as unknown[]).length
    }
    for (const [model, fields, limit] of [
      ['res.partner', ['name', 'email', 'comment', 'display_name', 'create_date'], 5000],
      ['ir.attachment', ['name', 'checksum', 'mimetype', 'file_size'], 5000],
    ] as const) {
      for (let offset = 0; ; offset += limit)
        if ((await call(model, { fields, limit, offset })) < limit) break
    }
    await call('ir.attachment', { fields: ['name', 'datas'], limit: 20, offset: 0 })
    return all.digest('hex')
  } finally {
    await server.close()
  }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Objects and buffers of this process, in bytes: not what the allocator keeps for later. */
const held = () => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Runs work and gives how long it took and how much more was held meanwhile than before. */
async function measured(work: () => Promise<unknown>): Promise<{ growth: number; seconds: number }> {
  collect()
  const before = held()
  let most = before
  // Garbage is not held: how much of it waits depends on what else the machine does.
  const look = () => {
    if (held() <= most) return
    collect()
    most = Math.max(most, held())
  }
  const watch = setInterval(look, 20)
  const began = performance.now()
  try {
    await work()
  } finally {
    clearInterval(watch)
    look()
  }
  return { growth: most - before, seconds: (performance.now() - began) / 1000 }
}

/** One round in a directory of its own. */
export async function roundTrip(size: Size): Promise<Outcome> {
  const temp = makeDataDir('round-trip')
  let databases: Databases | undefined
  try {
    const opened = await Databases.open({ dataDir: temp.path, modules, durable: false })
    databases = opened
    await opened.create(NAME)
    await fill(opened, size)
    const key = await createKey(opened, NAME, 'admin', { scope: null, name: 'bench', days: 1 })
    const seenBefore = await readByApi(opened, key)
    const before = await digests(opened)
    const file = join(temp.path, `backup.${size.format}`)
    const backup = await measured(async () =>
      pipeline(await opened.backup(NAME, size.format, '19.0'), createWriteStream(file)),
    )
    await opened.drop(NAME)
    if ((await opened.list()).length) throw new Error('The database is still there.')
    const restore = await measured(() => opened.restore(NAME, file))
    const after = await digests(opened)
    const seenAfter = size.format === 'zip' ? await readByApi(opened, key) : seenBefore
    return {
      different: [...new Set([...before.digests.keys(), ...after.digests.keys()])].filter(
        (name) => before.digests.get(name) !== after.digests.get(name),
      ),
      sameByApi: seenBefore === seenAfter,
      tables: before.tables,
      files: before.digests.size - before.tables,
      backupBytes: (await stat(file)).size,
      backupGrowth: backup.growth,
      restoreGrowth: restore.growth,
      backupSeconds: backup.seconds,
      restoreSeconds: restore.seconds,
    }
  } finally {
    await databases?.close()
    temp.remove()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      partners: { type: 'string', default: '100000' },
      attachments: { type: 'string', default: '1000' },
      bytes: { type: 'string', default: '200000' },
      format: { type: 'string', default: 'zip' },
    },
  })
  const format = values.format === 'dump' ? 'dump' : 'zip'
  const size = {
    partners: Number(values.partners),
    attachments: Number(values.attachments),
    bytes: Number(values.bytes),
    format,
  } as const
  const outcome = await roundTrip(size)
  console.log(JSON.stringify({ ...size, ...outcome }, null, 2))
  if (outcome.different.length || !outcome.sameByApi) process.exitCode = 1
}
