// Version of the data that a till has: a moment of the database, and a digest of rows whose changes are
// not tracked. Answers carry it as their version and as their ETag.

import { createHash } from 'node:crypto'
import { atOnce, type Environment, type ModelName } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { followsUntracked } from './dependencies.ts'
import type { Loaded, Loading } from './load-types.ts'
import { loadedFields, textOf } from './read-models.ts'

export type Models = ReadonlyMap<ModelName, Loaded>

export interface Version {
  /** All that older transactions wrote was seen. */
  readonly transaction: string
  /** The last position of the feed of changes, and the feed's identity. */
  readonly position: string
  readonly feed: string
  /** For whom and what was loaded. */
  readonly scope: string
  /** Digest of the rows of models without change tracking. */
  readonly untold: string
}

const FORM = /^(\d{1,19})\.(\d{1,18})\.([0-9a-f-]{36})\.([\w-]{16})\.([\w-]{16})$/

/** Parses a version; null for a text that no answer contained. */
export function versionOf(text: string): Version | null {
  const [, transaction, position, feed, scope, untold] = FORM.exec(text) ?? []
  return transaction && position && feed && scope && untold
    ? { transaction, position, feed, scope, untold }
    : null
}

/** Throws InvalidValue for what no answer gave; null: the till has nothing yet. */
export function versionIn(value: unknown): Version | null {
  if (value === false || value === null) return null
  const version = versionOf(String(value))
  if (!version) throw new InvalidValue('Invalid `version`: pass the value that an earlier answer returned.')
  return version
}

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 16)

/**
 * Digest of everything that decides which rows are loaded, and in which form: the point of sale, its
 * prices and categories, the language, the modules.
 */
const scopeOf = (env: Environment, models: Models, of: Loading): string =>
  digestOf([of, env.context, [...models].map(([model, how]) => [model, loadedFields(env, model, how)])])

export interface CurrentVersion {
  readonly version: string
  /** True if the changes since the till's version can be reported. */
  readonly isCovered: boolean
  /** Rows of models without change tracking; `isNew` if they differ from those of the till. */
  readonly untold: ReadonlyMap<ModelName, string>
  readonly isNew: boolean
}

/**
 * The current version. Changes since a version are unknown if it is of another database or scope, if it
 * is too old, or if changes are not kept.
 */
export async function currentVersion(
  env: Environment,
  models: Models,
  of: Loading,
  had: Version | null,
): Promise<CurrentVersion> {
  const small = [...models].filter(([model, how]) =>
    followsUntracked(env.def(model), loadedFields(env, model, how)),
  )
  const [[row], ...texts] = await atOnce(
    env,
    () =>
      env.rows(
        sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text || '.' || (SELECT last_value FROM comptoir_feed_seq) || '.' || id,
      kept AND id::text = ${had?.feed ?? ''} AND floor <= ${had?.position ?? '0'}::text::bigint FROM comptoir_feed`,
        { reads: [], row: ['text?', 'bool?'] },
      ),
    ...small.map((row) => () => textOf(env, row, { of })),
  )
  const [scope, untold] = [scopeOf(env, models, of), digestOf(texts)]
  return {
    version: `${row?.[0]}.${scope}.${untold}`,
    isCovered: row?.[1] === true && had?.scope === scope,
    untold: new Map(small.map(([model], i) => [model, present(texts[i])])),
    isNew: had?.untold !== untold,
  }
}
