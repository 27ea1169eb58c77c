// Plays the vendored business stories of a kind on a server, and reads the player's last line.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const vendor = join(import.meta.dirname, 'vendor')

export const KINDS = ['documents', 'money', 'orders', 'prices', 'stock', 'till'] as const
export type Kind = (typeof KINDS)[number]

export interface Played {
  readonly journeys: number
  /** Journeys in which something differs. */
  readonly differ: number
  readonly checks: number
  readonly failed: number
  /** Steps that were left out: they need models that are not there yet. */
  readonly left: number
  readonly output: string
}

const LAST = /^journeys: (\d+) of (\d+) agree; checks: (\d+) of (\d+)$/m

/**
 * Throws when the player ends without its last line. `more` are further options of the player, such as
 * `--only 3`.
 */
export async function play(
  server: { readonly url: string; readonly database: string },
  key: string,
  kind: Kind,
  more: readonly string[] = [],
): Promise<Played> {
  const target = ['--url', server.url, '--db', server.database, '--key', key]
  const args = [
    join(vendor, 'journeys.mjs'),
    'replay',
    ...target,
    '--present',
    ...more,
    join(vendor, `${kind}.json`),
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
  await once(child, 'close')
  const [, agreed, journeys, held, checks] = (LAST.exec(output) ?? []).map(Number)
  if (agreed === undefined || journeys === undefined || held === undefined || checks === undefined)
    throw new Error(`The player of ${kind} ended early:\n${output.slice(-4000)}`)
  const left = Number(/^left out: (\d+) steps/m.exec(output)?.[1] ?? 0)
  return { journeys, differ: journeys - agreed, checks, failed: checks - held, left, output }
}
