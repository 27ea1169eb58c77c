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
  /** Numbers of the stories that are listed as such and go otherwise than the list says. */
  readonly unlisted: readonly number[]
  readonly checks: number
  readonly failed: number
  readonly output: string
}

/** A story whose recording is wrong from its first difference on, and the reason. */
interface Judged {
  /** The player's words about that difference. */
  readonly first: string
  /** The number of steps and checks that differ. */
  readonly differences: number
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
  const reports = new Map(
    output.split(/^(?=\w+ \d+\/\d+ \(.*\): $)/m).flatMap((part) => {
      const [, number] = /^\w+ \d+\/(\d+) \(.*\): $/m.exec(part) ?? []
      return number ? [[number, part.slice(part.indexOf('\n'))]] : []
    }),
  )
  const listed = Object.entries(JUDGED[file] ?? {})
  const better = listed.filter(([number, judged]) => goesAsJudged(reports.get(number), judged))
  const numbers = (keys: readonly string[]) => keys.map(Number)
  const judgedAs = new Set(better.map(([number]) => number))
  return {
    stories,
    differing: numbers([...reports.keys()].filter((number) => !judgedAs.has(number))),
    better: numbers([...judgedAs]),
    unlisted: more.length ? [] : numbers(listed.flatMap(([number]) => (judgedAs.has(number) ? [] : number))),
    checks,
    failed: checks - held,
    output,
  }
}

/** Whether what the player says of a story begins, and has as many differences, as its judgement says. */
function goesAsJudged(report: string | undefined, { first, differences }: Judged): boolean {
  const words = report?.trim().replace(/\s+/g, ' ') ?? ''
  return words.startsWith(first) && (report?.match(/^ +step \d+ /gm) ?? []).length === differences
}
