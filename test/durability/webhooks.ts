// Kills nodes in the middle of sending webhooks, again and again, and judges what arrived: everything that
// was committed, at least once, and for every record in order.
// node test/durability/webhooks.ts [--rounds 5] [--writers 8] [--writes 2000]
import { parseArgs } from 'node:util'
import { everyExtension } from '../../src/config/index.ts'
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase } from '../support/databases.ts'
import { openReceiver, type Received, until } from '../support/receiver.ts'
import { type Served, serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { killAll, withDescendants } from './processes.ts'

interface Outcome {
  readonly committed: number
  readonly received: number
  readonly twice: number
  readonly missing: readonly string[]
  readonly disordered: readonly string[]
}

/** First arrivals, and what of them came before something older about the same record. */
function judged(got: readonly Received[], expected: ReadonlySet<string>): Outcome {
  const seen = new Set<string>()
  const last = new Map<number, number>()
  const disordered: string[] = []
  for (const { headers, body } of got) {
    const id = String(headers['webhook-id'])
    if (seen.has(id)) continue
    seen.add(id)
    const sequence = Number(body.sequence)
    if (sequence < (last.get(body.data.id) ?? 0)) disordered.push(id)
    last.set(body.data.id, sequence)
  }
  const missing = [...expected].filter((id) => !seen.has(id))
  return {
    committed: expected.size,
    received: got.length,
    twice: got.length - seen.size,
    missing,
    disordered,
  }
}

export async function killWhileSending({
  rounds,
  writers,
  writes,
}: {
  rounds: number
  writers: number
  writes: number
}): Promise<Outcome> {
  const fixture = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  const temp = makeTemp('webhooks')
  const hook = await openReceiver()
  // Writes are taken by a node that sends nothing; those that send are killed.
  const extensions = new Set([...everyExtension].filter((name) => name !== 'webhooks'))
  const outside = { webhookAllow: ['127.0.0.0/8'], webhookHttp: true }
  const server = await createServer({ databases: fixture.databases, extensions, ...outside })
  const key = await createKey(fixture.databases, 'test', 'admin', { scope: null, name: 'kill', days: 1 })
  const call = async (path: string, body: object) => {
    const answer = await fetch(`${server.url}/json/2/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `bearer ${key}`,
        'x-service-database': 'test',
      },
      body: JSON.stringify(body),
    })
    return answer.ok ? ((await answer.json()) as unknown) : null
  }
  const { host, port, user, password } = fixture.databases.address
  const url = `postgres://${user}:${password}@${host}:${port}/postgres`
  const start = (n: number) =>
    serve(`${temp.path}/node${n}`, [
      '--database-url',
      url,
      '--webhook-allow',
      '127.0.0.0/8',
      '--webhook-http',
      'yes',
    ])
  const nodes: Served[] = []
  try {
    const [endpoint] = (await call('comptoir.webhook/create', {
      vals_list: [{ url: hook.url, events: ['res.partner.*'], concurrency: 8 }],
    })) as [number]
    for (const n of [0, 1]) nodes.push(await start(n))
    hook.answer = (_received, response) =>
      void setTimeout(() => response.writeHead(Math.random() < 0.05 ? 500 : 200).end(), Math.random() * 20)
    const people = (await call('res.partner/create', {
      vals_list: Array.from({ length: 20 }, (_, n) => ({ name: `P${n}` })),
    })) as number[]
    for (let round = 0; round < rounds; round++) {
      let left = writes / rounds
      const write = async () => {
        while (left-- > 0)
          await call('res.partner/write', {
            ids: [people[Math.floor(Math.random() * people.length)]],
            vals: { comment: `${left}` },
          })
      }
      const writing = Promise.all(Array.from({ length: writers }, write))
      const from = hook.got.length
      await until(() => hook.got.length > from + 20, 'something is sent', 120)
      const victim = round % 2
      await killAll(withDescendants((nodes[victim] as Served).pid))
      await writing
      nodes[victim] = await start(2 + round)
    }
    // What failed waits for its time; it is due now.
    const hurry = sql`UPDATE comptoir_webhook_delivery SET next_at = now() AT TIME ZONE 'UTC' WHERE state = 'waiting' AND next_at > now() AT TIME ZONE 'UTC'`
    const open = sql`SELECT count(*)::int, (SELECT max(seq) FROM comptoir_change) < (SELECT seq FROM comptoir_webhook_position) FROM comptoir_webhook_delivery WHERE state = 'waiting'`
    await until(
      async () => {
        await fixture.database.system((env) => env.query(hurry))
        const [row] = await fixture.database.system((env) => env.query(open))
        return row?.[0] === 0 && row[1] === true
      },
      'nothing waits any more',
      600,
    )
    const rows = await fixture.database.system((env) =>
      env.query(sql`SELECT c.seq::text || '_' || c.n || '_' || i FROM comptoir_change c, unnest(c.ids) i
        WHERE c.model = 'res.partner' AND c.seq > (SELECT begins FROM comptoir_webhook_lease)`),
    )
    return judged(hook.got, new Set(rows.map((row) => `evt_${row[0]}_w${endpoint}`)))
  } finally {
    for (const node of nodes) await killAll(withDescendants(node.pid))
    await server.close()
    await hook.close()
    await fixture.close()
    temp.remove()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      writers: { type: 'string', default: '8' },
      writes: { type: 'string', default: '2000' },
    },
  })
  const outcome = await killWhileSending({
    rounds: Number(values.rounds),
    writers: Number(values.writers),
    writes: Number(values.writes),
  })
  console.log(JSON.stringify(outcome, null, 2))
  process.exitCode = outcome.missing.length + outcome.disordered.length ? 1 : 0
}
