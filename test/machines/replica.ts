// Figures of a replica: processor time that reads no longer need on the primary server, whether callers
// see their writes and nothing older, and the effect of its death on calls. `node
// test/machines/replica.ts 5`
import { createClient, Position } from '../../src/client/index.ts'
import type { Server } from '../../src/main.ts'
import { installedServer } from '../external/server.ts'
import { openPlace, type Place } from './failover.ts'

const CLIENTS = 8
/** Calls of one measurement, and records that each of them reads. */
const CALLS = 2000
const ROWS = 80

type Reading = 'primary' | 'replica'

/** Counts which server answered. */
class Told {
  served = 0
  calls = 0
  readonly fetch: typeof fetch = async (...args) => {
    const answer = await fetch(...args)
    this.calls++
    if (answer.headers.get('preference-applied') === 'replica') this.served++
    return answer
  }
}

class Measured {
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  client(node: number, replica: Position | false, counts = new Told()) {
    const { url } = this.#place.nodes[node % this.#place.nodes.length] as Server
    const { key } = this.#place
    return createClient({ url, database: 'shop', key, replica, fetch: counts.fetch, retry: { attempts: 1 } })
  }

  async seed(): Promise<void> {
    const rows = Array.from({ length: 2000 }, (_, i) => ({ name: `Contact ${i}`, city: `City ${i % 50}` }))
    await this.client(0, false).untyped('res.partner').create(rows)
  }

  /** Seconds of the primary server's processor for so many reads, and the part that the replica answered. */
  async reads(reading: Reading): Promise<{ readonly seconds: number; readonly share: number }> {
    const counts = new Told()
    let left = CALLS
    const before = this.#place.pair.cpu.primary
    const client = async (i: number) => {
      const partners = this.client(i, reading === 'replica' && new Position(), counts).untyped('res.partner')
      while (left-- > 0)
        await partners.searchRead({
          domain: [['city', 'ilike', `${left % 10}`]],
          fields: ['name', 'city', 'email', 'country_id'],
          limit: ROWS,
        })
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)))
    return { seconds: this.#place.pair.cpu.primary - before, share: counts.served / counts.calls }
  }

  /**
   * Each client writes and reads what it wrote on another node, by a position or without one; `amid` happens
   * meanwhile.
   */
  async writes(rounds: number, withPosition: boolean, amid: () => Promise<void> = async () => undefined) {
    const counts = new Told()
    const report = { reads: 0, stale: 0, failed: [] as string[], share: 0 }
    let isOver = false
    const client = async (i: number) => {
      const position = new Position()
      for (let round = 0; round < rounds || !isOver; round++) {
        const ownPosition = withPosition ? position : new Position()
        const name = `Client ${i} ${round} ${withPosition} ${Math.random()}`
        try {
          await this.client(i, ownPosition).untyped('res.partner').create([{ name }])
          const shown = withPosition ? ownPosition : new Position()
          const partners = this.client(i + 1, shown, counts).untyped('res.partner')
          const rows = await partners.searchRead({ domain: [['name', '=', name]], fields: ['name'] })
          report.reads++
          if (rows.length !== 1) report.stale++
        } catch (error) {
          report.failed.push(String(error))
        }
      }
    }
    const clients = Array.from({ length: CLIENTS }, (_, i) => client(i))
    await amid()
    isOver = true
    await Promise.all(clients)
    return { ...report, share: counts.served / counts.calls }
  }
}

async function main(kills: number): Promise<void> {
  const folder = installedServer()
  if (!folder) throw new Error('This machine has no PostgreSQL of its own.')
  const place = await openPlace(folder)
  const measured = new Measured(place)
  const { pair } = place
  try {
    await measured.seed()
    await measured.reads('replica')
    for (let round = 0; round < 2; round++) {
      const [onPrimary, far] = [await measured.reads('primary'), await measured.reads('replica')]
      const back = (1 - far.seconds / onPrimary.seconds).toFixed(3)
      console.log(
        `${CALLS} reads: ${onPrimary.seconds} s of the primary server's processor, ${far.seconds} s with a replica: ${back} given back; the replica answered ${far.share.toFixed(3)}`,
      )
    }
    for (const withPosition of [true, false])
      console.log(withPosition ? 'with positions' : 'without', await measured.writes(100, withPosition))
    const amid = async () => {
      for (let kill = 0; kill < kills; kill++) {
        await pair.killStandby()
        await new Promise((resolve) => setTimeout(resolve, 2000))
        await pair.restartStandby()
        await new Promise((resolve) => setTimeout(resolve, 2000))
      }
    }
    console.log(`${kills} deaths of the replica`, await measured.writes(0, true, amid))
  } finally {
    await place.close()
  }
}

await main(Number(process.argv[2] ?? 5))
