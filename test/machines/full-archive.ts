// The disk of the backups fills while a shop is in use: checks the answers of callers and health checks
// meanwhile, that everything is archived once there is space, and the result of PostgreSQL's own
// pg_verifybackup for the base backup. Mounts a small disk in memory: Linux, as root. `node
// test/machines/full-archive.ts`
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbedded } from '../../src/postgres/embedded/index.ts'
import { Connection } from '../../src/postgres/index.ts'
import { installedServer } from '../external/server.ts'
import { comptoir, serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'

const MEGABYTES = 700
const WRITERS = 4
/**
 * Seconds of writes while the disk is full: longer than the delay after which a waiting segment is
 * reported.
 */
const FULL_SECONDS = 150

const temp = makeTemp('full-archive')
const [data, disk, restored] = ['data', 'disk', 'restored'].map((name) => join(temp.path, name)) as [
  string,
  string,
  string,
]
const folder = join(disk, 'backups')
const filler = join(disk, 'filler')

/** Writes attachments, each with a content, until stopped. */
class Writers {
  readonly acknowledged: string[] = []
  readonly answers: Record<string, number> = {}
  longestMs = 0
  #isOver = false
  readonly #all: Promise<void>[]

  constructor(url: string, key: string) {
    this.#all = Array.from({ length: WRITERS }, async (_, i) => {
      for (let n = 0; !this.#isOver; n++)
        await this.#write(`${url}/json/2/ir.attachment/create`, key, `${i}-${n}`)
    })
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#all)
  }

  async #write(url: string, key: string, name: string): Promise<void> {
    const datas = Buffer.from(`content of ${name}`.repeat(100)).toString('base64')
    const begun = performance.now()
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ vals_list: [{ name, datas }] }),
    })
    await answer.text()
    this.longestMs = Math.max(this.longestMs, Math.round(performance.now() - begun))
    this.answers[answer.status] = (this.answers[answer.status] ?? 0) + 1
    if (answer.status === 200) this.acknowledged.push(name)
    await sleep(20)
  }
}

function fill(): void {
  // Ends when there is no room.
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], { stdio: 'ignore' })
}

/** The result of the installed pg_verifybackup; versions before 17 read manifests of version 1 only. */
function verifyByPostgres(files: string): string {
  const bin = installedServer()
  if (!bin || !existsSync(join(bin, 'pg_verifybackup'))) return 'not installed'
  const tool = join(bin, 'pg_verifybackup')
  const major = Number(/ (\d+)\./.exec(execFileSync(tool, ['--version'], { encoding: 'utf8' }))?.[1])
  const ownManifest = join(files, 'backup_manifest')
  const manifest = join(temp.path, 'manifest')
  const text = readFileSync(ownManifest, 'utf8')
  writeFileSync(manifest, major < 17 ? versionOne(text) : text)
  // The log is in the archive instead of the backup.
  const { status, stderr, stdout } = spawnSync(tool, ['-n', '-m', manifest, files], { encoding: 'utf8' })
  return `pg_verifybackup ${major}: ${status} ${stdout}${stderr}`.trim()
}

function versionOne(text: string): string {
  const body = text
    .slice(0, text.lastIndexOf('"Manifest-Checksum"'))
    .replace('"PostgreSQL-Backup-Manifest-Version": 2', '"PostgreSQL-Backup-Manifest-Version": 1')
    .replace(/"System-Identifier": \d+,\n/, '')
  return `${body}"Manifest-Checksum": "${createHash('sha256').update(body).digest('hex')}"}\n`
}

const health = async (url: string) => (await fetch(`${url}/web/health?ready=1`)).text()
const walSize = (pgdata: string) =>
  readdirSync(join(pgdata, 'pg_wal'))
    .map((name) => statSync(join(pgdata, 'pg_wal', name)))
    .reduce((sum, { size }) => sum + size, 0) / 1e6

mkdirSync(disk)
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=0711`, 'tmpfs', disk])
try {
  const report: Record<string, unknown> = {}
  const settings = ['--backup-dir', folder, '--backup-wal-seconds', '5']
  const server = await serve(data, settings)
  try {
    const key = server.said('API key')
    while (!JSON.parse((await comptoir('backup', 'list', '--json', '--backup-dir', folder)).output).bases[0])
      await sleep(500)
    const writers = new Writers(server.url, key)
    await sleep(5000)
    report.before = await health(server.url)
    fill()
    const full = writers.acknowledged.length
    const { pgdata } = JSON.parse(readFileSync(join(data, 'postgres.json'), 'utf8'))
    const logBefore = walSize(join(data, pgdata))
    const base = await comptoir('backup', 'base', '--data-dir', data)
    report.baseWhileFull = `${base.code}: ${base.output.trim().slice(0, 300)}`
    report.remains = readdirSync(join(folder, 'base'))
    await sleep(FULL_SECONDS * 1000)
    report.whileFull = await health(server.url)
    report.writesWhileFull = writers.acknowledged.length - full
    report.logGrewMegabytes = Math.round(walSize(join(data, pgdata)) - logBefore)
    rmSync(filler)
    const began = performance.now()
    while (/warn/.test(await health(server.url)) && performance.now() - began < 300_000) await sleep(1000)
    report.secondsToBeWhole = Math.round((performance.now() - began) / 1000)
    report.after = await health(server.url)
    await writers.stop()
    report.acknowledged = writers.acknowledged.length
    report.answers = writers.answers
    report.longestMs = writers.longestMs
    await comptoir('backup', 'point', 'end', '--data-dir', data)
    await sleep(8000)
    report.log = server
      .output()
      .split('\n')
      .filter((line) => /ackup/.test(line))
      .map((line) => line.slice(0, 300))
    await server.stop()
    const said = await comptoir('backup', 'restore', restored, '--backup-dir', folder)
    report.restore = `${said.code}: ${said.output.trim().slice(0, 300)}`
    const restoredServer = await startEmbedded({ dataDir: restored, log: () => undefined })
    try {
      const connection = await Connection.connect({ ...restoredServer, database: 'comptoir' })
      const rows = await connection.query('SELECT name, store_fname FROM ir_attachment')
      await connection.close()
      const files = new Map(rows.map(([name, file]) => [String(name), String(file)]))
      const isThere = (name: string) =>
        files.has(name) && existsSync(join(restored, 'filestore', 'comptoir', files.get(name) as string))
      report.lost = writers.acknowledged.filter((name) => !isThere(name)).length
    } finally {
      await restoredServer.stop()
    }
    const [label] = readdirSync(join(folder, 'base')).sort()
    const files = join(folder, 'base', String(label), 'postgres')
    report.verified = verifyByPostgres(files)
    const victim = join(files, 'global', 'pg_filenode.map')
    chmodSync(victim, 0o600)
    const content = readFileSync(victim)
    content[content.length - 20] = (content[content.length - 20] ?? 0) ^ 1
    writeFileSync(victim, content)
    report.verifiedDamaged = verifyByPostgres(files)
  } finally {
    await server.stop()
  }
  console.log(JSON.stringify(report, undefined, 2))
} finally {
  execFileSync('umount', ['-l', disk])
  temp.remove()
}
