// Two fresh servers: one with all that lies beyond the documented API, one with nothing of it. Each has a
// PostgreSQL of its own: a server that keeps no changes says so in every database that it sees.
import { modules } from '../../../src/main.ts'
import { createKey } from '../../../src/services/admin.ts'
import { openTestDatabase } from '../../support/databases.ts'
import { type Served, serve } from '../../support/serve.ts'
import { makeTemp } from '../../support/temp.ts'
import { type Asker, askerOf } from './asker.ts'

export interface Pair {
  readonly on: Asker
  readonly off: Asker
  /** The server of `on`, and its key. */
  readonly node: Served
  readonly key: string
}

/** Actions that close what was opened, run in reverse order. */
type Closing = (() => unknown)[]

/** Runs `work` with a pair, which is gone afterwards. */
export async function withPair<T>(work: (pair: Pair) => Promise<T>): Promise<T> {
  const closing: Closing = []
  try {
    const temp = makeTemp('bench-extensions')
    closing.push(() => temp.remove())
    const on = await start(closing, `${temp.path}/on`, [
      '--webhook-allow',
      '127.0.0.0/8',
      '--webhook-http',
      'yes',
    ])
    const off = await start(closing, `${temp.path}/off`, ['--extensions', 'no'])
    return await work({ on: on.asker, off: off.asker, node: on.node, key: on.key })
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

async function start(closing: Closing, path: string, args: readonly string[]) {
  const fixture = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
  closing.push(() => fixture.close())
  const { host, port, user, password } = fixture.databases.address
  const url = `postgres://${user}:${password}@${host}:${port}/postgres`
  const node = await serve(path, ['--database-url', url, ...args])
  closing.push(() => node.stop())
  const key = await createKey(fixture.databases, 'test', 'admin', { scope: null, name: 'bench', days: 1 })
  return { node, key, asker: askerOf(node, key) }
}
