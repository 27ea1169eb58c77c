// A database whose webhooks are sent by processes of their own, which tests kill: calls are taken by a server
// of this process, which sends nothing, and what arrived is judged against what was committed.
import { everyExtension } from '../../src/config/index.ts'
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { openReceiver, type Received, type Receiver, until } from '../support/receiver.ts'
import { type Served, serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { killAll, withDescendants } from './processes.ts'

export interface Outcome {
  readonly committed: number
  readonly received: number
  /** Identifiers that came more than once, each as often as it came again. */
  readonly again: readonly string[]
  readonly missing: readonly string[]
  /** Changes that came before an older one of the same record. */
  readonly disordered: readonly string[]
  /** Changes with more than one delivery. */
  readonly doubled: readonly string[]
}

export interface Sending {
  readonly database: TestDatabase['database']
  readonly hook: Receiver
  /** Identifier of the endpoint that receives changes of all contacts. */
  readonly endpoint: number
  /** The answer of a call; null when it was refused. */
  call(path: string, body: object): Promise<unknown>
  /** Starts one more process that sends. */
  start(): Promise<Served>
  /** Waits until everything that was committed is sent. */
  settle(seconds: number): Promise<void>
  judge(): Promise<Outcome>
  close(): Promise<void>
}

export async function openSending(): Promise<Sending> {
  const fixture = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  const temp = makeTemp('webhooks')
  const hook = await openReceiver()
  const extensions = new Set([...everyExtension].filter((name) => name !== 'webhooks'))
  const outside = { webhookAllow: ['127.0.0.0/8'], webhookHttp: true }
  const server = await createServer({ databases: fixture.databases, extensions, ...outside })
  const key = await createKey(fixture.databases, 'test', 'admin', { scope: null, name: 'kill', days: 1 })
  const { host, port, user, password } = fixture.databases.address
  const url = `postgres://${user}:${password}@${host}:${port}/postgres`
  const settings = ['--database-url', url, '--webhook-allow', '127.0.0.0/8', '--webhook-http', 'yes']
  const nodes: Served[] = []
  const headers = {
    'content-type': 'application/json',
    authorization: `bearer ${key}`,
    'x-service-database': 'test',
  }
  const call = async (path: string, body: object) => {
    const answer = await fetch(`${server.url}/json/2/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return answer.ok ? ((await answer.json()) as unknown) : null
  }
  const vals = { url: hook.url, events: ['res.partner.*'], concurrency: 8 }
  const [endpoint] = (await call('comptoir.webhook/create', { vals_list: [vals] })) as [number]
  const query: Query = (text) => fixture.database.system((env) => env.query(text))
  return {
    database: fixture.database,
    hook,
    endpoint,
    call,
    async start() {
      const node = await serve(`${temp.path}/node${nodes.length}`, settings)
      nodes.push(node)
      return node
    },
    settle: (seconds) => settle(query, seconds),
    judge: () => judgeSent(query, endpoint, hook.got),
    async close() {
      for (const node of nodes) await killAll(withDescendants(node.pid))
      await server.close()
      await hook.close()
      await fixture.close()
      temp.remove()
    },
  }
}

type Query = (text: ReturnType<typeof sql>) => Promise<readonly (readonly unknown[])[]>

/** Waits until everything that was committed is sent. */
export function settle(query: Query, seconds: number): Promise<void> {
  // Deliveries that failed wait for their time; they are due now.
  const hurry = sql`UPDATE comptoir_webhook_delivery SET next_at = now() AT TIME ZONE 'UTC' WHERE state = 'waiting' AND next_at > now() AT TIME ZONE 'UTC'`
  const open = sql`SELECT count(*)::int, (SELECT max(seq) FROM comptoir_change) < (SELECT seq FROM comptoir_webhook_position) FROM comptoir_webhook_delivery WHERE state = 'waiting'`
  const isSettled = async () => {
    await query(hurry)
    const [row] = await query(open)
    if (row?.[0] === 0 && row[1] === true) return true
    // All that waits is counted: what does that all the time takes the time of those who send.
    await new Promise((resolve) => setTimeout(resolve, 200))
    return false
  }
  return until(isSettled, 'nothing waits any more', seconds)
}

/** Judges what an endpoint of all contacts was sent by what was committed since. */
export async function judgeSent(query: Query, endpoint: number, got: readonly Received[]): Promise<Outcome> {
  const reported =
    await query(sql`SELECT c.seq::text || '_' || c.n || '_' || i FROM comptoir_change c, unnest(c.ids) i
    WHERE c.model = 'res.partner' AND c.seq > (SELECT begins FROM comptoir_webhook_lease)`)
  const doubled = await query(
    sql`SELECT event FROM comptoir_webhook_delivery GROUP BY event HAVING count(*) > 1`,
  )
  const expected = new Set(reported.map((row) => `evt_${row[0]}_w${endpoint}`))
  return { ...judged(got, expected), doubled: doubled.map((row) => String(row[0])) }
}

/** First arrivals, and what of them came before something older about the same record. */
function judged(got: readonly Received[], expected: ReadonlySet<string>): Omit<Outcome, 'doubled'> {
  const seen = new Set<string>()
  const last = new Map<number, number>()
  const again: string[] = []
  const disordered: string[] = []
  for (const { headers, body } of got) {
    const id = String(headers['webhook-id'])
    if (seen.has(id)) {
      again.push(id)
      continue
    }
    seen.add(id)
    const sequence = Number(body.sequence)
    if (sequence < (last.get(body.data.id) ?? 0)) disordered.push(id)
    last.set(body.data.id, sequence)
  }
  const missing = [...expected].filter((id) => !seen.has(id))
  return { committed: expected.size, received: got.length, again, missing, disordered }
}
