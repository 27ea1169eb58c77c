// Plays a phase on both sides and compares what came of it: answers, tables, change feed.
import { type Aligned, align, compareAnswers, type Finding, timesOf } from './answers.ts'
import { type Client, clientOf } from './client.ts'
import type { Exchange } from './exchange.ts'
import { compareFeedsUpToIds, compareUpToIds, type Links, linksOf } from './isomorphic.ts'
import type { Pair } from './pair.ts'
import type { Phase, PhaseOptions } from './phase.ts'
import type { Side } from './side.ts'
import { compareTables, readTables, type Tables } from './tables.ts'
import { Values } from './values.ts'

/** The findings of a phase. */
export interface Outcome {
  readonly requests: number
  readonly findings: readonly Finding[]
}

/** Models whose changes are followed; a question may name so many. */
const FOLLOWED = [
  'res.partner',
  'product.product',
  'sale.order',
  'sale.order.line',
  'purchase.order',
  'account.move',
  'account.move.line',
  'account.payment',
  'stock.picking',
  'stock.move',
  'pos.order',
  'pos.session',
]

/** Where the feed stands before a phase. */
interface FeedPosition {
  readonly question: object
  readonly cursor: string
}

/** The position of now, for those of the followed models that the database has. */
async function feedPosition(client: Client): Promise<FeedPosition> {
  const domain = [['model', 'in', FOLLOWED]]
  const models = await client.ask<{ model: string }[]>('ir.model/search_read', {
    domain,
    fields: ['model'],
    order: 'model',
  })
  const followed = Object.fromEntries(models.map(({ model }) => [model, { fields: [] }]))
  const question = { models: followed, limit: 500, compact: false }
  const { body } = await client.post('/x/1/changes', { ...question, from: 'now' })
  return { question, cursor: (body as { cursor: string }).cursor }
}

/** Reads all changes since a position: the pages are compared as other answers are. */
async function follow(client: Client, { question, cursor }: FeedPosition): Promise<void> {
  let at = cursor
  for (let more = true; more; ) {
    const { status, body } = await client.post('/x/1/changes', { ...question, cursor: at })
    if (status !== 200) return
    const page = body as { cursor: string; more: boolean }
    at = page.cursor
    more = page.more
  }
}

/** Plays the rounds of a phase on a side; gives what stopped it, if anything did. */
async function playAll(
  side: Side,
  phase: Phase,
  options: Omit<PhaseOptions, 'round'>,
  rounds: number,
): Promise<string | null> {
  const client = await clientOf(side, { lane: 0 })
  const position = await feedPosition(client)
  try {
    for (let round = 0; round < rounds; round++) await phase.play(side, { ...options, round })
    return null
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } finally {
    await follow(client, position)
  }
}

/** Aligns each lane by itself. */
function alignLanes(old: readonly Exchange[], other: readonly Exchange[]): Aligned {
  const lanes = new Set(old.map(({ lane }) => lane))
  const aligned = [...lanes].map((lane) =>
    align(
      old.filter((exchange) => exchange.lane === lane),
      other.filter((exchange) => exchange.lane === lane),
    ),
  )
  return {
    pairs: aligned.flatMap(({ pairs }) => pairs).sort(([left], [two]) => left.begin - two.begin),
    partings: aligned.flatMap(({ partings }) => partings),
  }
}

/** Says every half minute how far a phase is. */
function reportProgress(pair: Pair, phase: Phase): () => void {
  const timer = setInterval(() => {
    const [old, other] = [pair.old.recorder.exchanges.length, pair.new.recorder.exchanges.length]
    console.log(`  ${phase.name}: ${old} requests to the old side, ${other} to the new one`)
  }, 30_000)
  timer.unref()
  return () => clearInterval(timer)
}

/** Requests and tables that a phase left of one side. */
export interface Recording {
  readonly exchanges: readonly Exchange[]
  readonly tables: Tables
  /** The error that stopped the client, if any did. */
  readonly stopped: string | null
}

/** Plays a phase on a side, and reads what is in its tables then. */
export async function recordPhase(
  side: Side,
  phase: Phase,
  { shared, rounds, ...options }: Omit<PhaseOptions, 'round'> & RecordOptions,
): Promise<Recording> {
  const stopped = await playAll(side, phase, options, phase.repeats ? rounds : 1)
  return { exchanges: side.recorder.take(), tables: await readTables(side.db, shared), stopped }
}

interface RecordOptions {
  /** Columns that both databases have, by table; all without it. */
  readonly shared?: ReadonlyMap<string, readonly string[]>
  /** Rounds of a phase that repeats. */
  readonly rounds: number
}

/**
 * All differences of two recordings: answers in the order of requests, then tables in that of
 * transactions.
 */
export function compareRecordings(
  phase: Phase,
  old: Recording,
  other: Recording,
  { known: knownMarks, links }: { readonly known: ReadonlySet<string>; readonly links: Links },
): Finding[] {
  const isExact = phase.ids === 'exact'
  // Where calls run at the same time, the order of their changes is chance, and so is what is on a page.
  const isPage = ({ path }: Exchange) => !isExact && path.startsWith('/x/1/changes')
  const answers = [old, other].map(({ exchanges }) => exchanges.filter((exchange) => !isPage(exchange)))
  const aligned = alignLanes(...(answers as [Exchange[], Exchange[]]))
  const values = new Values(timesOf(aligned.pairs), phase.ids)
  const findings = compareAnswers(values, aligned)
  for (const [side, { stopped }] of [['old', old] as const, ['new', other] as const])
    if (stopped)
      findings.push({
        what: `the client of the ${side} side stopped`,
        request: 'the last one',
        detail: stopped,
      })
  const states = [old.tables, other.tables] as const
  const written = { old: old.exchanges, new: other.exchanges }
  if (isExact) return [...findings, ...compareTables(values, states, written, knownMarks)]
  const feeds = compareFeedsUpToIds(old.exchanges.filter(isPage), other.exchanges.filter(isPage))
  return [...findings, ...feeds, ...compareUpToIds(states, links)]
}

/** Plays a phase on both sides at once, each at its own speed, and compares. */
export async function comparePhase(
  pair: Pair,
  phase: Phase,
  options: Omit<PhaseOptions, 'round'>,
  rounds: number,
): Promise<Outcome> {
  const silence = reportProgress(pair, phase)
  const [old, other] = await Promise.all(
    ([pair.old, pair.new] as const).map((side) =>
      recordPhase(side, phase, { ...options, shared: pair.shared, rounds }),
    ) as [Promise<Recording>, Promise<Recording>],
  )
  silence()
  const links = await linksOf(pair.old.db)
  const findings = compareRecordings(phase, old, other, { known: pair.known, links })
  return { requests: old.exchanges.length, findings }
}
