// Long test of point-in-time recovery: many clients write to a server that archives, which is killed
// repeatedly together with its PostgreSQL and restored to random moments by the command line. Changes
// acknowledged before the moment must be present, changes begun after it absent. At the end everything
// must be present and verified.
// npm run recovery [-- --rounds 5 --writers 8 --moments 4]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { manageEmbedded, startEmbedded } from '../../src/postgres/embedded/index.ts'
import { Connection } from '../../src/postgres/index.ts'
import { comptoir, type Served, serve } from '../support/serve.ts'
import { makeDataDir, makeTemp } from '../support/temp.ts'

/** A call that was answered with 200. */
interface Acknowledged {
  readonly name: string
  readonly begun: number
  readonly answered: number
}

const database = 'comptoir'

class Writers {
  readonly acknowledged: Acknowledged[] = []
  url = ''
  #running = true
  readonly #all: Promise<void>[]

  constructor(count: number, key: string) {
    this.#all = Array.from({ length: count }, (_, i) => this.#write(i, key))
  }

  async stop(): Promise<void> {
    this.#running = false
    await Promise.all(this.#all)
  }

  async #write(writer: number, key: string): Promise<void> {
    const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json' }
    for (let i = 0; this.#running; i++) {
      const name = `${writer}-${i}`
      const content = Buffer.from(`content of ${name}`).toString('base64')
      const begun = Date.now()
      const answer = await fetch(`${this.url}/json/2/ir.attachment/create`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ vals_list: [{ name, datas: content }] }),
        signal: AbortSignal.timeout(20_000),
      }).catch(() => null)
      if (answer?.status === 200) this.acknowledged.push({ name, begun, answered: Date.now() })
      await answer?.text().catch(() => '')
      await sleep(answer ? 5 : 100)
    }
  }
}

/**
 * Returns a line for each attachment that is missing from a restored directory, or should not be in it.
 */
async function judge(dataDir: string, all: readonly Acknowledged[], moment: number): Promise<string[]> {
  const server = await startEmbedded({ dataDir, log: () => undefined })
  try {
    const connection = await Connection.connect({ ...server, database })
    const rows = await connection.query('SELECT name, store_fname FROM ir_attachment WHERE name ~ $1', [
      '^[0-9]+-[0-9]+$',
    ])
    await connection.close()
    const keysByName = new Map(rows.map(([name, key]) => [String(name), String(key)]))
    const wrong: string[] = []
    for (const { name, begun, answered } of all) {
      const key = keysByName.get(name)
      if (answered < moment && key === undefined) wrong.push(`${name} was acknowledged and is lost`)
      if (begun > moment && key !== undefined) wrong.push(`${name} came later and is there`)
      if (key === undefined) continue
      const content = readFileSync(join(dataDir, 'filestore', database, key), 'utf8')
      if (content !== `content of ${name}`) wrong.push(`${name} has another content`)
    }
    return wrong
  } finally {
    await server.stop()
  }
}

interface Size {
  readonly rounds: number
  readonly writers: number
  readonly moments: number
}

async function main({ rounds, writers: count, moments }: Size): Promise<boolean> {
  const [data, backup, restored] = [makeDataDir('recovered'), makeTemp('backup'), makeTemp('restored')]
  const folder = join(backup.path, 'shop')
  const settings = ['--backup-dir', folder, '--backup-wal-seconds', '5']
  let served: Served | undefined
  try {
    served = await serve(data.path, settings)
    const writers = new Writers(count, served.said('API key'))
    for (let round = 0; round < rounds; round++) {
      writers.url = served.url
      await sleep(4000)
      const { pid } = await manageEmbedded(data.path)
      process.kill(pid, 'SIGKILL')
      if (round % 2) process.kill(-served.pid, 'SIGKILL')
      else await served.stop()
      served = await serve(data.path, settings)
    }
    writers.url = served.url
    await sleep(3000)
    await writers.stop()
    const { output } = await comptoir('backup', 'point', 'end', '--data-dir', data.path)
    await sleep(2000)
    await served.stop()
    const all = writers.acknowledged
    console.log(`${all.length} writes acknowledged, ${rounds} kills; ${output.trim()}`)
    const listed = JSON.parse((await comptoir('backup', 'list', '--json', '--backup-dir', folder)).output)
    const first = Date.parse(listed.bases[0].ended)
    const last = all.at(-1)?.answered ?? first
    const wrong: string[] = []
    for (let i = 0; i < moments; i++) {
      const moment = Math.floor(first + Math.random() * (last - first))
      const at = join(restored.path, `at-${i}`)
      const to = new Date(moment).toISOString()
      const began = performance.now()
      const said = await comptoir('backup', 'restore', at, '--backup-dir', folder, '--to', to)
      if (said.code !== 0) wrong.push(`${to}: ${said.output}`)
      else wrong.push(...(await judge(at, all, moment)))
      console.log(`${to}: ${((performance.now() - began) / 1000).toFixed(1)} s, ${wrong.length} wrong`)
    }
    const whole = join(restored.path, 'whole')
    const said = await comptoir('backup', 'restore', whole, '--backup-dir', folder)
    console.log(said.output.trim())
    if (said.code === 0) wrong.push(...(await judge(whole, all, Number.POSITIVE_INFINITY)))
    else wrong.push('not restored to the end')
    const verified = await comptoir('backup', 'verify', '--backup-dir', folder, '--in', restored.path)
    console.log(verified.output.trim())
    for (const line of wrong.slice(0, 20)) console.log(line)
    console.log(`${wrong.length} wrong`)
    return wrong.length === 0 && verified.code === 0
  } finally {
    await served?.stop()
    for (const temp of [data, backup, restored]) temp.remove()
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    writers: { type: 'string', default: '8' },
    moments: { type: 'string', default: '4' },
  },
})
const size = {
  rounds: Number(values.rounds),
  writers: Number(values.writers),
  moments: Number(values.moments),
}
process.exitCode = (await main(size)) ? 0 : 1
