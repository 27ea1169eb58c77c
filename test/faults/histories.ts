// Checks the histories of registers that clients saw: records that each attempt replaces by a new
// value, if the value is still the one it read. Finds lost updates, values that were never written or
// were rolled back, and stale reads.

/** Milliseconds of one clock, `performance.now()`. */
interface Interval {
  readonly from: number
  readonly to: number
}

export interface Write extends Interval {
  readonly register: number
  /** The value that it replaces, and its own, which no other write has. */
  readonly before: string
  readonly value: string
  readonly outcome: 'done' | 'undone' | 'unknown'
}

export interface Read extends Interval {
  readonly register: number
  readonly value: string
}

export interface History {
  /** The initial value of every register. */
  readonly first: string
  readonly writes: readonly Write[]
  readonly reads: readonly Read[]
  /** Final values by register. */
  readonly last: ReadonlyMap<number, string>
}

/** A write with its time, for comparison with the log of faults. */
const named = ({ value, from, to }: Write) =>
  `${value} (${(from / 1000).toFixed(1)} to ${(to / 1000).toFixed(1)} s)`

/** Anomalies, one per line; empty for a linearizable history. */
export function anomaliesOf({ first, writes, reads, last }: History): string[] {
  const anomalies: string[] = []
  for (const [register, value] of last) {
    const mine = writes.filter((write) => write.register === register)
    const done = mine.filter(({ outcome }) => outcome === 'done')
    for (const [before, several] of Map.groupBy(done, (write) => write.before))
      if (several.length > 1)
        anomalies.push(`lost update: ${several.map(named).join(' and ')} both replaced ${before}`)
    const byValue = new Map(mine.map((write) => [write.value, write]))
    const chain = new Set<string>()
    for (let at: string | undefined = value; at !== undefined && !chain.has(at); at = byValue.get(at)?.before)
      chain.add(at)
    if (!chain.has(first))
      anomalies.push(`register ${register} ends with ${value}, which follows from no write`)
    for (const write of mine) {
      if (write.outcome === 'done' && !chain.has(write.value)) anomalies.push(`lost update: ${named(write)}`)
      if (write.outcome === 'undone' && chain.has(write.value))
        anomalies.push(`${write.value} was undone and is there`)
    }
    anomalies.push(
      ...staleReads(reads, { register, mine: mine.filter((write) => chain.has(write.value)), chain }),
    )
  }
  return anomalies
}

interface Chain {
  readonly register: number
  /** Writes that took effect. */
  readonly mine: readonly Write[]
  readonly chain: ReadonlySet<string>
}

/** Reads that began after their value was replaced, for all they may know, and reads of what never was. */
function staleReads(reads: readonly Read[], { register, mine, chain }: Chain): string[] {
  const replacedAt = new Map<string, number>()
  for (const { before, to, outcome } of mine)
    if (outcome === 'done') replacedAt.set(before, Math.min(to, replacedAt.get(before) ?? to))
  return reads
    .filter((read) => read.register === register)
    .flatMap((read) => {
      if (!chain.has(read.value)) return [`dirty read: ${read.value} was read and took no effect`]
      const at = replacedAt.get(read.value)
      return at !== undefined && at < read.from
        ? [`stale read: ${read.value} was read ${Math.round(read.from - at)} ms after it was replaced`]
        : []
    })
}
