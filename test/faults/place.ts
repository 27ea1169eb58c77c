// The shop that the business-fault harness works in: on the hosts of the recipe for high availability, called
// by clients that send again, with a key, whatever was not answered.
import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { Recipe } from '../machines/hosts/recipe.ts'
import type { Accounting } from '../support/accounting.ts'
import type { Answer, Office, To } from '../support/office.ts'
import { makeTemp } from '../support/temp.ts'
import { type Till, tillOver } from '../support/till.ts'

export const DATABASE = 'books'

/** Milliseconds until a client gives an attempt up. */
const PATIENCE = 30_000
/** Seconds by which the clocks of the second node and of two members are wrong. */
const SKEW = { node2: 90, db2: -40, db3: 40 } as const

export interface Place {
  readonly recipe: Recipe
  readonly databases: Databases
  readonly key: string
  /** Both nodes past the balancer, in turns; and the balancer. */
  readonly urls: readonly string[]
  readonly office: Accounting & Office<never>
  readonly till: Till
  /** Attempts that were answered by nothing or by "come again", by kind. */
  readonly again: ReadonlyMap<string, number>
  close(): Promise<void>
}

export async function openPlace(note: (words: string) => void): Promise<Place> {
  const temp = makeTemp('faults')
  const recipe = await Recipe.follow(note, { megabytesOfDisk: 1500 })
  await setNodesUp(recipe)
  await skewMembers(recipe, note)
  const databases = await Databases.open({ databaseUrl: recipe.databaseUrl, dataDir: temp.path, modules })
  await databases.create(DATABASE, { modules: modules.map(({ name }) => name) })
  const key = await createKey(databases, DATABASE, 'admin', { scope: null, name: 'faults', days: 1 })
  const urls = [...recipe.nodeUrls, recipe.url]
  const again = new Map<string, number>()
  const call = persistent(urls, key, again)
  const office = {
    run: async (work: Parameters<Till['run']>[0]) => {
      for (;;) {
        try {
          return await (await databases.database(DATABASE)).system(work)
        } catch (error) {
          count(again, `judge: ${error instanceof Error ? error.message.slice(0, 60) : 'away'}`)
          await sleep(1000)
        }
      }
    },
    address: databases.address,
    tamper: () => Promise.reject(new Error('Nobody tampers here.')),
    get: () => Promise.reject(new Error('Nobody reads pages here.')),
    call: (_person: string, path: string, body: object, to?: To) => call(path, body, to),
    close: async () => undefined,
  } as unknown as Office<string>
  const till = await tillOver(office as Parameters<typeof tillOver>[0])
  return {
    recipe,
    databases,
    key,
    urls,
    office,
    till,
    again,
    async close() {
      await databases.close()
      await recipe.close()
      temp.remove()
    },
  }
}

/** Webhooks may go to the host of the test, and the second node has another clock. */
async function setNodesUp(recipe: Recipe): Promise<void> {
  const skewed = new URL('skewed-clock.js', import.meta.url).pathname
  for (const name of ['node1', 'node2']) {
    const lines = ['COMPTOIR_WEBHOOK_ALLOW=10.0.0.0/24', 'COMPTOIR_WEBHOOK_HTTP=yes']
    if (name === 'node2') lines.push(`NODE_OPTIONS=--import=${skewed}`, `SKEW_SECONDS=${SKEW.node2}`)
    await recipe
      .host(name)
      .run(`printf '%s\\n' ${lines.join(' ')} >> /etc/comptoir.env\nsystemctl restart comptoir`)
  }
  await recipe.ready()
}

/** PostgreSQL and Patroni of two members get other clocks, where a compiler makes the library for that. */
async function skewMembers(recipe: Recipe, note: (words: string) => void): Promise<void> {
  const library = '/opt/skewed-clock.so'
  const source = new URL('skewed-clock.c', import.meta.url).pathname
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-o', library, source])
  if (status !== 0) return note('PostgreSQL keeps its clock: there is no C compiler')
  for (const name of ['db2', 'db3'] as const) {
    const lines = `LD_PRELOAD=${library} SKEW_SECONDS=${SKEW[name]}`
    await recipe.host(name).run(`printf '%s\\n' ${lines} >> /etc/patroni_env.conf\nsystemctl restart patroni`)
    await recipe.whole()
    const ahead = 'SELECT round(extract(epoch FROM clock_timestamp()) - $(date +%s))'
    const seconds = await recipe.host(name).run(`runuser -u postgres -- psql -Atc "${ahead}"`)
    note(`${name}: its clock is ${seconds.trim()} s ahead`)
  }
}

export function count(map: Map<string, number>, kind: string): void {
  map.set(kind, (map.get(kind) ?? 0) + 1)
}

/** Whether the call had no effect, or an unknown one, so that it is repeated with its key. */
const isOpen = ({ status, headers }: Answer): boolean =>
  status === 429 ||
  // A line that was silent for a minute was closed while the call was on its way.
  status === 408 ||
  // A statement that took too long, among others that wait: tried again as a till would.
  status === 413 ||
  (status >= 502 && status <= 504) ||
  (status === 409 && headers.get('error-code') !== 'idempotency_answer_not_kept')

/** Calls with a key each, sent until they are answered: 200, or a refusal. */
function persistent(urls: readonly string[], key: string, again: Map<string, number>) {
  let number = 0
  return async (path: string, body: object, { node, headers = {}, signal }: To = {}): Promise<Answer> => {
    const turn = number++
    const sent = {
      method: 'POST',
      headers: {
        authorization: `bearer ${key}`,
        'content-type': 'application/json',
        'x-service-database': DATABASE,
        'idempotency-key': `faults-${turn}`,
        ...headers,
      },
      body: JSON.stringify(body),
    }
    for (let tries = 0; ; tries++) {
      const url = urls[node ?? (turn + tries) % urls.length]
      try {
        const limit = AbortSignal.timeout(PATIENCE)
        const response = await fetch(`${url}/json/2/${path}`, {
          ...sent,
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
        })
        const text = await response.text()
        const answer = {
          status: response.status,
          headers: response.headers,
          body: text ? JSON.parse(text) : null,
        }
        if (!isOpen(answer)) return answer
        count(again, `${answer.status} ${answer.headers.get('x-comptoir-outcome') ?? ''}`)
      } catch (error) {
        if (signal?.aborted) throw error
        count(again, 'no answer')
      }
      await sleep(Math.min(2000, 100 * 2 ** tries))
    }
  }
}
