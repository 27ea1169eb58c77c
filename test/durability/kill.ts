// Kills a server and its PostgreSQL in the middle of concurrent creates, by calls with keys, by batches and
// in rehearsals; starts again, looks for every acknowledged record, sends everything once more with its key,
// and reads the feed across all of it.
// node test/durability/kill.ts [--creates 1000] [--at-once 1000] [--rounds 1]
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { comptoir, type Served, serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
import { Follower } from './follower.ts'
import { amid, forgetLeases, judge, type Later, type Promised, promise, strikeDown } from './later.ts'
import { canLook, killAll, postmasterOf, withDescendants } from './processes.ts'

export interface Outcome {
  /** Creates that were answered with an id before the kill. */
  readonly acknowledged: number
  /** Creates that were sent and never answered: they may be there or not. */
  readonly unanswered: number
  /** Records found after the restart. */
  readonly found: number
  /** Ids that were acknowledged and are gone or are not what was sent. Must be empty. */
  readonly lost: readonly number[]
  /**
   * Ids of companies that are there without their contact, which was part of the same call. Must be empty.
   */
  readonly halves: readonly number[]
  /** Names that are there more or less often than once after all was sent again. Must be empty. */
  readonly notOnce: readonly string[]
  /** Acknowledged names whose retry was answered with another id. Must be empty. */
  readonly otherwise: readonly string[]
  /** Rehearsed records that are there. Must be none. */
  readonly rehearsed: number
  /** Changes that a reader of the feed received before the kill, and faults in all that it received. */
  readonly feed: { readonly before: number; readonly flaws: readonly string[] }
  /** The outcome of jobs and bulk imports that had been accepted; null if there were none. */
  readonly later: Later | null
  /** Exit code and output of a second `serve` on the same data directory. */
  readonly second: { readonly code: number | null; readonly output: string }
  /** Exit code of the server when it was asked to stop at last. */
  readonly stopped: number | null
}

type Caller = (path: string, body: object, headers?: Record<string, string>) => Promise<unknown>

/** A thousand at once take what they take: nothing is refused for its time. */
const PATIENT = ['--limit', 'batch-seconds=600']

/** Times that somebody comes again who was refused for the moment: a thousand wait for eight places. */
const PATIENCE = 100

function callerOf(url: string, key: string): Caller {
  return async (path, body, headers = {}) => {
    for (let time = 0; ; time++) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      if (response.status === 200) return JSON.parse(text)
      const pause = Number(response.headers.get('retry-after'))
      if (response.status !== 503 || !pause || time === PATIENCE)
        throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
      await sleep(pause * 1000)
    }
  }
}

const CREATE = '/json/2/res.partner/create'

/** A company and its contact, by one call or by a batch in turns, each with a key of its own. */
async function createOne(call: Caller, n: number): Promise<number> {
  const [name, keyed] = [`kill-${n}`, { 'idempotency-key': `"kill-${n}"` }]
  const company = { name, is_company: true }
  const contact = { name: `contact of ${name}` }
  if (n % 2 === 0) {
    const vals = { ...company, child_ids: [[0, 0, contact]] }
    return ((await call(CREATE, { vals_list: [vals] }, keyed)) as [number])[0]
  }
  const create = (vals: object) => ({ model: 'res.partner', method: 'create', body: { vals_list: [vals] } })
  const calls = [{ id: 'c', ...create(company) }, create({ ...contact, parent_id: { $ref: '/c/0' } })]
  const { results } = (await call('/x/1/batch', { calls }, keyed)) as { results: { body: [number] }[] }
  return results[0]?.body[0] as number
}

interface Creating {
  readonly creates: number
  readonly atOnce: number
  /** So many are acknowledged before anything is done. */
  readonly until: number
  /** Done while they go on. */
  ready(): Promise<void>
  /** Done while the last of them are in flight. */
  strike(): Promise<void>
}

