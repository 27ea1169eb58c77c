// Creates and writes without feed, with it, and with feed and key. One process of Node is by a tenth faster
// or slower than another with the same work, by luck of its compiler: so several fresh pairs are compared,
// and the one in the middle counts.
import type { Asker } from './asker.ts'
import { median, rate, type Size } from './figures.ts'
import { type Pair, withPair } from './pair.ts'

/** Calls of one turn, and how many are under way at a time. */
const [TURN, LANES] = [100, [1, 8]] as const
const KINDS = ['create', 'write'] as const
const WAYS = ['none', 'feed', 'key'] as const
/** Turns of the servers alternate: a second turn in a row would find warm caches, and flatter. */
const ORDER = ['none', 'key', 'none', 'feed'] as const
/** The expected rate, as a share of that of calls without extensions. */
const AIM = 0.85

type Kind = (typeof KINDS)[number]
type Way = (typeof WAYS)[number]
type One = (n: number) => Promise<unknown>
type Calls = Readonly<Record<Way, One>>
interface Ratios {
  readonly feed: number
  readonly key: number
}

let keys = 0
const keyed = () => ({ 'idempotency-key': `"bench-${process.pid}-${keys++}"` })
const none = () => ({})
const vals = (n: number) => ({ name: `Bench ${n}`, email: `b${n}@x` })

/** By kind and lanes: the middle of the pairs' ratios, and those of each. */
export async function writes(size: Size) {
  const pairs: Map<string, Ratios>[] = []
  for (let n = 0; n < size.pairs; n++) pairs.push(await withPair((pair) => ratiosOf(pair, size)))
  const report = (name: string, whose: keyof Ratios) => {
    const each = pairs.map((pair) => pair.get(name)?.[whose] ?? Number.NaN)
    return { median: rounded(median(each)), pairs: each.map(rounded), aim: AIM }
  }
  return Object.fromEntries(
    KINDS.flatMap((kind) =>
      LANES.flatMap((lanes) => [
        [`${kind}, ${lanes} at a time, feed / without`, report(nameOf(kind, lanes), 'feed')],
        [`${kind}, ${lanes} at a time, feed and key / without`, report(nameOf(kind, lanes), 'key')],
      ]),
    ),
  )
}

const nameOf = (kind: Kind, lanes: number) => `${kind} ${lanes}`
const rounded = (value: number) => Math.round(value * 1000) / 1000

/** The ratios of one pair, which is warmed up before: longer code is compiled later. */
async function ratiosOf(pair: Pair, size: Size): Promise<Map<string, Ratios>> {
  const calls = { create: createsOf(pair), write: await writesOf(pair) }
  for (let done = 0; done < size.warm; done += TURN)
    for (const kind of KINDS)
      for (const way of WAYS) await rate(Math.min(TURN, size.warm - done), 8, calls[kind][way])
  const ratios = new Map<string, Ratios>()
  for (const kind of KINDS)
    for (const lanes of LANES) ratios.set(nameOf(kind, lanes), await compared(calls[kind], lanes, size))
  return ratios
}

/** Calls a second with feed, and with feed and key, to those without: the turns in the middle. */
async function compared(calls: Calls, lanes: number, { rounds }: Size): Promise<Ratios> {
  const turns: Record<Way, number[]> = { none: [], feed: [], key: [] }
  // A turn is short, and scatters.
  for (let round = 0; round < rounds * 2; round++)
    for (const way of ORDER) turns[way].push(await rate(TURN, lanes, calls[way]))
  const without = median(turns.none)
  return { feed: median(turns.feed) / without, key: median(turns.key) / without }
}

function createsOf({ on, off }: Pair): Calls {
  const to = (asker: Asker, headers: () => Record<string, string>) => (n: number) =>
    asker.post('/json/2/res.partner/create', { vals_list: [vals(n)] }, headers())
  return { none: to(off, none), feed: to(on, none), key: to(on, keyed) }
}

/** Records that are written to in turn, and a value that no write before had. */
const RECORDS = 64
let written = 0

async function writesOf({ on, off }: Pair): Promise<Calls> {
  const createRecords = async (asker: Asker) => {
    const list = Array.from({ length: RECORDS }, (_, n) => vals(n))
    return (await asker.post('/json/2/res.partner/create', { vals_list: list })).body as number[]
  }
  const [ofOn, ofOff] = [await createRecords(on), await createRecords(off)]
  const to = (asker: Asker, ids: readonly number[], headers: () => Record<string, string>) => (n: number) => {
    const body = { ids: [ids[n % RECORDS]], vals: { comment: `${written++}` } }
    return asker.post('/json/2/res.partner/write', body, headers())
  }
  return { none: to(off, ofOff, none), feed: to(on, ofOn, none), key: to(on, ofOn, keyed) }
}
