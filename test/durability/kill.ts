// Kills a server and its PostgreSQL in the middle of concurrent creates, starts again and looks for every
// acknowledged record. node test/durability/kill.ts [--creates 1000] [--at-once 1000] [--rounds 1]
import { parseArgs } from 'node:util'
import { comptoir, type Served, serve } from '../support/serve.ts'
import { makeDataDir } from '../support/temp.ts'
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
  /** What a second `serve` on the same data directory said. */
  readonly second: { readonly code: number | null; readonly output: string }
  /** Exit code of the server when it was asked to stop at last. */
  readonly stopped: number | null
}

type Caller = (model: string, method: string, body: object) => Promise<unknown>

function callerOf(url: string, key: string): Caller {
  const headers = { authorization: `bearer ${key}`, 'content-type': 'application/json' }
  return async (model, method, body) => {
    const response = await fetch(`${url}/json/2/${model}/${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status !== 200)
      throw new Error(`${model}.${method}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
}

/**
 * Sends creates until `until` of them are acknowledged, then calls `strike` while the others are in flight.
 */
async function createMany(
  call: Caller,
  { creates, atOnce, until }: { creates: number; atOnce: number; until: number },
  strike: () => Promise<void>,
) {
  const acknowledged = new Map<number, string>()
  let next = 0
  let unanswered = 0
  let struck: Promise<void> | undefined
  const lane = async () => {
    while (next < creates && !struck) {
      const name = `kill-${next++}`
      try {
        const [id] = (await call('res.partner', 'create', {
          vals_list: [{ name, is_company: true, child_ids: [[0, 0, { name: `contact of ${name}` }]] }],
        })) as [number]
        acknowledged.set(id, name)
        if (acknowledged.size >= until) struck ??= strike()
      } catch (error) {
        if (!struck) throw error
        unanswered++
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  await struck
  return { acknowledged, unanswered }
}

/** One round in a directory of its own. Throws when a server does not start. */
export async function killDuringCreates({
  creates,
  atOnce,
}: {
  creates: number
  atOnce: number
}): Promise<Outcome> {
  const temp = makeDataDir('kill')
  let running: Served | undefined
  try {
    running = await serve(temp.path)
    const first = running
    const key = running.said('API key')
    const strike = async () => {
      const postmaster = postmasterOf(temp.path)
      if (postmaster === null) throw new Error('PostgreSQL left no process id.')
      await killAll([...withDescendants(first.pid), ...withDescendants(postmaster)])
    }
    const { acknowledged, unanswered } = await createMany(
      callerOf(running.url, key),
      { creates, atOnce, until: Math.ceil(creates * 0.4) },
      strike,
    )
    running = await serve(temp.path)
    const second = await comptoir('serve', '--port', '0', '--data-dir', temp.path)
    const call = callerOf(running.url, key)
    const rows = (await call('res.partner', 'search_read', {
      domain: [
        ['name', '=like', 'kill-%'],
        ['parent_id', '=', false],
      ],
      fields: ['name', 'child_ids'],
    })) as { id: number; name: string; child_ids: number[] }[]
    const names = new Map(rows.map((row) => [row.id, row.name]))
    return {
      acknowledged: acknowledged.size,
      unanswered,
      found: rows.length,
      lost: [...acknowledged].filter(([id, name]) => names.get(id) !== name).map(([id]) => id),
      halves: rows.filter((row) => row.child_ids.length !== 1).map((row) => row.id),
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
    if (outcome.lost.length || outcome.halves.length || second.code === 0) process.exitCode = 1
  }
}
