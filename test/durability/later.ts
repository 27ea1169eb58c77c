// Work that a server has promised for later when it is killed: jobs, rows of a file, and a call that skips
// rows that fail. Afterwards each was done once, in whole or not at all.
// node test/durability/later.ts [--jobs 200] [--rows 100000] [--kills 2]
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { attachEmbedded } from '../../src/postgres/embedded/index.ts'
import { type Served, serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
import { killAll, postmasterOf, withDescendants } from './processes.ts'

/** A server and the key of its administrator. */
export interface At {
  readonly url: string
  readonly key: string
}

interface Amount {
  readonly jobs: number
  /** Rows of a file, each thousandth of which is wrong. */
  readonly rows: number
}

/** Jobs and bulk imports that had been accepted. */
export interface Promised extends Amount {
  readonly ids: readonly string[]
  readonly bulk: string
}

interface Job {
  readonly state: string
  readonly attempts: number
  readonly progress: { readonly done: number; readonly of: number }
}

/** The outcome of accepted jobs and imports. Lists must be empty. */
export interface Later {
  /** Jobs that are not done, or did not do what they were to do once. */
  readonly wrong: readonly string[]
  /** Rows that are there, of `rows` without the wrong ones. */
  readonly rows: number
  readonly right: number
  /** Lines that failed and should not have, and the other way round. */
  readonly lines: readonly number[]
  /** Rows that were done by the last kill: progress begins there. */
  readonly kept: number
  /** Rows of the call that skips what fails: all that are right, or none. */
  readonly skipped: number
  readonly attempts: number
}

/** Each so manieth row is wrong. */
const WRONG = 1000
const isWrong = (n: number) => n % WRONG === 7
/** Rows of the call that skips what fails. */
const SKIPPING = 200

async function ask({ url, key }: At, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json', ...init.headers }
  const response = await fetch(`${url}${path}`, { ...init, headers })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
  return /^application\/json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}
const post = (at: At, path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(at, path, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** Queues jobs that each make one record, and a file of rows. */
export async function promise(at: At, { jobs, rows }: Amount): Promise<Promised> {
  const lines = Array.from({ length: rows }, (_, n) =>
    JSON.stringify({ external_id: `later.r_${n}`, name: `row ${n}`, color: isWrong(n) ? 'red' : 1 }),
  )
  const types = { 'content-type': 'application/x-ndjson' }
  const { id: bulk } = (await post(at, '/x/1/bulk/res.partner?on_error=skip', lines.join('\n'), types)) as {
    id: string
  }
  const ids: string[] = []
  for (let n = 0; n < jobs; n++) {
    const body = { vals_list: [{ name: `job ${n}` }] }
    const { id } = (await post(at, '/json/2/res.partner/create', body, { prefer: 'respond-async' })) as {
      id: string
    }
    ids.push(id)
  }
  return { ids, bulk, jobs, rows }
}

const look = (at: At, id: string) => ask(at, `/x/1/jobs/${id}`) as Promise<Job>

/**
 * Waits until the import has created more than `before` records, and sends a call whose answer gets
 * lost. Returns the number of records.
 */
export async function amid(at: At, { bulk }: Promised, before: number): Promise<number> {
  const vals_list = Array.from({ length: SKIPPING }, (_, n) => ({
    external_id: `later.s_${n}`,
    name: `skip ${n}`,
    color: n % 100 === 50 ? 'red' : 1,
  }))
  for (;;) {
    const { progress } = await look(at, bulk)
    if (progress.done > before) {
      const body = { key: 'external_id', vals_list, on_error: 'skip' }
      post(at, '/json/2/res.partner/upsert', body).catch(() => undefined)
      return progress.done
    }
    await sleep(5)
  }
}

/** Ends the leases of killed processes, which would expire after a minute. */
export async function forgetLeases(dataDir: string, database: string): Promise<void> {
  const at = await attachEmbedded(dataDir)
  if (!at) throw new Error('the embedded server does not run')
  const client = new pg.Client({ ...at, database } as pg.ClientConfig)
  await client.connect()
  await client.query(`WITH dead AS (UPDATE comptoir_job SET claimed = now() - interval '5 minutes'
      WHERE state = 'running' AND claimed < pg_postmaster_start_time() RETURNING id)
    UPDATE comptoir_job_lease SET until = now() - interval '1 second' WHERE job IN (SELECT id FROM dead)`)
  await client.end()
}

/** Waits until all is over, and judges it. */
export async function judge(at: At, { ids, bulk, rows }: Promised, kept: number): Promise<Later> {
  const count = (domain: unknown[]) =>
    post(at, '/json/2/res.partner/search_count', { domain }) as Promise<number>
  const over = async (id: string): Promise<Job> => {
    for (;;) {
      const job = await look(at, id)
      if (!['queued', 'running'].includes(job.state)) return job
      if (id === bulk && job.progress.done < kept) throw new Error(`Progress fell from ${kept}`)
      await sleep(50)
    }
  }
  const wrong: string[] = []
  let attempts = 0
  for (const [n, id] of ids.entries()) {
    const job = await over(id)
    attempts = Math.max(attempts, job.attempts)
    const created = await count([['name', '=', `job ${n}`]])
    if (job.state !== 'done' || created !== 1) wrong.push(`job ${n}: ${job.state}, ${created} records`)
  }
  const file = await over(bulk)
  if (file.state !== 'done') wrong.push(`the file: ${JSON.stringify(file)}`)
  const lines = String(await ask(at, `/x/1/jobs/${bulk}/result`))
    .trimEnd()
    .split('\n')
  const failed = lines.flatMap((text) => {
    const { line, status } = JSON.parse(text) as { line?: number; status?: string }
    return status === 'failed' && line !== undefined ? [line] : []
  })
  const expected = Array.from({ length: rows }, (_, n) => n).filter(isWrong)
  return {
    wrong,
    rows: await count([['name', '=like', 'row %']]),
    right: rows - expected.length,
    lines: [...new Set(expected.map((n) => n + 1)).symmetricDifference(new Set(failed))],
    kept,
    skipped: await count([['name', '=like', 'skip %']]),
    attempts: Math.max(attempts, file.attempts),
  }
}

/** Whether it is as it should be. */
export const isRight = ({ wrong, rows, right, lines, skipped }: Later): boolean =>
  wrong.length + lines.length === 0 && rows === right && [0, SKIPPING - SKIPPING / 100].includes(skipped)

/** Kills a server and its PostgreSQL. */
export async function strikeDown(server: Served, dataDir: string): Promise<void> {
  const postmaster = postmasterOf(dataDir)
  if (postmaster === null) throw new Error('PostgreSQL left no process id.')
  await killAll([...withDescendants(server.pid), ...withDescendants(postmaster)])
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      jobs: { type: 'string', default: '200' },
      rows: { type: 'string', default: '100000' },
      kills: { type: 'string', default: '2' },
    },
  })
  const temp = makeDataDir('later')
  let server = await serve(temp.path)
  try {
    const [key, database] = [server.said('API key'), server.said('database')]
    const promised = await promise(
      { url: server.url, key },
      { jobs: Number(values.jobs), rows: Number(values.rows) },
    )
    let kept = 0
    for (let kill = 0; kill < Number(values.kills); kill++) {
      kept = await amid({ url: server.url, key }, promised, kept)
      await strikeDown(server, temp.path)
      server = await serve(temp.path)
      await forgetLeases(temp.path, database)
    }
    const later = await judge({ url: server.url, key }, promised, kept)
    console.log(JSON.stringify(later))
    if (!isRight(later)) process.exitCode = 1
  } finally {
    await server.stop()
    temp.remove()
  }
}