async function createMany(call: Caller, { creates, atOnce, until, ready, strike }: Creating) {
  const acknowledged = new Map<number, number>()
  let next = 0
  let unanswered = 0
  let struck: Promise<void> | undefined
  let readied: Promise<void> | undefined
  const begin = async () => {
    await ready()
    struck = strike()
    await struck
  }
  const lane = async () => {
    while (next < creates && !struck) {
      const n = next++
      try {
        if (n % 5 === 0) await call(CREATE, { vals_list: [{ name: 'rehearsed' }] }, { prefer: 'tx=rollback' })
        acknowledged.set(n, await createOne(call, n))
        if (acknowledged.size >= until) readied ??= begin()
      } catch (error) {
        if (!struck) throw error
        unanswered++
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  await readied
  return { acknowledged, unanswered, sent: next }
}

/** Sends everything again with its keys; gives the ids that came. */
async function sendAgain(call: Caller, sent: number): Promise<number[]> {
  const ids: number[] = []
  const numbers = Array.from({ length: sent }, (_, n) => n).values()
  const lane = async () => {
    for (const n of numbers) ids[n] = await createOne(call, n)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  return ids
}

interface Company {
  readonly id: number
  readonly name: string
  readonly child_ids: readonly number[]
}

const companies = (call: Caller) =>
  call('/json/2/res.partner/search_read', {
    domain: [
      ['name', '=like', 'kill-%'],
      ['parent_id', '=', false],
    ],
    fields: ['name', 'child_ids'],
  }) as Promise<Company[]>

/** One round in a directory of its own. Throws when a server does not start. */
export async function killDuringCreates({
  creates,
  atOnce,
  until = Math.ceil(creates * 0.4),
  later,
}: {
  creates: number
  atOnce: number
  until?: number
  later?: { readonly jobs: number; readonly rows: number }
}): Promise<Outcome> {
  const temp = makeDataDir('kill')
  let running: Served | undefined
  try {
    running = await serve(temp.path, PATIENT)
    const first = running
    const [key, database] = [running.said('API key'), running.said('database')]
    const waits: { promised?: Promised; kept: number } = { kept: 0 }
    const follower = new Follower()
    const before = callerOf(running.url, key)
    await follower.read(before)
    const following = follower.follow(before)
    const { acknowledged, unanswered, sent } = await createMany(before, {
      creates,
      atOnce,
      until,
      ready: async () => {
        if (!later) return
        waits.promised = await promise({ url: first.url, key }, later)
        waits.kept = await amid({ url: first.url, key }, waits.promised, 0)
      },
      strike: () => strikeDown(first, temp.path),
    })
    await following
    const countBefore = follower.count
    running = await serve(temp.path, PATIENT)
    await forgetLeases(temp.path, database)
    const second = await comptoir('serve', '--port', '0', '--data-dir', temp.path)
    const call = callerOf(running.url, key)
    const rows = await companies(call)
    const names = new Map(rows.map((row) => [row.id, row.name]))
    const again = await sendAgain(call, sent)
    const after = await companies(call)
    const all = Map.groupBy(after, ({ name }) => name)
    while (await follower.read(call));
    const rehearsed = [['name', '=', 'rehearsed']]
    return {
      acknowledged: acknowledged.size,
      unanswered,
      found: rows.length,
      lost: [...acknowledged].flatMap(([n, id]) => (names.get(id) === `kill-${n}` ? [] : [id])),
      halves: rows.filter((row) => row.child_ids.length !== 1).map((row) => row.id),
      notOnce: again.flatMap((_, n) => (all.get(`kill-${n}`)?.length === 1 ? [] : [`kill-${n}`])),
      otherwise: [...acknowledged].flatMap(([n, id]) => (again[n] === id ? [] : [`kill-${n}`])),
      rehearsed: Number(await call('/json/2/res.partner/search_count', { domain: rehearsed })),
      feed: {
        before: countBefore,
        flaws: follower.flaws(after.flatMap((row) => [row.id, ...row.child_ids])),
      },
      later: waits.promised ? await judge({ url: running.url, key }, waits.promised, waits.kept) : null,
      second,
      stopped: await running.stop(),
    }
  } finally {
    await running?.stop()
    const postmaster = canLook ? postmasterOf(temp.path) : null
    if (postmaster) await killAll(withDescendants(postmaster))
    temp.remove()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      creates: { type: 'string', default: '1000' },
      'at-once': { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '1' },
    },
  })
  for (let round = 1; round <= Number(values.rounds); round++) {
    const { second, ...outcome } = await killDuringCreates({
      creates: Number(values.creates),
      atOnce: Number(values['at-once']),
    })
    console.log(JSON.stringify({ round, ...outcome, secondServeRefused: second.code !== 0 }))
    const { lost, halves, notOnce, otherwise, rehearsed, feed } = outcome
    if (
      [lost, halves, notOnce, otherwise, feed.flaws].some((list) => list.length) ||
      rehearsed ||
      second.code === 0
    )
      process.exitCode = 1
  }
}
