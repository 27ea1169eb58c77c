// Verifies the chains of a database in portions: compares their links with the current records.
import { CHAIN_BEGIN, type ChainBreak, type ChainHead, type ChainLink, ChainWalk } from '../../kit/chain.ts'
import { id as identifier, quote, raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import {
  breakAt,
  type ChainName,
  type ChainReport,
  contentOf,
  defOf,
  type FoundBreak,
  inSealedState,
  linkHeader,
  literal,
  type Named,
  type SealedRecords,
  seriesOf,
  titleOf,
} from './sealed.ts'

/** A chain's row. */
interface StoredChain extends ChainName {
  readonly id: number
  readonly head: ChainHead
}

/** Links per query. */
const PAGE = 500

/** Cost of the end of a chain, in links: its records without a link are counted. */
const PER_CHAIN = 50

/** Where a verification stands: in `chain` after `link`, or before the chain if nothing was read. */
export interface ChainPlace {
  readonly chain: number
  readonly link: number
  readonly head: ChainHead
}

const before = (chain: number): ChainPlace => ({ chain, link: 0, head: CHAIN_BEGIN })

/**
 * Verifies chains from a position on, about `links` of their links, and passes each finished chain to
 * `report`. `sealed` are the modules' declarations. Returns the position for the next call, also in a
 * later transaction because chains only grow at their ends; null at the end. Uses constant memory.
 */
export async function verifyChains(
  env: Environment,
  sealed: readonly SealedRecords[],
  { links, from = before(0) }: { readonly links: number; readonly from?: ChainPlace | undefined },
  report: (chain: ChainReport) => void,
): Promise<ChainPlace | null> {
  for (let [place, left] = [from, links]; ; left -= PER_CHAIN) {
    if (left <= 0) return place
    const chain = await chainFrom(env, place.chain)
    if (!chain) break
    const walk = await walked(env, sealed, chain, {
      left,
      from: chain.id === place.chain ? place : before(chain.id),
    })
    if (walk.stopped) return walk.stopped
    report(await reported(env, sealed, chain, walk.broken))
    left -= walk.links
    place = before(chain.id + 1)
  }
  for (const lost of await lostChains(env, sealed)) report(lost)
  return null
}

async function chainFrom(env: Environment, least: number): Promise<StoredChain | null> {
  const [row] = await env.query<[number, string, number, string, number, string]>(
    sql`SELECT id, res_model, res_id, COALESCE(series, ''), position, hash FROM comptoir_chain WHERE id >= ${least}::int ORDER BY id LIMIT 1`,
  )
  if (!row) return null
  const [id, model, record, series, position, hash] = row
  return { id, model, record, series, head: { position, hash } }
}

async function reported(
  env: Environment,
  sealed: readonly SealedRecords[],
  chain: StoredChain,
  broken: FoundBreak | null,
): Promise<ChainReport> {
  const { model, record: id, series, head } = chain
  const name = await titleOf(env, sealed, chain)
  const unsealed = await countUnlinked(env, sealed, chain)
  return { model, id, series, name, sealed: head.position, hash: head.hash, unsealed, break: broken }
}

interface SealedLink extends ChainLink {
  readonly link: number
  readonly model: string
  readonly id: number
  readonly name: string | null
  /** Whether the record exists and has the hash of its link, if it stores one. */
  readonly isThere: boolean
  readonly isMarked: boolean
}

async function* linksOf(
  env: Environment,
  sealed: readonly SealedRecords[],
  { chain, link: behind, head }: ChainPlace,
): AsyncGenerator<SealedLink> {
  const header = linkHeader({
    model: 'c.res_model',
    id: 'c.res_id',
    series: 'c.series',
    position: 'k.position',
    time: 'k.time',
    ofModel: 'k.res_model',
    ofId: 'k.res_id',
    name: 'k.name',
  })
  const { registry } = env.unit
  const perModel = (value: (records: SealedRecords, table: string) => string) =>
    sealed.length
      ? `CASE k.res_model ${sealed.map((records) => `WHEN ${literal(records.model)} THEN ${value(records, defOf(registry, records.model).table)}`).join(' ')} END`
      : 'NULL'
  const content = perModel(
    (records, table) => `(SELECT ${contentOf(registry, records, 'r')} FROM ${table} r WHERE r.id = k.res_id)`,
  )
  const isMarked = perModel(({ marked }, table) =>
    marked ? `(SELECT r.${quote(marked.field)} = k.hash FROM ${table} r WHERE r.id = k.res_id)` : 'true',
  )
  // Ids distinguish two links at one position.
  for (let [place, after] = [behind ? head.position : Number.MIN_SAFE_INTEGER, behind]; ; ) {
    const rows = await env.query<
      [number, number, string, string, number, string | null, string, string | null, boolean | null]
    >(
      sql`SELECT k.id, k.position, k.hash, k.res_model, k.res_id, k.name, ${raw(header)}, ${raw(content)}, ${raw(isMarked)}
        FROM comptoir_chain_link k JOIN comptoir_chain c ON c.id = k.chain_id
        WHERE k.chain_id = ${chain}::int AND (k.position, k.id) > (${place}::bigint, ${after}::int) ORDER BY k.position, k.id LIMIT ${PAGE}::int`,
    )
    for (const [link, position, hash, model, record, name, before, text, marked] of rows) {
      yield {
        ...{ link, position, hash, model, id: record, name, content: `${before}${text ?? ''}` },
        ...{ isThere: text !== null, isMarked: marked === true },
      }
      ;[place, after] = [position, link]
    }
    if (rows.length < PAGE) return
  }
}

/** Result of a walk from a position to the end of a chain, or to the limit of links. */
interface Walked {
  readonly links: number
  readonly broken: FoundBreak | null
  readonly stopped: ChainPlace | null
}

async function walked(
  env: Environment,
  sealed: readonly SealedRecords[],
  chain: StoredChain,
  { from, left }: { readonly from: ChainPlace; readonly left: number },
): Promise<Walked> {
  const walk = new ChainWalk(from.head)
  let place = from
  let links = 0
  const ended = (broken: FoundBreak | null): Walked => ({ links, broken, stopped: null })
  for await (const link of linksOf(env, sealed, from)) {
    if (links >= left) return { links, broken: null, stopped: place }
    const { position, model, id, name } = link
    const at = (problem: ChainBreak['problem']) => ended(breakAt(position, problem, { model, id, name }))
    // A missing link does not name its record: it may be the record without a link.
    if (position > walk.head.position + 1)
      return ended(breakAt(walk.head.position + 1, 'missing', await firstUnlinked(env, sealed, chain)))
    if (!link.isThere) return at('missing')
    const broken = walk.take(link)
    if (broken) return at(broken.problem)
    if (!link.isMarked) return at('changed')
    links++
    place = { chain: chain.id, link: link.link, head: walk.head }
  }
  const broken = walk.end(chain.head)
  if (broken && broken.problem !== 'missing') return ended(breakAt(broken.position, broken.problem, null))
  const record = await firstUnlinked(env, sealed, chain)
  if (broken) return ended(breakAt(broken.position, broken.problem, record))
  return ended(record && breakAt(null, 'inserted', record))
}

/** The sealed records of the kind and owner of a chain that are in none: their table and condition. */
function unlinkedIn(env: Environment, sealed: readonly SealedRecords[], chain: StoredChain) {
  return sealed
    .filter((records) => records.chain.model === chain.model)
    .map((records) => ({
      records,
      table: identifier(defOf(env.unit.registry, records.model).table),
      isUnlinked: sql`${identifier('r', records.chain.by)} = ${chain.record}::int
        AND ${raw(seriesOf(records, 'r'))} = ${chain.series} AND ${hasNoLink(records)}`,
    }))
}

const hasNoLink = ({ model }: SealedRecords) =>
  sql`NOT EXISTS (SELECT FROM comptoir_chain_link k WHERE k.res_model = ${model} AND k.res_id = r.id)`

async function countUnlinked(
  env: Environment,
  sealed: readonly SealedRecords[],
  chain: StoredChain,
): Promise<number> {
  let total = 0
  for (const { records, table, isUnlinked } of unlinkedIn(env, sealed, chain)) {
    const [row] = await env.query<[number]>(
      sql`SELECT count(*)::int FROM ${table} r WHERE ${isUnlinked} AND ${raw(inSealedState('r', records))}`,
    )
    total += row?.[0] ?? 0
  }
  return total
}

/** The first record that belongs into the chain by its fields, and is in none. */
async function firstUnlinked(
  env: Environment,
  sealed: readonly SealedRecords[],
  chain: StoredChain,
): Promise<Named | null> {
  for (const { records, table, isUnlinked } of unlinkedIn(env, sealed, chain)) {
    const shouldHaveLink = records.marked
      ? sql`${identifier('r', records.marked.field)} IS NOT NULL`
      : sql`${raw(inSealedState('r', records))} AND r.create_date >
          (SELECT k.time FROM comptoir_chain_link k WHERE k.chain_id = ${chain.id}::int ORDER BY k.position LIMIT 1)`
    const [row] = await env.query<[number, string | null]>(
      sql`SELECT r.id, r.name FROM ${table} r WHERE ${isUnlinked} AND ${shouldHaveLink} ORDER BY r.id LIMIT 1`,
    )
    if (row) return { model: records.model, id: row[0], name: row[1] }
  }
  return null
}

/** Chains whose heads were removed: their links exist, or records that have the hash of a link. */
async function lostChains(env: Environment, sealed: readonly SealedRecords[]): Promise<ChainReport[]> {
  const lost: ChainReport[] = []
  const [orphan] = await env.query<[number, string, number, string | null]>(
    sql`SELECT k.position, k.res_model, k.res_id, k.name FROM comptoir_chain_link k
      WHERE NOT EXISTS (SELECT FROM comptoir_chain c WHERE c.id = k.chain_id) ORDER BY k.chain_id, k.position LIMIT 1`,
  )
  if (orphan) {
    const [position, model, id, name] = orphan
    lost.push(headless('', 0, '', breakAt(position, 'inserted', { model, id, name })))
  }
  for (const records of sealed) {
    const { model, chain, marked } = records
    if (!marked) continue
    const [owner, series] = [identifier('r', chain.by), raw(seriesOf(records, 'r'))]
    const rows = await env.query<[number, string | null, number, string]>(
      sql`SELECT DISTINCT ON (3, 4) r.id, r.name, ${owner}, ${series} FROM ${identifier(defOf(env.unit.registry, model).table)} r
        WHERE ${identifier('r', marked.field)} IS NOT NULL AND ${hasNoLink(records)}
          AND NOT EXISTS (SELECT FROM comptoir_chain c WHERE c.res_model = ${chain.model} AND c.res_id = ${owner} AND c.series = ${series})
        ORDER BY 3, 4, r.id LIMIT ${PAGE}::int`,
    )
    for (const [id, name, record, text] of rows) {
      const title = await titleOf(env, sealed, { model: chain.model, record, series: text })
      lost.push({
        ...headless(chain.model, record, text, breakAt(null, 'inserted', { model, id, name })),
        name: title,
      })
    }
  }
  return lost
}

const headless = (model: string, id: number, series: string, broken: FoundBreak): ChainReport => ({
  ...{ model, id, series, name: 'a chain whose head was removed', sealed: 0, hash: '', unsealed: 0 },
  break: broken,
})
