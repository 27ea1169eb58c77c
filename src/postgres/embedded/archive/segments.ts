// Segments of PostgreSQL's log in an archive: their names and order over timelines, and how far they lead
// from a base backup without a gap.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** initdb's default, which our clusters have: 256 segments of 16 MB a name's middle part. */
const A_LOG = 256
export const SEGMENT_BYTES = 16 * 1024 ** 2

const NAME = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/

interface Segment {
  readonly timeline: number
  readonly number: number
}

/** The parts of a segment's name; null for another file. */
export function segmentOf(name: string): Segment | null {
  const [, timeline, log, segment] = NAME.exec(name) ?? []
  if (timeline === undefined || log === undefined || segment === undefined) return null
  return {
    timeline: Number.parseInt(timeline, 16),
    number: Number.parseInt(log, 16) * A_LOG + Number.parseInt(segment, 16),
  }
}

const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0')

export function segmentName({ timeline, number }: Segment): string {
  return `${hex(timeline)}${hex(Math.floor(number / A_LOG))}${hex(number % A_LOG)}`
}

/** The segment in which a position such as `0/3000060` lies. */
function numberAt(position: string): number {
  const [log = '', offset = ''] = position.split('/')
  return Number.parseInt(log, 16) * A_LOG + Math.floor(Number.parseInt(offset, 16) / SEGMENT_BYTES)
}

/** Names of what an archive holds, without the ending of packed ones. */
export async function archived(wal: string): Promise<Set<string>> {
  return new Set((await readdir(wal)).map((name) => name.replace(/\.gz$/, '')))
}

/** The name of the last segment that an archive holds, up to which PostgreSQL archives in order; '' for none. */
export async function newestArchived(wal: string): Promise<string> {
  return (
    [...(await archived(wal))]
      .filter((name) => segmentOf(name))
      .sort()
      .at(-1) ?? ''
  )
}

/** Parts of a way through timelines: each is followed from a segment on. */
type Way = readonly { readonly timeline: number; readonly from: number }[]

/** The ancestors of a timeline, from its history file. */
async function wayTo(wal: string, timeline: number): Promise<Way> {
  const text = await readFile(join(wal, `${hex(timeline)}.history`), 'utf8').catch(() => '')
  const parts: { timeline: number; from: number }[] = []
  let from = 0
  for (const line of text.split('\n')) {
    const [, parent, position] = /^(\d+)\t([0-9A-F]+\/[0-9A-F]+)/.exec(line) ?? []
    if (parent === undefined || position === undefined) continue
    parts.push({ timeline: Number(parent), from })
    from = numberAt(position)
  }
  return [...parts, { timeline, from }]
}

/** Last position that an archive can restore. */
export interface Reach {
  readonly timeline: number
  /** Segments from the base backup to the end, in order. */
  readonly segments: readonly string[]
  /** The first missing segment with later ones after it; null: there is no gap. */
  readonly gap: string | null
  /** When the last segment before the gap, or of all, was archived. */
  readonly until: Date | null
}

/**
 * The last position that can be restored from a base backup with this first segment: on a timeline, or on the
 * newest that descends from it.
 */
export async function reachOf(wal: string, first: string, timeline?: number): Promise<Reach> {
  const names = await archived(wal)
  const begin = segmentOf(first)
  if (!begin) throw new Error(`${first} is not a segment`)
  const way = await wayTo(wal, timeline ?? (await newest(wal, names, begin)))
  const last = way.at(-1)?.timeline ?? begin.timeline
  const ends = [...names].flatMap((name) => {
    const segment = segmentOf(name)
    return segment?.timeline === last ? [segment.number] : []
  })
  // A timeline that has archived nothing yet ends where it branched off.
  const end = Math.max(begin.number - 1, (way.at(-1)?.from ?? 0) - 1, ...ends)
  const segments: string[] = []
  let gap: string | null = null
  for (let number = begin.number; number <= end; number++) {
    const part = way.findLast(({ from }) => from <= number)
    const name = segmentName({ timeline: part?.timeline ?? begin.timeline, number })
    if (!names.has(name)) {
      gap = name
      break
    }
    segments.push(name)
  }
  const at = segments.at(-1)
  return { timeline: last, segments, gap, until: at === undefined ? null : await archivedAt(wal, at) }
}

/** The newest timeline that left the base's own after its first segment. */
async function newest(wal: string, names: ReadonlySet<string>, begin: Segment): Promise<number> {
  let newestTimeline = begin.timeline
  for (const name of names) {
    const timeline = Number.parseInt(/^([0-9A-F]{8})\.history$/.exec(name)?.[1] ?? '', 16)
    if (!(timeline > newestTimeline)) continue
    const way = await wayTo(wal, timeline)
    const left = way.findIndex((part) => part.timeline === begin.timeline)
    const next = way[left + 1]
    if (left >= 0 && next && next.from >= begin.number) newestTimeline = timeline
  }
  return newestTimeline
}

async function archivedAt(wal: string, name: string): Promise<Date | null> {
  for (const path of [join(wal, `${name}.gz`), join(wal, name)]) {
    const stats = await stat(path).catch(() => null)
    if (stats) return stats.mtime
  }
  return null
}

/**
 * Removes segments that no base backup needs: those before `first`, of its timeline and of others; and what
 * writers that died have left. Gives their number.
 */
export async function removeSegmentsBefore(wal: string, first: string): Promise<number> {
  const begin = segmentOf(first)
  let dropped = 0
  for (const name of await readdir(wal)) {
    // Also the notes that PostgreSQL makes of base backups: `SEGMENT.OFFSET.backup`.
    const segment = segmentOf(name.slice(0, 24))
    const isOld = begin !== null && segment !== null && segment.number < begin.number
    const isLeft = name.startsWith('archtemp') || name.endsWith('.new')
    if (!isOld && !(isLeft && (await isAged(join(wal, name))))) continue
    await rm(join(wal, name), { force: true })
    dropped++
  }
  return dropped
}

/** True if the file was not modified for an hour. */
async function isAged(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats !== null && stats.mtimeMs < Date.now() - 3_600_000
}
