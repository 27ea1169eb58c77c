// Durations of single large calls: creating a thousand records, groups over many rows compared with
// bare SQL, an import of ten thousand rows.
import pg from 'pg'
import { encode } from '../../src/postgres/values.ts'
import { residentBytes } from '../durability/processes.ts'
import { capture } from './capture.ts'
import type { BenchCase } from './cases.ts'
import type { Call } from './data.ts'

export interface BulkOptions {
  readonly call: Call
  readonly pid: number
  /** Rows of partners that the groups are made of. */
  readonly rows: number
  readonly dataDir: string
  readonly database: string
  /** Address of the database for the bare SQL. */
  readonly address: string
  readonly key: string
  readonly ids: readonly number[]
}

const ROUNDS = 7
const path = '/json/2/res.partner/formatted_read_group'
const grouping = (groupby: string[], aggregates: string[]) => () => ({ domain: [], groupby, aggregates })
const groupCases: readonly BenchCase[] = [
  { name: 'groups by country', path, body: grouping(['country_id'], ['__count', 'color:sum']), least: 0 },
  { name: 'groups by month', path, body: grouping(['create_date:month'], ['__count', 'id:max']), least: 0 },
  { name: 'groups by city and kind', path, body: grouping(['city', 'is_company'], ['__count']), least: 0 },
]

const middle = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] as number
const megabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(0)} MB`

/** Milliseconds that some work takes, its answer waited for. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Runs all of them; gives lines for people. */
export async function bulk(options: BulkOptions): Promise<string[]> {
  return [await creating(options), await importing(options), ...(await groups(options))]
}

async function creating({ call }: BulkOptions): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const vals_list = Array.from({ length: 1000 }, (_, i) => ({
      name: `Bulk ${round} ${i}`,
      email: `b${round}.${i}@example.com`,
      city: 'Namur',
    }))
    times.push(await timed(() => call('res.partner', 'create', { vals_list })))
  }
  return `create 1000: ${middle(times).toFixed(0)} ms in the middle, ${Math.max(...times).toFixed(0)} ms at most`
}

/** Three imports of other rows, one after the other: memory must not grow with their number. */
async function importing({ call, pid }: BulkOptions): Promise<string> {
  const fields = ['id', 'name', 'email', 'city', 'country_id', 'is_company']
  const before = residentBytes(pid)
  const times: number[] = []
  const after: string[] = []
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, 50)
  for (let round = 0; round < 3; round++) {
    const data = Array.from({ length: 10_000 }, (_, i) => {
      const place = `City ${i % 50}`
      return [
        `bench.load_${round}_${i}`,
        `Load ${i}`,
        `l${i}@example.com`,
        place,
        'Belgium',
        i % 9 ? '0' : '1',
      ]
    })
    const work = async () => {
      const { ids, messages } = (await call('res.partner', 'load', { fields, data })) as {
        ids: number[] | false
        messages: unknown[]
      }
      if (!ids || ids.length !== data.length)
        throw new Error(`the import failed: ${JSON.stringify(messages).slice(0, 300)}`)
    }
    times.push(await timed(work))
    after.push(megabytes(residentBytes(pid)))
  }
  clearInterval(watch)
  const memory = `memory ${megabytes(before)} before, ${megabytes(most)} at most, ${after.join(', ')} after each`
  return `load of 10000 rows: ${(middle(times) / 1000).toFixed(2)} s; ${memory}`
}

async function groups({ call, rows, dataDir, database, address, key, ids }: BulkOptions): Promise<string[]> {
  const client = new pg.Client({
    connectionString: address,
    options: '-c TimeZone=UTC -c jit=off',
    types: { getTypeParser: () => (text: unknown) => text } as unknown as pg.CustomTypesConfig,
  })
  await client.connect()
  try {
    await multiply(client, ids, rows)
    const captured = await capture({ dataDir, database, keyOf: () => key, ids }, groupCases, 1)
    const lines: string[] = []
    for (const [i, { name, body }] of groupCases.entries()) {
      const statements = captured[i]?.calls[0] ?? []
      const engine: number[] = []
      const bare: number[] = []
      const send = async () => {
        for (const { text, values = [] } of statements)
          await client.query({ text, values: values.map(encode), rowMode: 'array' })
      }
      for (let round = 0; round <= ROUNDS; round++) {
        const [theirs, ours] = [
          await timed(send),
          await timed(() => call('res.partner', 'formatted_read_group', body(0, ids))),
        ]
        // The first round warms both sides.
        if (round === 0) continue
        bare.push(theirs)
        engine.push(ours)
      }
      const [ours, theirs] = [middle(engine), middle(bare)]
      lines.push(
        `${name}, ${rows} rows: ${ours.toFixed(0)} ms, the bare SQL ${theirs.toFixed(0)} ms, ratio ${(theirs / ours).toFixed(2)}`,
      )
    }
    return lines
  } finally {
    await client.end()
  }
}

/** Copies of the bench's partners until there are about `rows`, in one statement. */
async function multiply(client: pg.Client, ids: readonly number[], rows: number): Promise<void> {
  const { rows: columnRows } = await client.query(
    "SELECT quote_ident(column_name) AS name FROM information_schema.columns WHERE table_name = 'res_partner' AND column_name <> 'id' AND is_generated = 'NEVER'",
  )
  const columns = columnRows.map(({ name }) => name as string).join(', ')
  const times = Math.max(1, Math.floor(rows / ids.length) - 1)
  await client.query(
    `INSERT INTO res_partner (${columns}) SELECT ${columns} FROM res_partner, generate_series(1, ${times}) WHERE res_partner.id = ANY($1::int[])`,
    [`{${ids.join(',')}}`],
  )
  await client.query('VACUUM ANALYZE res_partner')
}
