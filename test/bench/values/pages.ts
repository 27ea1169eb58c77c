// A page by cursor far into very many rows compared with the first page.
import { Agent, request } from 'node:http'
import pg from 'pg'
import { canonical } from '../../../src/kit/canonical.ts'
import { cursorOf } from '../../../src/models/read/keyset.ts'
import { middle } from '../timed.ts'

/** A server with many rows. */
export interface Filled {
  readonly url: string
  readonly key: string
  readonly pid: number
  readonly postgres: number | null
  readonly rows: number
  readonly database: string
  /** Address of the database. */
  readonly address: string
}

const agent = new Agent({ keepAlive: true })
const PAGE = 80

interface Page {
  readonly ms: number
  readonly next: string | null
  readonly count: string | null
  readonly rows: number
}

function askFor(
  { url, key }: Filled,
  options: object,
  preferences: Readonly<Record<string, string>>,
): Promise<Page> {
  const body = JSON.stringify({ domain: [], fields: ['name', 'email'], ...options })
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json', ...preferences }
    const sent = request(`${url}/json/2/res.partner/search_read`, { method: 'POST', agent, headers })
    sent.once('error', reject).once('response', async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      if (answer.statusCode !== 200) return reject(new Error(`${answer.statusCode} ${text.slice(0, 500)}`))
      const header = (name: string) => {
        const value = answer.headers[name]
        return typeof value === 'string' ? value : null
      }
      resolve({
        ms: performance.now() - began,
        next: header('next-cursor'),
        count: header('total-count'),
        rows: (JSON.parse(text) as unknown[]).length,
      })
    })
    sent.end(body)
  })
}

const pageOf = (filled: Filled, order: string, limit: number, cursor: string | null): Promise<Page> =>
  askFor(filled, { order, limit }, { prefer: 'paging=keyset', ...(cursor === null ? {} : { cursor }) })

/** Orders: as requested, with all their columns, and as ORDER BY of SQL. */
const orders = [
  { order: 'id', full: 'id', columns: ['id'], by: 'id' },
  {
    order: '',
    full: 'complete_name, id desc',
    columns: ['complete_name', 'id'],
    by: 'complete_name, id DESC',
  },
  { order: 'name, id', full: 'name, id', columns: ['name', 'id'], by: 'name, id' },
  {
    order: 'create_date desc',
    full: 'create_date desc',
    columns: ['create_date', 'id'],
    by: 'create_date DESC, id',
  },
] as const

type Order = (typeof orders)[number]

/**
 * The cursor that a client has after `rows` rows of an order. It is built from SQL: walking through
 * hundreds of pages that no index serves would take longer than all measurements. The cursor built for
 * the first page must equal the server's; throws if they differ.
 */
async function cursorBehind(filled: Filled, { order, full, columns, by }: Order, rows: number) {
  const { url, key, database, address } = filled
  const answer = await fetch(`${url}/json/2/res.users/context_get`, {
    method: 'POST',
    headers: { authorization: `bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  })
  const { lang, tz, uid } = (await answer.json()) as { lang: string; tz: string; uid: number }
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    const first = async (text: string, values: readonly unknown[] = []) =>
      (await client.query<{ found: string }>(text, [...values])).rows[0]?.found ?? ''
    const company = await first('SELECT company_id AS found FROM res_users WHERE id = $1', [uid])
    const question = canonical([database, 'res.partner', [], full, true, lang, [Number(company)], tz || null])
    const at = (place: number) =>
      first(
        `SELECT to_json(ARRAY[${columns.map((column) => `${column}::text`).join()}])::text AS found FROM res_partner WHERE active ORDER BY ${by} OFFSET ${place - 1} LIMIT 1`,
      )
    const { next } = await pageOf(filled, order, PAGE, null)
    if (next !== cursorOf(question, await at(PAGE)))
      throw new Error(
        `The cursor by ${order || 'the default order'} is another one: ${Buffer.from((next ?? '').slice(3), 'base64url').subarray(16)}, ${await at(PAGE)}, ${question}`,
      )
    return cursorOf(question, await at(rows))
  } finally {
    await client.end()
  }
}

/**
 * Reports printable lines: for each order the first page compared with page 10,000, or with the last
 * but one of fewer rows.
 */
export async function pages(
  filled: Filled,
  rounds: number,
  tell: (lines: readonly string[]) => void,
): Promise<void> {
  for (const orderCase of orders) {
    const { order } = orderCase
    const wanted = Math.min(10_000, Math.floor(filled.rows / PAGE) - 1)
    const cursor = await cursorBehind(filled, orderCase, (wanted - 1) * PAGE)
    const [first, far]: [number[], number[]] = [[], []]
    // The first calls plan the statements.
    for (let round = -10; round < rounds; round++) {
      const [near, late] = [
        await pageOf(filled, order, PAGE, null),
        await pageOf(filled, order, PAGE, cursor),
      ]
      if (near.rows !== PAGE || late.rows !== PAGE) throw new Error('A page is not full')
      if (round < 0) continue
      first.push(near.ms)
      far.push(late.ms)
    }
    tell([
      `by ${order || 'the default order'}: page ${wanted} ${middle(far).toFixed(2)} ms, page 1 ${middle(first).toFixed(2)} ms: ${(middle(far) / middle(first)).toFixed(2)} times`,
    ])
  }
  tell([await counts(filled, rounds)])
  agent.destroy()
}

/** Duration of counts: estimated, planned and exact. */
async function counts(filled: Filled, rounds: number): Promise<string> {
  const ask = (kind: string) => askFor(filled, { limit: 1 }, { prefer: `count=${kind}` })
  const parts: string[] = []
  for (const kind of ['estimated', 'planned', 'exact']) {
    const times: number[] = []
    let count: string | null = null
    for (let round = -3; round < (kind === 'exact' ? 3 : rounds); round++) {
      const answer = await ask(kind)
      count = answer.count
      if (round >= 0) times.push(answer.ms)
    }
    if (count === null) throw new Error(`Nothing was told of the count ${kind}`)
    parts.push(`${kind} ${count} in ${middle(times).toFixed(2)} ms`)
  }
  return `one row and the count of all: ${parts.join(', ')}`
}
