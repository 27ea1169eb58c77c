// npm run values: costs of narrow keys, typed values, pages by cursor and many rows, in one run.
// Run by hand, not by the tests: the figures depend on the machine.
// npm run values -- [--only reads,agents,pages,out,in] [--rows 1000000] [--rounds 31] [--amount 300]
//   [--seconds 110] for all reads, [--before DIR or COMMIT], another checkout:
//   8b4ccfb~1 is the last without extensions
// npm run values -- --only calls --before COMMIT     (common calls, compared with an earlier commit)
import { parseArgs } from 'node:util'
import pg from 'pg'
import { attachEmbedded } from '../../../src/postgres/embedded/index.ts'
import { postmasterOf } from '../../durability/processes.ts'
import { serve } from '../../support/serve.ts'
import { makeTemp } from '../../support/temp.ts'
import { agents } from './agents.ts'
import { calls } from './calls.ts'
import { type Filled, pages } from './pages.ts'
import { reads } from './reads.ts'
import { into, out } from './rows.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'reads,agents,pages,out,in' },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '31' },
    amount: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '110' },
    before: { type: 'string' },
  },
})
const only = new Set(values.only.split(','))
const [rows, rounds, amount] = [values.rows, values.rounds, values.amount].map(Number) as [
  number,
  number,
  number,
]
const tell = (lines: readonly string[]) => {
  for (const line of lines) console.log(line)
}

/** Contacts made by the database itself, and what it knows of them gathered. */
async function filledWith(address: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  // Those for patterns take most of the time, and no page is sought by them.
  const { rows: patterns } = await client.query<{ name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am m ON m.oid = c.relam
      WHERE indrelid = 'res_partner'::regclass AND m.amname = 'gin'`,
  )
  for (const { name } of patterns) await client.query(`DROP INDEX ${name}`)
  await client.query(
    `INSERT INTO res_partner (name, complete_name, email, color, active, is_company, type, create_uid, write_uid, create_date, write_date)
    SELECT name, name, 'e' || n || '@example.com', n % 12, true, n % 10 = 0, 'contact', 1, 1, moment, moment
    FROM generate_series(1, ${rows}) AS n, LATERAL (SELECT 'Partner ' || substr(md5(n::text), 1, 8) AS name, timestamp '2020-01-01' + n / 3 * interval '1 second' AS moment) AS made`,
  )
  await client.query('VACUUM ANALYZE')
  await client.end()
}

async function many(): Promise<void> {
  const temp = makeTemp('values')
  const server = await serve(temp.path)
  try {
    const at = await attachEmbedded(temp.path)
    if (!at) throw new Error('the embedded server does not run')
    const postgres = postmasterOf(temp.path)
    const database = server.said('database')
    const { user, password, host, port } = at
    const address = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`
    const filled: Filled = {
      url: server.url,
      key: server.said('API key'),
      pid: server.pid,
      postgres,
      rows,
      database,
      address,
    }
    if (only.has('pages') || only.has('out')) {
      const began = performance.now()
      await filledWith(address)
      console.error(`${rows} contacts made in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    }
    if (only.has('pages')) await pages(filled, rounds, tell)
    if (only.has('out')) tell(await out(filled))
    if (only.has('in')) tell(await into(filled, rows, (line) => console.error(line)))
  } finally {
    await server.stop()
    temp.remove()
  }
}

const size = { seconds: Number(values.seconds), amount, before: values.before }
if (only.has('reads')) await reads(size, (line) => console.log(line))
if (only.has('calls')) await calls(size, (line) => console.log(line))
if (only.has('agents')) tell(await agents())
if (only.has('pages') || only.has('out') || only.has('in')) await many()
