// What reads cost: with everything beyond the documented API switched off, beside a server that has it and
// beside the one of another checkout; and values in the typed form beside the usual one.
import { postmasterOf } from '../../durability/processes.ts'
import { serve } from '../../support/serve.ts'
import { makeTemp } from '../../support/temp.ts'
import { type BenchCase, benchCases } from '../cases.ts'
import { cpuSeconds } from '../cpu.ts'
import { callerOf, fill } from '../data.ts'
import { type Load, measure } from '../measure.ts'
import { middle } from '../timed.ts'

export interface Size {
  readonly rounds: number
  /** Requests of a round. */
  readonly amount: number
  /** Another checkout, as it was before. */
  readonly before?: string | undefined
}

const PARTNERS = 2000
/** Requests until the compiler has seen a path, on either side. */
const WARM_UP = 1500

const caseNamed = (name: string) => benchCases.find((one) => one.name === name) as BenchCase
const list = caseNamed('search_read 80')
const web: BenchCase = {
  ...list,
  name: 'web_search_read 80',
  path: '/json/2/res.partner/web_search_read',
  body: (n) => ({
    domain: [['is_company', '=', false]],
    specification: {
      name: {},
      email: {},
      create_date: {},
      country_id: { fields: { display_name: {} } },
      user_id: { fields: { display_name: {} } },
    },
    limit: 80,
    offset: (n % 5) * 80,
  }),
}
/** Empties, pairs and moments beside texts. */
const mixed: BenchCase = {
  ...list,
  name: 'search_read 80, moments and empties',
  body: (n) => ({
    domain: [['is_company', '=', false]],
    fields: ['name', 'email', 'create_date', 'country_id', 'parent_id', 'user_id', 'comment', 'color'],
    limit: 80,
    offset: (n % 5) * 80,
  }),
}
const bare = [caseNamed('read one'), list]
const typed = [list, mixed, web]

interface Side {
  readonly load: Load
  readonly bench: BenchCase
}

interface Compared {
  /** Processor time of a request, of the server; and of PostgreSQL too. Less is better. */
  readonly cpu: number
  readonly allCpu: number
  /** Requests a second. More is better. */
  readonly speed: number
  /** Of the middle half of all rounds, the lowest and the highest of `cpu`. */
  readonly between: readonly [number, number]
}

/** One side by the other: the middle of rounds in turns, each begun by the other side than the one before. */
async function compared(a: Side, b: Side, { rounds, amount }: Size): Promise<Compared> {
  const run = ({ load, bench }: Side) => measure(load, bench, { amount })
  for (const { load, bench } of [a, b]) await measure(load, bench, { amount: WARM_UP })
  const found: { cpu: number; allCpu: number; speed: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 ? [b, a] : [a, b]
    const [one, other] = [await run(first), await run(second)]
    const [ofA, ofB] = round % 2 ? [other, one] : [one, other]
    found.push({
      cpu: ofA.cpu / ofB.cpu,
      allCpu: (ofA.cpu + ofA.postgresCpu) / (ofB.cpu + ofB.postgresCpu),
      speed: ofA.rps / ofB.rps,
    })
  }
  const cpus = found.map(({ cpu }) => cpu).sort((x, y) => x - y)
  const quarter = Math.floor(cpus.length / 4)
  return {
    cpu: middle(cpus),
    allCpu: middle(found.map(({ allCpu }) => allCpu)),
    speed: middle(found.map(({ speed }) => speed)),
    between: [cpus[quarter] as number, cpus[cpus.length - 1 - quarter] as number],
  }
}

const IDLE_SECONDS = 10

/** Milliseconds of a second that a server works while nobody asks anything. */
async function idling({ pid, postgres = null }: Load): Promise<number> {
  const work = () => cpuSeconds(pid ?? null, postgres)
  const before = work()
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000))
  return ((work() - before) * 1000) / IDLE_SECONDS
}

const told = (what: string, { cpu, allCpu, speed, between }: Compared) =>
  `${what}: ${cpu.toFixed(3)} of the server's time (half of the rounds ${between.map((one) => one.toFixed(3)).join(' to ')}), ${allCpu.toFixed(3)} with PostgreSQL's, ${speed.toFixed(3)} of the speed`

/** Says a line for people as soon as it is known. */
export async function reads(size: Size, say: (line: string) => void): Promise<void> {
  const stops: (() => unknown)[] = []
  const open = async (name: string, args: readonly string[], from?: string): Promise<Load> => {
    const temp = makeTemp(`values-${name}`)
    const server = await serve(temp.path, args, from ? { from } : {})
    stops.push(
      () => temp.remove(),
      () => server.stop(),
    )
    const key = server.said('API key')
    const ids = await fill(callerOf(server.url, key), PARTNERS, () => undefined)
    const postgres = postmasterOf(temp.path)
    return { url: server.url, key, ids, connections: 8, pid: server.pid, postgres }
  }
  try {
    const off = await open('off', ['--extensions', 'no'])
    const on = await open('on', [])
    const before = size.before ? await open('before', [], size.before) : null
    for (const [name, load] of [
      ['off', off],
      ['on', on],
    ] as const)
      say(`${name}, asked nothing: ${(await idling(load)).toFixed(1)} ms of the server's time a second`)
    for (const bench of bare) {
      const side = (load: Load): Side => ({ load, bench })
      // How far two measurements of the same are apart.
      say(told(`${bench.name}, off by itself`, await compared(side(off), side(off), size)))
      say(told(`${bench.name}, on and unasked by off`, await compared(side(on), side(off), size)))
      if (before) say(told(`${bench.name}, off by before`, await compared(side(off), side(before), size)))
    }
    for (const bench of typed) {
      const asked = { ...bench, headers: { prefer: 'values=typed' } }
      const found = await compared({ load: on, bench: asked }, { load: on, bench }, size)
      say(told(`${bench.name}, typed by default`, found))
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}
