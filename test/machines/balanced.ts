// Two nodes behind HAProxy with the settings that we deliver, under load: a node is stopped in order
// (SIGTERM: readiness turns first, then it drains) or killed, and comes back, again and again.
// Called by balanced.test.ts for one of each; as a script: `node test/machines/balanced.ts 10`.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createServer, type Server } from '../../src/main.ts'
import { startEmbedded } from '../../src/postgres/embedded/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { killAll, withDescendants } from '../durability/processes.ts'
import { freePort } from '../support/free-port.ts'
import { type Balancer, startHaproxy, withoutHaproxy } from '../support/haproxy.ts'
import { patiently, root, type Served, serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
import { type Judgement, Load } from './load.ts'
import { until } from './patroni-cluster.ts'

/** Writes that each round must see acknowledged before and after its end of a node. */
const WRITES = 60

export interface BalancedReport extends Judgement {
  readonly rounds: number
  /** Failures while a node was stopped in order; expected to be empty. */
  readonly failuresOfDrains: Readonly<Record<string, number>>
  /** Calls that a stopping node was still sent when HAProxy had stopped to send it any. */
  readonly callsWhileAway: number
  /** Whether each stopping node said that it was not ready while it still answered calls. */
  readonly saidFirst: boolean
  /** Seconds from the signal to the end of a node that drains, by round. */
  readonly drained: readonly number[]
  /** Seconds from its start until HAProxy sends calls to a node again, by round. */
  readonly back: readonly number[]
  /** Milliseconds without an acknowledged write, by round. */
  readonly gaps: readonly number[]
  readonly callsByNode: Readonly<Record<string, number>>
  /** HAProxy's own answers: for calls of a killed node, and without a node. */
  readonly said: { readonly cut: Said; readonly none: Said }
}

interface Said {
  readonly status: number
  readonly type: string | undefined
  readonly outcome: string | undefined
  readonly retryAfter: string | undefined
  readonly body: string
}

/** The settings of the nodes in the compose file, but for where the balancer is. */
function settingsOfNodes(): Record<string, string> {
  const compose = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')
  const environment = [...compose.matchAll(/^ {4}(COMPTOIR_\w+): "?([^"\n]*)/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  return { ...Object.fromEntries(environment), COMPTOIR_TRUST_PROXY: '127.0.0.1' }
}

const NAMES = ['one', 'two'] as const

/** For each round whether its node is stopped in order, or killed. */
export async function balancedRounds(ends: readonly boolean[], clients: number): Promise<BalancedReport> {
  const temp = makeDataDir('balanced')
  const postgres = await startEmbedded({ dataDir: temp.path, durable: false, log: () => undefined })
  const url = `postgres://${postgres.user}:${postgres.password}@${postgres.host}:${postgres.port}/`
  const environment = { ...settingsOfNodes(), COMPTOIR_DATABASE_URL: url }
  const ports = [await freePort(), await freePort()]
  const start = (i: number) =>
    serve(join(temp.path, `node-${i}`), ['--port', String(ports[i])], { ...patiently, environment })
  let ground: Server | undefined
  let balancer: Balancer | undefined
  const nodes: Served[] = []
  try {
    ground = await createServer({ databaseUrl: url, dataDir: join(temp.path, 'ground') })
    await ground.databases.create('shop', { modules: ['base'] })
    for (const i of NAMES.keys()) nodes.push(await start(i))
    balancer = await startHaproxy(Object.fromEntries(NAMES.map((name, i) => [name, `127.0.0.1:${ports[i]}`])))
    return await rounding({ ground, balancer, nodes, start }, { ends, clients })
  } finally {
    await balancer?.stop()
    for (const node of nodes) await killAll(withDescendants(node.pid))
    await ground?.close()
    await postgres.stop()
    temp.remove()
  }
}

interface Place {
  readonly ground: Server
  readonly balancer: Balancer
  readonly nodes: Served[]
  readonly start: (i: number) => Promise<Served>
}

async function rounding(
  { ground: { databases }, balancer, nodes, start }: Place,
  { ends, clients }: { readonly ends: readonly boolean[]; readonly clients: number },
): Promise<BalancedReport> {
  const key = await createKey(databases, 'shop', 'admin', { scope: null, name: 'load', days: 1 })
  const load = new Load([balancer.url], 'shop', key)
  const { tally } = load
  const more = () => {
    const wanted = tally.acknowledged.size + WRITES
    return until('writes are acknowledged', () => tally.acknowledged.size >= wanted)
  }
  const isUp = async (i: number) => (await balancer.node(NAMES[i] as string)).isUp
  const report = { drained: [] as number[], back: [] as number[], gaps: [] as number[] }
  const failuresOfDrains: Record<string, number> = {}
  let [callsWhileAway, saidFirst] = [0, true]
  const calls = async (i: number) => (await balancer.node(NAMES[i] as string)).calls
  const callsByNode: Record<string, number> = { one: 0, two: 0 }
  await until('both nodes are up', async () => (await isUp(0)) && (await isUp(1)))
  load.start(clients)
  try {
    for (const [round, inOrder] of ends.entries()) {
      const i = round % 2
      await more()
      tally.longestGap = 0
      const before = new Map(tally.failures)
      const node = nodes[i] as Served
      const began = performance.now()
      if (inOrder) {
        process.kill(node.pid, 'SIGTERM')
        await until('it says that it is not ready', async () => (await ready(node)) === 503)
        saidFirst &&= (await fetch(`${node.url}/web/version`)).ok
        await until('calls go to the other one', async () => !(await isUp(i)))
        const sent = await calls(i)
        await node.exited
        report.drained.push(secondsSince(began))
        callsWhileAway += (await calls(i)) - sent
      } else await killAll(withDescendants(node.pid))
      await more()
      for (const [kind, count] of inOrder ? tally.failures : []) {
        const more = count - (before.get(kind) ?? 0)
        if (more) failuresOfDrains[kind] = (failuresOfDrains[kind] ?? 0) + more
      }
      const starting = performance.now()
      nodes[i] = await start(i)
      await until('it is sent calls again', () => isUp(i))
      report.back.push(secondsSince(starting))
      await more()
      report.gaps.push(Math.round(tally.longestGap))
    }
  } finally {
    await load.stop()
  }
  for (const [i, name] of NAMES.entries()) callsByNode[name] = await calls(i)
  const judgement = await load.judge(databases)
  const said = await withoutNodes(balancer, nodes)
  return {
    rounds: ends.length,
    ...judgement,
    failuresOfDrains,
    callsWhileAway,
    saidFirst,
    ...report,
    callsByNode,
    said,
  }
}

/** Kills both nodes while one has a call, and asks once more. */
async function withoutNodes(balancer: Balancer, nodes: readonly Served[]): Promise<BalancedReport['said']> {
  const all = nodes.flatMap(({ pid }) => withDescendants(pid))
  // Stopped first, so that they do not answer what they have.
  for (const pid of all) process.kill(pid, 'SIGSTOP')
  const had = ask(`${balancer.url}/web/version`)
  await until('a node has the call', async () => {
    const each = await Promise.all(NAMES.map((name) => balancer.node(name)))
    return each.some(({ open }) => open > 0) || !each.some(({ isUp }) => isUp)
  })
  await killAll(all)
  return { cut: await had, none: await ask(`${balancer.url}/web/version`) }
}

/** Over a connection of its own: on one that was used before, HAProxy says nothing but hangs up. */
async function ask(url: string): Promise<Said> {
  const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  const { statusCode = 0, headers } = answer
  return {
    status: statusCode,
    type: headers['content-type'],
    outcome: headers['x-comptoir-outcome']?.toString(),
    retryAfter: headers['retry-after'],
    body: await text(answer),
  }
}

const secondsSince = (began: number) => Number(((performance.now() - began) / 1000).toFixed(1))

const ready = async ({ url }: Served) =>
  (await fetch(`${url}/web/health?ready=1`).catch(() => null))?.status ?? 0

if (process.argv[1] === import.meta.filename) {
  if (withoutHaproxy) throw new Error(withoutHaproxy)
  const report = await balancedRounds(
    Array.from({ length: Number(process.argv[2] ?? 10) }, (_, round) => round % 4 < 2),
    16,
  )
  console.log(JSON.stringify(report, undefined, 2))
}
