// Plays vendored business stories on a server, and reads what the player says of them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import betterHere from './better-here.json' with { type: 'json' }

const vendor = join(import.meta.dirname, 'vendor')

/**
 * Kinds of stories that were recorded twice, from two seeds: 40 stories, and 8 in the folder `first`.
 */
const TWICE = ['documents', 'money', 'orders', 'prices', 'stock', 'till'] as const

/** Files of recorded stories, without their ending. */
export const FILES = [...TWICE, 'bank', 'buying', ...TWICE.map((kind) => `first/${kind}` as const)] as const
export type StoryFile = (typeof FILES)[number]

export interface Played {
  readonly stories: number
  /** Numbers of the stories in which something differs from the recording, without those that are judged. */
  readonly differing: readonly number[]
  /** Numbers of the stories that go on from a result of the recording that is wrong. */
  readonly better: readonly number[]
  readonly checks: number
  readonly failed: number
  readonly output: string
}

/** A story whose recording is wrong from its first difference on, and the reason. */
interface Judged {
  /** What the player says of that difference. */
  readonly first: string
  readonly why: string
}

const JUDGED: Partial<Record<string, Record<string, Judged>>> = betterHere

const LAST = /^journeys: (\d+) of (\d+) agree; checks: (\d+) of (\d+)$/m

/**
 * Throws when the player ends without its last line. `more` are further options of the player, such as
 * `--only 3`.
 */
export async function play(
  server: { readonly url: string; readonly database: string },
  key: string,
  file: StoryFile,
  more: readonly string[] = [],
): Promise<Played> {
  const target = ['--url', server.url, '--db', server.database, '--key', key]
  const args = [join(vendor, 'journeys.mjs'), 'replay', ...target, '--show', '1000000', ...more]
  const child = spawn(process.execPath, [...args, join(vendor, `${file}.json`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
  await once(child, 'close')
  const [, agreed, stories, held, checks] = (LAST.exec(output) ?? []).map(Number)
  if (agreed === undefined || stories === undefined || held === undefined || checks === undefined)
    throw new Error(`The player of ${file} ended early:\n${output.slice(-4000)}`)
  const all = [...output.matchAll(/^\w+ \d+\/(\d+) \(.*\): \n(.*\n.*\n.*)/gm)].map(
    ([, number = '', first = '']) => ({
      number: Number(number),
      isBetter: JUDGED[file]?.[number]?.first === first.trim().replace(/\s+/g, ' '),
    }),
  )
  const numbersOf = (isBetter: boolean) =>
    all.filter((one) => one.isBetter === isBetter).map(({ number }) => number)
  return {
    stories,
    differing: numbersOf(false),
    better: numbersOf(true),
    checks,
    failed: checks - held,
    output,
  }
}
