// Very many rows in and out, with the memory that the server takes for it.
import { createClient } from '../../../src/client/index.ts'
import { residentBytes } from '../../durability/processes.ts'
import { cpuSeconds } from '../cpu.ts'
import type { Filled } from './pages.ts'

const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2)

/** Duration of a job, processor time of server and PostgreSQL, and the server's highest memory. */
async function watched<T>({ pid, postgres }: Filled, work: () => Promise<T>) {
  const cpus = () => [cpuSeconds(pid, postgres), cpuSeconds(postgres)] as const
  const [ours, of] = cpus()
  const before = residentBytes(pid)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, 100)
  const began = performance.now()
  try {
    const result = await work()
    const seconds = (performance.now() - began) / 1000
    const [ownNow, ofNow] = cpus()
    return {
      found: result,
      seconds,
      cpu: [ownNow - ours, ofNow - of] as const,
      before: megabytes(before),
      most: megabytes(most),
    }
  } finally {
    clearInterval(timer)
  }
}

type Watched = Omit<Awaited<ReturnType<typeof watched>>, 'found'>

const report = (what: string, rows: number, { seconds, cpu, before, most }: Watched) =>
  `${what}: ${rows} rows in ${seconds.toFixed(0)} s, ${cpu.map((part) => Math.round((part / rows) * 1e6)).join(' and ')} µs a row of the server and PostgreSQL; the server had ${before} MB, then ${most} MB at most`

/** Rows of an export, counted and discarded. */
async function passed({ url, key }: Filled, query: string, accept: string) {
  const response = await fetch(`${url}/x/1/export?model=res.partner&${query}`, {
    headers: { authorization: `bearer ${key}`, accept },
  })
  if (response.status !== 200 || !response.body)
    throw new Error(`${response.status} ${await response.text()}`)
  let [lines, end] = [0, '']
  for await (const chunk of response.body) {
    const text = Buffer.from(chunk).toString('latin1')
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
    end = (end + text).slice(-200)
  }
  return { lines, end: end.trimEnd().split('\n').at(-1) ?? '' }
}

/** Rows out, in both forms, with a half of them read by a client that goes away. */
export async function out(filled: Filled): Promise<string[]> {
  const query = 'fields=name,email,parent_id,create_date,color,comment&order=id'
  const json = await watched(filled, () => passed(filled, query, 'application/x-ndjson'))
  const { $end } = JSON.parse(json.found.end) as { $end: { rows: number } }
  const csv = await watched(filled, () => passed(filled, query, 'text/csv'))
  if ($end.rows !== json.found.lines - 1 || csv.found.lines - 1 !== $end.rows)
    throw new Error(`${$end.rows} rows, ${json.found.lines} lines, ${csv.found.lines} of CSV`)
  return [report('out, lines of JSON', $end.rows, json), report('out, CSV', $end.rows, csv)]
}

/** Imports rows in both forms; `say` reports progress. */
export async function into(filled: Filled, rows: number, say: (line: string) => void): Promise<string[]> {
  const client = createClient({ url: filled.url, key: filled.key, database: 'comptoir', timeoutMs: 0 })
  const lines: string[] = []
  for (const type of ['application/x-ndjson', 'text/csv'] as const) {
    const short = type === 'text/csv' ? 'csv' : 'json'
    let [steps, far] = [0, 0]
    const done = await watched(filled, () =>
      client.import('res.partner', rowsOf(short, rows), {
        type,
        onProgress: (count, of) => {
          if (count < far) throw new Error(`Progress went back from ${far} to ${count}`)
          if (count > far && ++steps % 20 === 0) say(`${short}: ${count} of ${of}`)
          far = count
        },
      }),
    )
    if (done.found.created !== rows || far !== rows)
      throw new Error(`${done.found.created} created, ${far} told`)
    lines.push(`${report(`in, ${type}`, rows, done)}; progress was told ${steps} times`)
  }
  return lines
}

const PIECE = 1000

async function* rowsOf(form: 'csv' | 'json', rows: number): AsyncGenerator<Uint8Array, void> {
  if (form === 'csv') yield Buffer.from('id,name,email,color\n')
  for (let from = 0; from < rows; from += PIECE) {
    const some = Array.from({ length: Math.min(PIECE, rows - from) }, (_, i) => from + i)
    const text = some.map((n) =>
      form === 'csv'
        ? `bench.csv_${n},Line ${n},l${n}@example.com,${n % 12}\n`
        : `${JSON.stringify({ external_id: `bench.json_${n}`, name: `Line ${n}`, email: `l${n}@example.com`, color: n % 12 })}\n`,
    )
    yield Buffer.from(text.join(''))
  }
}
