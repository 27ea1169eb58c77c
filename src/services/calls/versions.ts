// Versions of records: a call may require the version that its caller has read, and reads return it
// (docs/decisions/0037).

import { createHash } from 'node:crypto'
import { PreconditionFailed, UnprocessableEntity } from '../../errors.ts'
import type { MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { fieldOf } from '../../models/language/field-options.ts'
import type { Row, Unit } from '../../models/language/unit.ts'
import { guardRecords } from '../../models/row/access.ts'
import { idList, quote, raw, type Sql, sql } from '../../sql/index.ts'

/** A record's version is the transaction that wrote its row, and the rows that it delegates to. */
function versionOf(model: ModelDef): { readonly from: Sql; readonly version: Sql } {
  const joins: string[] = []
  const parts = [`t."id"`, 't.xmin']
  const follow = (holder: ModelDef, alias: string) => {
    for (const via of holder.inherits.values()) {
      const { comodel } = fieldOf(holder, via)
      if (!comodel) continue
      const joinAlias = `${alias}_${joins.length}`
      joins.push(
        ` LEFT JOIN ${quote(comodel.table)} ${joinAlias} ON ${joinAlias}."id" = ${alias}.${quote(via)}`,
      )
      parts.push(`${joinAlias}.xmin`)
      follow(comodel, joinAlias)
    }
  }
  follow(model, 't')
  return { from: raw(`${quote(model.table)} t${joins.join('')}`), version: raw(parts.join(` || ':' || `)) }
}

/** Tag of a set of records: the first half of a SHA-256 of all versions. */
const tagOf = (versions: readonly string[]) =>
  `v1-${createHash('sha256').update(versions.join()).digest('hex').slice(0, 32)}`

/** `*`: all must be there; else the tag of exactly these records, without its quotation marks. */
export type Match = string

/** No version is called this: the tag `"*"` is not the star. */
const NEVER = '"*"'

/** One strong tag, or `*` (RFC 9110, section 13.1.1); null for what is neither. */
export function matchIn(text: string): Match | null {
  const [, tag, star] = /^(?:"([\x21\x23-\x7e]{1,100})"|(\*))$/.exec(text.trim()) ?? []
  return tag === '*' ? NEVER : (tag ?? star ?? null)
}

/**
 * Sends the check that records still have a version, after the check that the caller may see them. Throws
 * AccessError for hidden records, PreconditionFailed (412) where the tag does not match,
 * UnprocessableEntity where a method takes no records.
 */
export async function assertVersion(
  env: Environment,
  { model, method }: { readonly model: ModelDef; readonly method: MethodDef },
  recordIds: readonly number[],
  match: Match,
): Promise<void> {
  if (method.level === 'model')
    throw new UnprocessableEntity(
      `If-Match requires a method that works on records: ${method.name} of ${model.name} does not.`,
    )
  const ids = [...new Set(recordIds)]
  const refusal = () =>
    new PreconditionFailed(
      'The records have changed since, or are not the records of the version in If-Match.',
      {
        code: 'version_mismatch',
        context: { ids },
      },
    )
  if (ids.length === 0 || !model.hasTable) throw refusal()
  await guardRecords(env, model, ids, 'read', refusal)
  const wrong =
    match === '*'
      ? sql`SELECT 1 WHERE (SELECT count(*) FROM ${versionOf(model).from} WHERE t."id" = ANY(${idList(ids)})) < ${ids.length}::int`
      : sql`SELECT 1 WHERE (${versionOfSet(model, ids)}) <> ${match}`
  env.unit.buffer.check(wrong, refusal)
}

/** The query of the version of exactly these records, without a check of rights. */
export function versionOfSet(model: ModelDef, ids: readonly number[]): Sql {
  const { from, version } = versionOf(model)
  return sql`SELECT 'v1-' || left(encode(sha256(convert_to(COALESCE(string_agg(${version}, ',' ORDER BY t."id"), ''), 'UTF8')), 'hex'), 32)
    FROM ${from} WHERE t."id" = ANY(${idList(ids)})`
}

/** Most records whose versions are returned one by one. */
const MOST_TOLD = 100

/**
 * Queries the versions of records; the result may arrive with that of COMMIT. Returns the headers for them.
 */
export function versionsOf(
  unit: Unit,
  model: ModelDef,
  ids: readonly number[],
): Promise<Readonly<Record<string, string>>> {
  const { from, version } = versionOf(model)
  const pendingRows = unit.query(
    sql`SELECT t."id", ${version} FROM ${from} WHERE t."id" = ANY(${idList(ids)}) ORDER BY t."id"`,
  )
  return pendingRows.then(headersOf)
}

function headersOf(rows: readonly Row[]): Readonly<Record<string, string>> {
  const versions = rows as readonly (readonly [number, string])[]
  if (versions.length === 0) return {}
  const etag = `"${tagOf(versions.map(([, version]) => version))}"`
  if (versions.length > MOST_TOLD) return { etag }
  return {
    etag,
    'record-versions': versions.map(([id, version]) => `r${id}="${tagOf([version])}"`).join(', '),
  }
}

/** Ids of the rows of a JSON array, or of what an import answers. */
export function idsIn(json: string): number[] {
  const result: unknown = JSON.parse(json)
  const rows = Array.isArray(result) ? result : ((result ?? {}) as { ids?: unknown }).ids
  if (!Array.isArray(rows)) return []
  return rows.flatMap((row: unknown) => {
    if (typeof row === 'number') return [row]
    const { id } = (row ?? {}) as { id?: unknown }
    return typeof id === 'number' ? [id] : []
  })
}
