// What changed since a till loaded last (load_changes): rows that are new or other, ids that are no longer
// sold.
import { atOnce, type Environment, type ModelName, type Records } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { join, type Sql, sql } from '../../../sql/index.ts'
import { linesOf, touchedIds, waysFrom } from './followed.ts'
import type { Loaded } from './loaded.ts'
import { loadedFields, loadingOf, rowsOf, wanted } from './loading.ts'
import type { Rows } from './rows.ts'

type Sessions = Records<'pos.session'>
type Models = ReadonlyMap<ModelName, Loaded>

/** A moment of the database: all that older transactions wrote was seen. */
interface Version {
  readonly transaction: string
  /** The last position of the feed of changes, and the feed's identity. */
  readonly position: string
  readonly feed: string
}

/** Throws InvalidValue for what no answer gave; null: the till has nothing yet. */
function versionIn(given: unknown): Version | null {
  if (given === false || given === null) return null
  const [, transaction, position, feed] =
    /^(\d{1,19})\.(\d{1,18})\.([0-9a-f-]{36})$/.exec(String(given)) ?? []
  if (!transaction || !position || !feed) throw new InvalidValue('A version is what an earlier answer gave.')
  return { transaction, position, feed }
}

/**
 * The version of now, and whether the feed tells all that was removed since the version that a till has: it
 * does not for one of another database, for one that is too old, and where changes are not kept.
 */
async function present(
  env: Environment,
  had: Version | null,
): Promise<{ version: string; isCovered: boolean }> {
  const [row] =
    await env.query(sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text || '.' || (SELECT last_value FROM comptoir_feed_seq) || '.' || id,
      kept AND id::text = ${had?.feed ?? ''} AND floor <= ${had?.position ?? '0'}::text::bigint FROM comptoir_feed`)
  return { version: String(row?.[0]), isCovered: had !== null && row?.[1] === true }
}

interface Changed {
  /** Records that were written or removed since, or that follow what was. */
  readonly ids: readonly number[]
  /** Lines of some record were removed, and nothing tells whose: all of the model are told. */
  readonly isWhole: boolean
}

/**
 * What changed of each model. Rows are told apart by the transaction that wrote them last: whatever was under
 * way at the earlier answer comes again.
 */
async function changedSince(
  env: Environment,
  models: Models,
  { transaction }: Version,
): Promise<Map<ModelName, Changed>> {
  const isNew = (row: Sql) => sql`age(${row}.xmin) <= age((${transaction}::text::xid8)::xid)`
  const parts = [...models].map(([model, how]) => {
    const def = env.def(model)
    const ways = waysFrom(def, loadedFields(env, model, how))
    return { model, lines: linesOf(ways), ids: sql`ARRAY(${touchedIds(def, ways, isNew)})` }
  })
  const told = [...new Set(parts.flatMap(({ model, lines }) => [model, ...lines]))]
  const [[row = []], feed] = await atOnce(
    env,
    () => env.query(sql`SELECT ${join(parts.map(({ ids }) => ids))}`),
    () =>
      env.query(sql`SELECT DISTINCT model, op = 'd', i.id FROM comptoir_change, unnest(ids) AS i(id)
        WHERE tx >= ${transaction}::text::bigint AND op <> 'e' AND model = ANY(${told}::text[])`),
  )
  const removed = new Set(feed.filter((one) => one[1]).map((one) => one[0]))
  return new Map(
    parts.map(({ model, lines }, i) => {
      const noted = feed.filter((one) => one[0] === model).map((one) => one[2] as number)
      const ids = new Set([...(row[i] as readonly number[]), ...noted])
      return [model, { ids: [...ids], isWhole: lines.some((line) => removed.has(line)) }]
    }),
  )
}

const everything: Changed = { ids: [], isWhole: true }

/**
 * What changed since a version that an earlier answer gave. `complete`: all there is, what a till has besides
 * is no more; otherwise `gone` names what is no longer sold.
 */
export async function loadChanges(
  sessions: Sessions,
  named: readonly unknown[],
  given: unknown,
): Promise<object> {
  const { env } = sessions
  const had = versionIn(given)
  const of = await loadingOf(sessions)
  const models = await wanted(env, named)
  const { version, isCovered } = await present(env, had)
  const changed = had && isCovered ? await changedSince(env, models, had) : null
  const rows = await atOnce(
    env,
    ...[...models].map((one) => (): Promise<Rows> => {
      const { ids, isWhole } = changed?.get(one[0]) ?? everything
      if (isWhole) return rowsOf(env, one, { of })
      return ids.length ? rowsOf(env, one, { of, ids }) : Promise.resolve([])
    }),
  )
  const names = [...models.keys()]
  const gone = names.flatMap((model, i): [ModelName, readonly number[]][] => {
    const there = new Set((rows[i] as Rows).map((row) => row.id))
    const left = (changed?.get(model) ?? everything).ids.filter((id) => !there.has(id))
    return left.length ? [[model, left]] : []
  })
  return {
    version,
    complete: changed === null,
    unchanged: changed !== null && gone.length === 0 && rows.every((own) => (own as Rows).length === 0),
    models: Object.fromEntries(names.map((model, i) => [model, rows[i]])),
    gone: Object.fromEntries(gone),
  }
}
