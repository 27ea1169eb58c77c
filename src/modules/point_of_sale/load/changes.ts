// Changes since a till last loaded (load_changes): new and changed rows, ids that are no longer sold.

import { Rendered } from '#engine'
import { atOnce, type Environment, type ModelName, type Records } from '#models'
import { present } from '../../../kit/present.ts'
import { join, type Sql, sql } from '../../../sql/index.ts'
import { dependencyPaths, linesOf, modelsOn, pathsIn, touchedIds } from './dependencies.ts'
import type { Loading } from './load-types.ts'
import { loadedFields, loadingOf, objectOf, textOf, wanted } from './read-models.ts'
import type { Rows } from './rows.ts'
import { type CurrentVersion, currentVersion, type Models, type Version, versionIn } from './version.ts'

type Sessions = Records<'pos.session'>

interface Changed {
  /** Records that were written or removed since, or that follow what was. */
  readonly ids: readonly number[]
  /** Child records were removed, and their parent is unknown: all records of the model are reported. */
  readonly isWhole: boolean
}

/**
 * Changes of each model. Rows are recognized by the transaction that wrote them last: a transaction that
 * was open at the earlier answer is reported again.
 */
async function changedSince(
  env: Environment,
  models: Models,
  of: Loading,
  { transaction }: Version,
): Promise<Map<ModelName, Changed>> {
  const isNew = (row: Sql) => sql`age(${row}.xmin) <= age((${transaction}::text::xid8)::xid)`
  const parts = [...models].map(([model, how]) => {
    const def = env.def(model)
    const ways = dependencyPaths(def, [...loadedFields(env, model, how), ...pathsIn(how.domain(of))])
    return {
      model,
      lines: linesOf(ways),
      reads: [model, ...modelsOn(ways)],
      ids: sql`ARRAY(${touchedIds(def, ways, isNew)})`,
    }
  })
  const reported = [...new Set(parts.flatMap(({ model, lines }) => [model, ...lines]))]
  const [[row = []], feed] = await atOnce(
    env,
    () =>
      env.rows(sql`SELECT ${join(parts.map(({ ids }) => ids))}`, {
        reads: [...new Set(parts.flatMap(({ reads }) => reads))],
        row: parts.map(() => 'ints' as const),
      }),
    () =>
      env.rows(
        sql`SELECT DISTINCT model, op = 'd', i.id FROM comptoir_change, unnest(ids) AS i(id)
        WHERE tx >= ${transaction}::text::bigint AND op <> 'e' AND model = ANY(${reported}::text[])`,
        { reads: [], row: ['text', 'bool', 'int'] },
      ),
  )
  const removed = new Set(feed.filter((row) => row[1]).map((row) => row[0]))
  return new Map(
    parts.map(({ model, lines }, i) => {
      const noted = feed.filter((row) => row[0] === model).map((row) => row[2])
      const ids = new Set([...(row[i] ?? []), ...noted])
      return [model, { ids: [...ids], isWhole: lines.some((line) => removed.has(line)) }]
    }),
  )
}

const everything: Changed = { ids: [], isWhole: true }

interface Told {
  /** Null if all rows are reported. */
  readonly changed: ReadonlyMap<ModelName, Changed> | null
  readonly texts: ReadonlyMap<ModelName, string>
  readonly gone: readonly (readonly [ModelName, readonly number[]])[]
}

/** Rows of each model for a till that has a version. */
async function changedRows(
  env: Environment,
  models: Models,
  of: Loading,
  had: Version | null,
  { isCovered, isNew, untold }: CurrentVersion,
): Promise<Told> {
  const changed = had && isCovered ? await changedSince(env, models, of, had) : null
  const texts = await atOnce(
    env,
    ...[...models].map((model) => async (): Promise<string> => {
      const { ids, isWhole } = changed?.get(model[0]) ?? everything
      const cached = untold.get(model[0])
      if (cached !== undefined && (isWhole || isNew)) return cached
      if (isWhole) return textOf(env, model, { of })
      return ids.length ? textOf(env, model, { of, ids }) : '[]'
    }),
  )
  const names = [...models.keys()]
  return {
    changed,
    texts: new Map(names.map((model, i) => [model, present(texts[i])])),
    gone: changed ? names.flatMap((model, i) => noLongerSold(model, present(texts[i]), changed)) : [],
  }
}

const isUnchanged = ({ changed, texts, gone }: Told): boolean =>
  changed !== null && gone.length === 0 && [...texts.values()].every((text) => text === '[]')

/** Whether a till that has a version has all there is. */
export async function isUpToDate(
  env: Environment,
  models: Models,
  of: Loading,
  had: Version,
  now: CurrentVersion,
): Promise<boolean> {
  return now.isCovered && !now.isNew && isUnchanged(await changedRows(env, models, of, had, now))
}

/**
 * Changes since the version of an earlier answer. `complete`: the answer has all rows, and a till drops
 * what it has in addition; otherwise `gone` names what is no longer sold.
 */
export async function loadChanges(
  sessions: Sessions,
  named: readonly unknown[],
  version: unknown,
): Promise<Rendered> {
  const { env } = sessions
  const had = versionIn(version)
  const of = await loadingOf(sessions)
  const models = await wanted(env, named)
  const now = await currentVersion(env, models, of, had)
  const changes = await changedRows(env, models, of, had, now)
  const { changed, texts, gone } = changes
  const rest = {
    version: now.version,
    complete: changed === null,
    unchanged: isUnchanged(changes),
    gone: Object.fromEntries(gone),
  }
  return new Rendered(`${JSON.stringify(rest).slice(0, -1)},"models":${objectOf(texts)}}`)
}

/** Of the records that changed, those that are no longer sold. */
function noLongerSold(
  model: ModelName,
  text: string,
  changed: ReadonlyMap<ModelName, Changed>,
): [ModelName, readonly number[]][] {
  const { ids } = changed.get(model) ?? everything
  if (ids.length === 0) return []
  const presentIds = new Set((JSON.parse(text) as Rows).map((row) => row.id))
  const left = ids.filter((id) => !presentIds.has(id))
  return left.length ? [[model, left]] : []
}
