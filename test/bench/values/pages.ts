// A page by cursor far behind beside the first one, over very many rows.
import { Agent, request } from 'node:http'
import { middle } from '../timed.ts'

/** A server with many rows. */
export interface Filled {
  readonly url: string
  readonly key: string
  readonly pid: number
  readonly postgres: number | null
  readonly rows: number
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
  asked: object,
  wishes: Readonly<Record<string, string>>,
): Promise<Page> {
  const body = JSON.stringify({ domain: [], fields: ['name', 'email'], ...asked })
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json', ...wishes }
    const sent = request(`${url}/json/2/res.partner/search_read`, { method: 'POST', agent, headers })
    sent.once('error', reject).once('response', async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      if (answer.statusCode !== 200) return reject(new Error(`${answer.statusCode} ${text.slice(0, 500)}`))
      const told = (name: string) => {
        const value = answer.headers[name]
        return typeof value === 'string' ? value : null
      }
      resolve({
        ms: performance.now() - began,
        next: told('next-cursor'),
        count: told('total-count'),
        rows: (JSON.parse(text) as unknown[]).length,
      })
    })
    sent.end(body)
  })
}

const pageOf = (filled: Filled, order: string, limit: number, cursor: string | null): Promise<Page> =>
  askFor(filled, { order, limit }, { prefer: 'paging=keyset', ...(cursor === null ? {} : { cursor }) })

/**
 * Tells lines for people: for each order the first page beside page 10,000, or the last but one of fewer
 * rows.
 */
export async function pages(
  filled: Filled,
  rounds: number,
  tell: (lines: readonly string[]) => void,
): Promise<void> {
  for (const order of ['id', '', 'name, id', 'create_date desc']) {
    const wanted = Math.min(10_000, Math.floor(filled.rows / PAGE) - 1)
    let cursor: string | null = null
    for (let left = (wanted - 1) * PAGE; left > 0; ) {
      const limit = Math.min(2000, left)
      const page = await pageOf(filled, order, limit, cursor)
      if (page.next === null) throw new Error(`The pages by ${order} ended ${left} rows too early`)
      cursor = page.next
      left -= page.rows
    }
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

/** What is told of how many there are, by what PostgreSQL knows and by counting. */
async function counts(filled: Filled, rounds: number): Promise<string> {
  const ask = (kind: string) => askFor(filled, { limit: 1 }, { prefer: `count=${kind}` })
  const parts: string[] = []
  for (const kind of ['estimated', 'planned', 'exact']) {
    const times: number[] = []
    let count: string | null = null
    for (let round = -3; round < (kind === 'exact' ? 3 : rounds); round++) {
      const told = await ask(kind)
      count = told.count
      if (round >= 0) times.push(told.ms)
    }
    if (count === null) throw new Error(`Nothing was told of the count ${kind}`)
    parts.push(`${kind} ${count} in ${middle(times).toFixed(2)} ms`)
  }
  return `one row and the count of all: ${parts.join(', ')}`
}
