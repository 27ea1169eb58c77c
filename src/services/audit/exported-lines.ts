// Checks lines of audit logs that were kept outside, without the database that they came from: hashes, order,
// and places of the chain that have no line.
import { CHAIN_START, type ChainHead, linkHash } from '../../kit/chain.ts'
import { sha256Hex } from '../../kit/sha256.ts'

/** The result of the check of the lines of one database. */
export interface KeptChain {
  readonly database: string
  readonly lines: number
  /** The first place in the lines; above place 1 its own hash could not be checked. */
  readonly from: number
  readonly to: number
  /** The hash of the last line: the database has the same at this place. */
  readonly hash: string
  /** Places without a line, by ranges, that were removed by the retention that was set. */
  readonly trimmed: readonly Range[]
  readonly problem: KeptProblem | null
}

export interface KeptProblem {
  /** The number of the line, from 1; null for places that no line has. */
  readonly line: number | null
  readonly message: string
}

type Range = readonly [from: number, to: number]

/** Lines that may come again: a receiver gets a portion twice where a server was lost. */
const AGAIN = 2000
/** Ranges without a line that are kept. */
const MOST_GAPS = 1000

/** A number as it is written: JSON has more digits than JavaScript. */
class Written {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

interface State {
  head: ChainHead
  from: number
  lines: number
  readonly recent: Map<number, string>
  readonly gaps: Range[]
  trimmed: readonly Range[]
  problem: KeptProblem | null
}

/** Takes lines in their order; holds a few thousand of them at most. */
export class KeptLines {
  readonly #states = new Map<string, State>()
  #line = 0
  #unreadable: KeptProblem | null = null
  /** Lines that are in no chain: events of whole databases. */
  outside = 0

  /** The first line that is not one of an audit log. */
  get unreadable(): KeptProblem | null {
    return this.#unreadable
  }

  take(text: string): void {
    this.#line++
    if (text.trim() === '') return
    const line = lineIn(text)
    const database = line?.database
    if (!line || !('event' in line)) {
      this.#unreadable ??= { line: this.#line, message: `Line ${this.#line} is not a line of an audit log.` }
    } else if (line.position === undefined || typeof database !== 'string') this.outside++
    else this.#takeEntry(database, line)
  }

  #takeEntry(database: string, line: Record<string, unknown>): void {
    const position = numberIn(line.position)
    const hash = String(line.hash)
    const state = this.#states.get(database) ?? fresh(position)
    this.#states.set(database, state)
    if (state.problem) return
    state.lines++
    const content = contentOf(line)
    const mark = sha256Hex(`${hash}${content}`)
    const problem = (message: string) => {
      state.problem = { line: this.#line, message: `Line ${this.#line}, place ${position}: ${message}` }
    }
    if (position <= state.head.position) {
      const before = state.recent.get(position)
      if (before === undefined)
        problem('the lines are not in the order of the chain. Give the files from the oldest to the newest.')
      else if (before !== mark) problem('the line differs from the one with the same place before it.')
      return
    }
    const isNext = position === state.head.position + 1
    if (isNext && (position === 1 || state.lines > 1) && hash !== linkHash(state.head.hash, content)) {
      problem('the line was changed, or a line before it was inserted or changed.')
      return
    }
    if (!isNext && state.gaps.length >= MOST_GAPS) {
      problem(`more than ${MOST_GAPS} ranges of positions before it have no line.`)
      return
    }
    if (!isNext) state.gaps.push([state.head.position + 1, position - 1])
    state.head = { position, hash }
    state.recent.set(position, mark)
    state.recent.delete(position - AGAIN)
    if (line.event === 'audit.trim') state.trimmed = rangesIn(line.detail) ?? state.trimmed
  }

  /** One result for each database, in the order in which they came. */
  get chains(): readonly KeptChain[] {
    return [...this.#states].map(([database, { head, from, lines, gaps, trimmed, problem }]) => {
      const isTrimmed = ([low, high]: Range) => trimmed.some(([from, to]) => from <= low && high <= to)
      const [missing] = gaps.filter((gap) => !isTrimmed(gap))
      return {
        ...{ database, lines, from, to: head.position, hash: head.hash },
        trimmed: gaps.filter(isTrimmed),
        problem: problem ?? (missing ? { line: null, message: missingIn(missing) } : null),
      }
    })
  }
}

const missingIn = ([from, to]: Range): string =>
  from === to ? `Place ${from} has no line.` : `Places ${from} to ${to} have no line.`

const fresh = (position: number): State => ({
  // The hash before the first line is known at the start of the chain only.
  head: { position: position - 1, hash: CHAIN_START },
  ...{ from: position, lines: 0, recent: new Map(), gaps: [], trimmed: [], problem: null },
})

function lineIn(text: string): Record<string, unknown> | null {
  const number = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? new Written(context?.source ?? String(value)) : value
  try {
    const value: unknown = JSON.parse(text, number)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Written)

const numberIn = (value: unknown): number => (value instanceof Written ? Number(value.source) : Number.NaN)

/** The content that was sealed (models/rights/audit-seal.ts), made of the members of a line. */
function contentOf(line: Record<string, unknown>): string {
  const key = isObject(line.key) ? line.key : {}
  const values = [
    ...[line.id, momentOf(line.time), line.event, line.uid, line.login, line.address],
    ...[key.id, key.name, line.session, line.on_behalf_of],
    ...[line.model, line.record, line.name, line.detail],
  ]
  return `[${values.map(spelled).join(', ')}]`
}

/** A moment as PostgreSQL writes it in JSON: without a zone, and without zeros at the end of a second. */
const momentOf = (time: unknown): unknown => (typeof time === 'string' ? time.replace(/\.?0*Z$/, '') : time)

/** A value as PostgreSQL's `jsonb` writes it: names by their length in bytes, then by their bytes. */
function spelled(value: unknown): string {
  if (value instanceof Written) return value.source
  if (Array.isArray(value)) return `[${value.map(spelled).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value ?? null)
  const names = Object.keys(value).map((name) => ({ name, bytes: Buffer.from(name) }))
  names.sort((a, b) => a.bytes.length - b.bytes.length || a.bytes.compare(b.bytes))
  return `{${names.map(({ name }) => `${JSON.stringify(name)}: ${spelled(value[name])}`).join(', ')}}`
}

function rangesIn(detail: unknown): readonly Range[] | null {
  if (!isObject(detail) || !Array.isArray(detail.positions)) return null
  return detail.positions.map((range): Range => {
    const [from, to] = Array.isArray(range) ? range : []
    return [numberIn(from), numberIn(to)]
  })
}
