// Costs of reads: with all extensions switched off, compared with a server that has them and with the
// server of another checkout; and typed values compared with the usual form.
import { postmasterOf } from '../../durability/processes.ts'
import { serve } from '../../support/serve.ts'
import { makeTemp } from '../../support/temp.ts'
import { type BenchCase, benchCases } from '../cases.ts'
import { cpuSeconds } from '../cpu.ts'
import { callerOf, fill } from '../data.ts'
import { checkoutOf } from '../earlier.ts'
import { type Load, measureRound } from '../measure.ts'
import { middle } from '../timed.ts'

export interface Size {
  /** Limit for all comparisons together, without starts and pauses. */
  readonly seconds: number
  /** Requests of one side in a round. */
  readonly amount: number
  /** Another checkout as it was before, or a commit. */
  readonly before?: string | undefined
}

const PARTNERS = 2000
/** Requests until the compiler has seen a path, on every side; rounds that are the least. */
const [WARM_UP, FEWEST] = [3000, 7]

export const caseNamed = (name: string): BenchCase =>
  benchCases.find((benchCase) => benchCase.name === name) as BenchCase
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
/** Contacts with empty values, many2one pairs, moments and texts. */
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
  readonly rounds: number
}

/**
 * Each of the other sides divided by the first: the median of short rounds in turns, each begun by
 * another side than the last, within the given time. Other load on the machine affects all sides of a
 * round alike, and shows as processor time of other processes. Each side is one server that gets
 * equally many requests. The first third of the rounds is dropped: paths with fewer requests are
 * compiled less.
 */
export async function compared(sides: readonly Side[], { seconds, amount }: Size): Promise<Compared[]> {
  const until = performance.now() + seconds * 1000
  for (const { load, bench } of sides) await measureRound(load, bench, WARM_UP)
  const measured: Awaited<ReturnType<typeof measureRound>>[][] = []
  for (let round = 0; round < FEWEST || performance.now() < until; round++) {
    const of: (typeof measured)[number] = []
    for (let n = 0; n < sides.length; n++) {
      const place = (round + n) % sides.length
      const { load, bench } = sides[place] as Side
      of[place] = await measureRound(load, bench, amount)
    }
    measured.push(of)
  }
  const rounds = measured.slice(Math.floor(measured.length / 3))
  return sides.slice(1).map((_, n) => {
    const ratios = rounds.map((of) => {
      const [base, compared] = [of[0], of[n + 1]] as [(typeof of)[number], (typeof of)[number]]
      return {
        cpu: compared.cpu / base.cpu,
        allCpu: (compared.cpu + compared.postgresCpu) / (base.cpu + base.postgresCpu),
        speed: compared.rps / base.rps,
      }
    })
    const cpus = ratios.map(({ cpu }) => cpu).sort((x, y) => x - y)
    const quarter = Math.floor(cpus.length / 4)
    return {
      cpu: middle(cpus),
      allCpu: middle(ratios.map(({ allCpu }) => allCpu)),
      speed: middle(ratios.map(({ speed }) => speed)),
      between: [cpus[quarter] as number, cpus[cpus.length - 1 - quarter] as number],
      rounds: rounds.length,
    }
  })
}

const IDLE_SECONDS = 3

/** Processor time of an idle server, in milliseconds a second. */
async function idling({ pid, postgres = null }: Load): Promise<number> {
  const work = () => cpuSeconds(pid ?? null, postgres)
  const before = work()
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000))
  return ((work() - before) * 1000) / IDLE_SECONDS
}

export const report = (what: string, { cpu, allCpu, speed, between, rounds }: Compared): string =>
  `${what}: ${cpu.toFixed(3)} of the server's time (half of ${rounds} rounds ${between.map((bound) => bound.toFixed(3)).join(' to ')}), ${allCpu.toFixed(3)} with PostgreSQL's, ${speed.toFixed(3)} of the speed`

/** Opens servers with contacts, each over a PostgreSQL of its own; what is to be undone goes to `stops`. */
export function opener(stops: (() => unknown)[]) {
  return async (name: string, args: readonly string[], from?: string): Promise<Load> => {
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
}

/** Says a line for people as soon as it is known. */
export async function reads(size: Size, say: (line: string) => void): Promise<void> {
  const stops: (() => unknown)[] = []
  const open = opener(stops)
  try {
    const off = await open('off', ['--extensions', 'no'])
    const second = await open('off-too', ['--extensions', 'no'])
    const on = await open('on', [])
    const earlier = size.before === undefined ? null : checkoutOf(size.before)
    if (earlier) stops.push(earlier.remove)
    const before = earlier && (await open('before', [], earlier.path))
    for (const [name, load] of [
      ['off', off],
      ['on', on],
    ] as const)
      say(`${name}, asked nothing: ${(await idling(load)).toFixed(1)} ms of the server's time a second`)
    const each = { ...size, seconds: size.seconds / (bare.length + typed.length) }
    for (const bench of bare) {
      // The difference between two servers of the same kind is reported as well.
      const all = [off, second, on, ...(before ? [before] : [])].map((load) => ({ load, bench }))
      const [itself, typed, earlierBy] = await compared(all, each)
      if (itself) say(report(`${bench.name}, off by another that is off`, itself))
      if (typed) say(report(`${bench.name}, on and unasked by off`, typed))
      if (earlierBy) say(report(`${bench.name}, before by off`, earlierBy))
    }
    for (const bench of typed) {
      const typedBench = { ...bench, headers: { prefer: 'values=typed' } }
      const [ratio] = await compared(
        [
          { load: on, bench },
          { load: on, bench: typedBench },
        ],
        each,
      )
      if (ratio) say(report(`${bench.name}, typed by default`, ratio))
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}
