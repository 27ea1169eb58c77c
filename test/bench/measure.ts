// One measurement: a stream of requests against one server for a bounded time, by autocannon, with the
// processor time it cost.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import autocannon from 'autocannon'
import type { BenchCase } from './cases.ts'
import { cpuSeconds } from './cpu.ts'

export interface Measured {
  readonly rps: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /**
   * Microseconds of processor time a request, of the server and of PostgreSQL; 0 where they cannot be seen.
   */
  readonly cpu: number
  readonly postgresCpu: number
}

export interface Load {
  readonly url: string
  readonly key: string
  readonly ids: readonly number[]
  readonly connections: number
  /** For calls over RPC. */
  readonly database?: string
  readonly uid?: number
  /** Processes whose time is taken. */
  readonly pid?: number
  readonly postgres?: number | null
}

/** The parts of a case that make up a request. */
export type Asking = Pick<BenchCase, 'name' | 'path' | 'headers' | 'body'>

/** Numbers requests through all measurements, so that bodies do not repeat. */
let sent = 0

/** Runs a case for some seconds, or for `amount` requests. Throws when any answer is not 200. */
export async function measure(
  load: Load,
  bench: BenchCase,
  length: { seconds: number } | { amount: number },
): Promise<Measured> {
  const call = bench.wire === 'xmlrpc' ? methodCall(load, bench) : jsonCall(load, bench)
  const { pid = null, postgres = null } = load
  // PostgreSQL is a child of the server that started it.
  const times = () => [cpuSeconds(pid, postgres), cpuSeconds(postgres)] as const
  const before = times()
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    ...('amount' in length ? { amount: length.amount } : { duration: length.seconds }),
    timeout: 60,
    requests: [{ method: 'POST', ...call }],
  })
  const after = times()
  if (result.non2xx || result.errors)
    throw new Error(
      `${bench.name} at ${load.url}: ${result.non2xx} answers were not 200, ${result.errors} failed`,
    )
  const requests = result['2xx']
  const each = (which: 0 | 1) => ((after[which] - before[which]) / requests) * 1e6
  return {
    rps: requests / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpu: each(0),
    postgresCpu: each(1),
  }
}

function jsonCall(load: Load, bench: Asking): Omit<autocannon.Request, 'method'> {
  const { path, headers } = bench
  return {
    path,
    headers: { authorization: `bearer ${load.key}`, 'content-type': 'application/json', ...headers },
    setupRequest: (request) => ({ ...request, body: bodyOf(load, bench) }),
  }
}

const bodyOf = ({ ids }: Load, { body }: Asking): string => JSON.stringify(body(sent++, ids))

/**
 * A short round: so many requests over the load's connections, without the second that autocannon takes at
 * least. Gives what `measure` gives but for single times. Throws when any answer is not 200.
 */
export async function measureRound(
  load: Load,
  bench: Asking,
  amount: number,
): Promise<Pick<Measured, 'rps' | 'cpu' | 'postgresCpu'>> {
  const { path, headers } = jsonCall(load, bench)
  const { pid = null, postgres = null } = load
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections })
  let left = amount
  const ask = async () => {
    while (left-- > 0) {
      const body = bodyOf(load, bench)
      const sent = request(`${load.url}${path}`, { method: 'POST', agent, headers: headers ?? {} })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      for await (const _ of answer);
      if (answer.statusCode !== 200) throw new Error(`${bench.name} at ${load.url}: ${answer.statusCode}`)
    }
  }
  const before = [cpuSeconds(pid, postgres), cpuSeconds(postgres), performance.now()] as const
  await Promise.all(Array.from({ length: load.connections }, ask))
  const after = [cpuSeconds(pid, postgres), cpuSeconds(postgres), performance.now()] as const
  agent.destroy()
  const each = (which: 0 | 1) => ((after[which] - before[which]) / amount) * 1e6
  return { rps: (amount * 1000) / (after[2] - before[2]), cpu: each(0), postgresCpu: each(1) }
}

/** The same call as `execute_kw`, in XML. */
function methodCall(
  { key, ids, database = '', uid = 0 }: Load,
  { path, body }: BenchCase,
): Omit<autocannon.Request, 'method'> {
  const [model, method] = path.split('/').slice(-2) as [string, string]
  return {
    path: '/xmlrpc/2/object',
    headers: { 'content-type': 'text/xml' },
    setupRequest: (request) => {
      const { ids: records, ...named } = body(sent++, ids) as Record<string, unknown>
      const params = [database, uid, key, model, method, records ? [records] : [], named]
      const inside = params.map((param) => `<param>${xml(param)}</param>`).join('')
      return {
        ...request,
        body: `<?xml version="1.0"?><methodCall><methodName>execute_kw</methodName><params>${inside}</params></methodCall>`,
      }
    },
  }
}

function xml(value: unknown): string {
  if (typeof value === 'number') return `<value><int>${value}</int></value>`
  if (typeof value === 'boolean') return `<value><boolean>${Number(value)}</boolean></value>`
  if (typeof value === 'string') return `<value><string>${value}</string></value>`
  if (Array.isArray(value)) return `<value><array><data>${value.map(xml).join('')}</data></array></value>`
  const members = Object.entries(value as object).map(
    ([name, member]) => `<member><name>${name}</name>${xml(member)}</member>`,
  )
  return `<value><struct>${members.join('')}</struct></value>`
}

/** The middle one of each number. */
export function middle(runs: readonly Measured[]): Measured {
  const of = (key: keyof Measured) =>
    runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)] as number
  return { rps: of('rps'), p50: of('p50'), p99: of('p99'), cpu: of('cpu'), postgresCpu: of('postgresCpu') }
}
