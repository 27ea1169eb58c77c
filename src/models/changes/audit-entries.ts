// Entries of the audit log about changes of audited fields, made by PostgreSQL at the end of a call from rows
// as they were and as they are; audited.ts takes the notes.
import { present } from '../../kit/present.ts'
import { and, id, idList, join, jsonbObject, literal, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { AuditedLater, Auditing } from '../language/audited.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf, leadsToOne } from '../language/field-options.ts'
import type { Actor } from '../language/outside.ts'
import type { ChangeKind } from '../language/unit.ts'

export interface AuditNote {
  readonly model: ModelDef
  readonly kind: ChangeKind
  readonly ids: Ids
  readonly fields: readonly FieldDef[]
  /** Where the rows are as they were: a setting of the transaction, or JSON of what the cache knew. */
  readonly before: { readonly setting: string } | { readonly json: string } | null
  readonly env: Environment
}

/** The condition over the row `t` of records whose document binds. */
export function isBinding({ state, through, in: states }: AuditedLater): Sql {
  const names = sql`${[...states]}::text[]`
  if (!through) return sql`t.${id(state.name)}::text = ANY(${names})`
  return sql`EXISTS (SELECT FROM ${id(comodelOf(through).table)} d WHERE d."id" = t.${id(through.name)} AND d.${id(state.name)}::text = ANY(${names}))`
}

/** Keeps those rows of `from`, called `t`, that fit in a setting of the transaction. */
export function keepingImages(
  setting: string,
  model: ModelDef,
  fields: readonly FieldDef[],
  { from, which = TRUE }: { readonly from: Sql; readonly which?: Sql },
): Sql {
  const images = sql`jsonb_object_agg(t."id", ${imageOf(model, fields)})`
  return sql`SELECT set_config(${setting}::text, COALESCE((SELECT ${images} FROM ${from} WHERE ${and([which, isLogged(present(model.auditing))])})::text, '{}'), true)`
}

/** The condition over the row `t` of records that are logged at all. */
const isLogged = ({ unless }: Auditing): Sql => and(unless.map(({ name }) => sql`t.${id(name)} IS NULL`))

function imageOf(model: ModelDef, fields: readonly FieldDef[]): Sql {
  const members = fields.map((field) => [field.name, storedValue(field)] as const)
  return jsonbObject([['', nameIn(model, 't') ?? sql`NULL::text`], ...members])
}

/** The name that people give the record of a row, where a column of its table has it. */
function nameIn({ recName, fields }: ModelDef, row: string): Sql | null {
  const field = recName === null ? undefined : fields.get(recName)
  if (!field?.column || (field.kind !== 'char' && field.kind !== 'text')) return null
  const column = id(row, field.name)
  return field.translate ? sql`left(${column}->>'en_US', 200)` : sql`left(${column}, 200)`
}

/** Characters of a value that is written down as it is; of a longer one its length and SHA-256 are. */
const LONGEST = 400

const shortKinds = new Set([
  'boolean',
  'integer',
  'float',
  'monetary',
  'date',
  'datetime',
  'time',
  'selection',
  'many2one',
  'many2one_reference',
])

function storedValue(field: FieldDef): Sql {
  if (field.link) {
    const { table, column, other } = field.link
    return sized(
      sql`to_jsonb(ARRAY(SELECT l.${id(other)} FROM ${id(table)} l WHERE l.${id(column)} = t."id" ORDER BY 1))`,
    )
  }
  const value = sql`to_jsonb(t.${id(field.name)})`
  return shortKinds.has(field.kind) && !field.options.companyDependent ? value : sized(value)
}

const sized = (value: Sql): Sql =>
  sql`(SELECT CASE WHEN length(v.v::text) > ${raw(String(LONGEST))} THEN jsonb_build_object('characters', length(v.v::text), 'sha256', encode(sha256(convert_to(v.v::text, 'UTF8')), 'hex')) ELSE v.v END FROM (SELECT ${value} AS v) v)`

export function insertEntries(entries: readonly Sql[]): Sql {
  return sql`INSERT INTO comptoir_audit (time, event, res_model, res_id, name, detail, ${actorColumns})
    SELECT clock_timestamp() AT TIME ZONE 'UTC', e.* FROM (${join(entries, ' UNION ALL ')}) AS e`
}

/** Entries of one kind about one model: event, model, record, name and detail, and who did it. */
export function entriesOf(notes: readonly AuditNote[]): Sql | null {
  const [first] = notes
  if (!first) return null
  const { model, kind } = first
  const actor = actorValues(actorOf(first.env))
  const about = (event: string) => sql`${literal(event)}, ${model.name}::text`
  const auditing = present(model.auditing)
  if (kind === 'd')
    return sql`SELECT ${about('record.unlink')}, r.key::int, r.value->>'', ${valuesOf(auditing, auditing.unlink ?? [], 'was')}, ${actor}
      FROM ${imagesBefore(notes)}, jsonb_each(n.images) AS r`
  const fields = [...new Set(notes.flatMap((note) => note.fields))]
  const ids = [...new Set(notes.flatMap((note) => note.ids))]
  const now = sql`(SELECT t."id", ${imageOf(model, fields)} AS value FROM ${id(model.table)} t WHERE t."id" = ANY(${idList(ids)}) AND ${isLogged(auditing)}) AS r`
  if (kind === 'c')
    return sql`SELECT ${about('record.create')}, r.id, r.value->>'', ${valuesOf(auditing, fields, 'is')}, ${actor} FROM ${now}`
  // Of each value the first that was noted counts.
  const was = sql`(SELECT DISTINCT ON (b.key, f.key) b.key::int AS id, f.key AS field, f.value AS was
    FROM ${imagesBefore(notes)}, jsonb_each(n.images) AS b, jsonb_each(b.value - '') AS f ORDER BY b.key, f.key, n.place) AS x`
  return sql`SELECT ${about('record.write')}, w.*, ${actor} FROM (
    SELECT r.id, r.value->>'', jsonb_object_agg(x.field, ${pairOf(auditing, fields, { key: raw('x.field'), was: sql`x.was`, is: sql`r.value->x.field` })})
    FROM ${now} JOIN ${was} ON x.id = r.id WHERE x.was IS DISTINCT FROM r.value->x.field GROUP BY 1, 2 ORDER BY 1) AS w`
}

/** Rows as they were, by the place of their note: one statement for all notes of a call. */
function imagesBefore(notes: readonly AuditNote[]): Sql {
  const list = notes.map(({ before }, place) => ({ place, ...before }))
  return sql`(SELECT l.place, COALESCE(l.json, current_setting(l.setting))::jsonb AS images
    FROM jsonb_to_recordset(${JSON.stringify(list)}::jsonb) AS l(place int, setting text, json text)) AS n`
}

/** The values of a new record, or of one that goes; empty ones are left out. */
function valuesOf(auditing: Auditing, fields: readonly FieldDef[], which: 'was' | 'is'): Sql {
  const nothing = sql`'null'::jsonb`
  const value = sql`f.value`
  const [was, is] = which === 'was' ? [value, nothing] : [nothing, value]
  return sql`(SELECT jsonb_object_agg(f.key, ${pairOf(auditing, fields, { key: raw('f.key'), was, is })}) FROM jsonb_each(r.value - '') AS f
    WHERE f.value NOT IN ('null', 'false', '[]'))`
}

/** `[before, after]` of the field called `key`; links with their names; of secrets that they changed. */
function pairOf(
  { secret }: Auditing,
  fields: readonly FieldDef[],
  { key, was, is }: { readonly key: Sql; readonly was: Sql; readonly is: Sql },
): Sql {
  const cases = fields.flatMap((field) => {
    if (secret.has(field)) return sql`WHEN ${literal(field.name)} THEN '"changed"'::jsonb`
    const name = leadsToOne(field) && nameIn(field.comodel, 'c')
    if (!name) return []
    const [before, now] = [was, is].map((value) => linked(field.comodel, name, value))
    return sql`WHEN ${literal(field.name)} THEN jsonb_build_array(${before}, ${now})`
  })
  const pair = sql`jsonb_build_array(${was}, ${is})`
  return cases.length ? sql`CASE ${key} ${join(cases, ' ')} ELSE ${pair} END` : pair
}

/** A link as id and name: that of a record that is gone by then is not known. */
const linked = ({ table }: ModelDef, name: Sql, value: Sql): Sql =>
  sql`CASE WHEN jsonb_typeof(${value}) = 'number' THEN jsonb_build_object('id', ${value}, 'name', (SELECT ${name} FROM ${id(table)} c WHERE c."id" = (${value})::int)) ELSE ${value} END`

// The actor of an entry of the audit log: the user, their address, their API key or browser session, and the
// person of a session that acts as another user.

export function actorOf({ unit, user }: Environment): Actor {
  const { guard } = unit.services
  return {
    uid: user.id,
    login: user.login,
    address: guard?.address ?? null,
    key: guard?.keyId ?? null,
    session: guard?.sessionHash?.toString('hex') ?? null,
  }
}

export const actorColumns: Sql = raw('uid, login, address, key_id, key_name, session, person_id')

/** Values of these columns. The parts of the actor are SQL; names of keys and owners of sessions are read. */
export function actorSql({ uid, login, address, key, session }: Readonly<Record<keyof Actor, Sql>>): Sql {
  return sql`${uid}, ${login}, ${address}, ${key},
    (SELECT left(k.name, 200) FROM res_users_apikeys k WHERE k.id = ${key}), left(${session}, 12),
    (SELECT NULLIF(s.owner_id, ${uid}) FROM browser_session s WHERE s.token_hash = decode(${session}, 'hex'))`
}

export const actorValues = ({ uid, login, address, key, session }: Actor): Sql =>
  actorSql({
    uid: sql`${uid}::int`,
    login: sql`${login}::text`,
    address: sql`${address}::text`,
    key: sql`${key ?? null}::int`,
    session: sql`${session ?? null}::text`,
  })
