// Checks the chains of a database, page by page: their links are compared with the records of today.
import {
  CHAIN_PROBLEMS,
  type ChainBreak,
  type ChainHead,
  type ChainLink,
  ChainWalk,
} from '../../kit/chain.ts'
import { id as identifier, quote, raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import {
  contentOf,
  defOf,
  inSealedState,
  linkHeader,
  literal,
  type SealedRecords,
  seriesOf,
} from './sealed.ts'

/** The first place where a chain differs from what was sealed. */
export interface FoundBreak {
  /** The place in the chain; null for a record that has none. */
  readonly position: number | null
  readonly problem: ChainBreak['problem']
  /** The record, as far as it is known: model, id, and the name that people give it. */
  readonly model: string | null
  readonly id: number | null
  readonly name: string | null
  readonly message: string
}

/** The result of the check of a chain. */
export interface ChainReport {
  /** The record that the chain belongs to, and a name for the chain. */
  readonly model: string
  readonly id: number
  readonly series: string
  readonly name: string
  /** Sealed records, and the hash of the last: both noted elsewhere tell of a chain that was written anew. */
  readonly sealed: number
  readonly hash: string
  /** Records of the same kind and owner that are not sealed: those from before the chain. */
  readonly unsealed: number
  readonly break: FoundBreak | null
}

/** A chain as its row says it. */
interface StoredChain {
  readonly id: number
  readonly model: string
  readonly record: number
  readonly series: string
  readonly head: ChainHead
}

/** Links that are read at a time. */
const PAGE = 500

/**
 * Checks all chains, and hands each to `report` when it is checked; `sealed` are the records that modules
 * seal. Memory does not grow with the chains.
 */
export async function verifyChains(
  env: Environment,
  sealed: readonly SealedRecords[],
  report: (chain: ChainReport) => void,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await env.query<[number, string, number, string, number, string]>(
      sql`SELECT id, res_model, res_id, COALESCE(series, ''), position, hash FROM comptoir_chain WHERE id > ${after}::int ORDER BY id LIMIT ${PAGE}::int`,
    )
    for (const [id, model, record, series, position, hash] of rows) {
      report(await checked(env, sealed, { id, model, record, series, head: { position, hash } }))
      after = id
    }
    if (rows.length < PAGE) break
  }
  for (const lost of await lostChains(env, sealed)) report(lost)
}

async function checked(
  env: Environment,
  sealed: readonly SealedRecords[],
  chain: StoredChain,
): Promise<ChainReport> {
  const { model, record: id, series, head } = chain
  const name = await titleOf(env, sealed, chain)
  const unsealed = await countUnlinked(env, sealed, chain)
  const broken = await firstBreak(env, sealed, chain)
  return { model, id, series, name, sealed: head.position, hash: head.hash, unsealed, break: broken }
}

async function titleOf(
  env: Environment,
  sealed: readonly SealedRecords[],
  { model, record, series }: Pick<StoredChain, 'model' | 'record' | 'series'>,
): Promise<string> {
  const owner = sealed.find(({ chain }) => chain.model === model)
  const [row] = owner
    ? await env.query<[string | null]>(
        sql`SELECT ${identifier(owner.chain.title)} FROM ${identifier(defOf(env.unit.registry, model).table)} WHERE id = ${record}::int`,
      )
    : []
  return [row?.[0] ?? `${model} ${record}`, series].filter(Boolean).join(' ')
}

/** A link with the record that it seals. */
interface SealedLink extends ChainLink {
  readonly model: string
  readonly id: number
  readonly name: string | null
  /** Whether the record is there and says the hash of its link, where it says one. */
  readonly isThere: boolean
  readonly isMarked: boolean
}

async function* linksOf(
  env: Environment,
  sealed: readonly SealedRecords[],
  { id }: StoredChain,
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
  // Links at one place twice are told apart by their ids.
  for (let [place, after] = [Number.MIN_SAFE_INTEGER, 0]; ; ) {
    const rows = await env.query<
      [number, number, string, string, number, string | null, string, string | null, boolean | null]
    >(
      sql`SELECT k.id, k.position, k.hash, k.res_model, k.res_id, k.name, ${raw(header)}, ${raw(content)}, ${raw(isMarked)}
        FROM comptoir_chain_link k JOIN comptoir_chain c ON c.id = k.chain_id
        WHERE k.chain_id = ${id}::int AND (k.position, k.id) > (${place}::bigint, ${after}::int) ORDER BY k.position, k.id LIMIT ${PAGE}::int`,
    )
    for (const [link, position, hash, model, record, name, before, text, marked] of rows) {
      yield {
        ...{ position, hash, model, id: record, name, content: `${before}${text ?? ''}` },
        ...{ isThere: text !== null, isMarked: marked === true },
      }
      ;[place, after] = [position, link]
    }
    if (rows.length < PAGE) return
  }
}

async function firstBreak(
  env: Environment,
  sealed: readonly SealedRecords[],
  chain: StoredChain,
): Promise<FoundBreak | null> {
  const walk = new ChainWalk()
  for await (const link of linksOf(env, sealed, chain)) {
    const { position, model, id, name } = link
    const at = (problem: ChainBreak['problem']) => breakAt(position, problem, { model, id, name })
    // A missing link does not say its record: the one that has no link may be it.
    if (position > walk.head.position + 1)
      return breakAt(walk.head.position + 1, 'missing', await firstUnlinked(env, sealed, chain))
    if (!link.isThere) return at('missing')
    const broken = walk.take(link)
    if (broken) return at(broken.problem)
    if (!link.isMarked) return at('changed')
  }
  const broken = walk.end(chain.head)
  if (broken && broken.problem !== 'missing') return breakAt(broken.position, broken.problem, null)
  const record = await firstUnlinked(env, sealed, chain)
  if (broken) return breakAt(broken.position, broken.problem, record)
  return record && breakAt(null, 'inserted', record)
}

type Named = Pick<FoundBreak, 'model' | 'id' | 'name'>

function breakAt(position: number | null, problem: ChainBreak['problem'], record: Named | null): FoundBreak {
  const { model, id, name } = record ?? { model: null, id: null, name: null }
  const subject = model === null ? `Entry ${position} of the chain` : `${name ?? 'A record'} (${model} ${id})`
  return { position, problem, model, id, name, message: `${subject} ${CHAIN_PROBLEMS[problem]}.` }
}

/** The sealed records of the kind and owner of a chain that no chain has: their table and the condition. */
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

/** The first record that belongs into the chain, by its own fields, and is not in any. */
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

/** Chains whose heads were removed: their links are there, or records that say that they were sealed. */
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
