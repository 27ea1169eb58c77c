// Binary fields kept as attachments of their record, and images in several sizes: where a value is, and how
// large, without reading it.
import { present } from '../../kit/present.ts'
import { id, idList, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { FileStore } from '../language/outside.ts'

/** The image that a field is a smaller version of: a field of the same record. */
export function originalOf(field: FieldDef): FieldDef | null {
  const [name, ...more] = field.related ?? []
  if (
    field.kind !== 'binary' ||
    !field.options.image ||
    !field.options.maxWidth ||
    field.inherited ||
    name === undefined ||
    more.length
  )
    return null
  return field.model.fields.get(name) ?? null
}

export function smallerVersions(field: FieldDef): FieldDef[] {
  return [...field.model.fields.values()].filter((other) => originalOf(other) === field)
}

export const isFile = (field: FieldDef): boolean =>
  field.kind === 'binary' && field.stored && !field.column && !field.related && !field.compute

/** Contents of fields' own files by name and record, base64; records without a file are left out. */
export async function filesValues(
  env: Environment,
  fields: readonly FieldDef[],
  ids: Ids,
): Promise<Map<string, Map<number, string | null>>> {
  const [first] = fields
  if (!first || ids.length === 0) return new Map()
  const names = fields.map(({ name }) => name)
  const contents = await readFieldContents(
    env,
    sql`res_model = ${first.model.name} AND res_field = ANY(${names}::text[]) AND res_id = ANY(${idList(ids)})`,
  )
  const values = new Map(names.map((name) => [name, new Map<number, string | null>()]))
  for (const [name, record, content] of contents)
    values.get(name)?.set(record, content?.toString('base64') || null)
  return values
}

/** Bytes of binary values by record; null for unset ones. Undefined for fields whose values code computes. */
export async function binarySizes(
  env: Environment,
  field: FieldDef,
  ids: Ids,
): Promise<Map<number, number | null> | undefined> {
  if (field.column) {
    const rows = await env.query<[number, number | null]>(
      sql`SELECT "id", octet_length(${id(field.name)}) FROM ${id(field.model.table)} WHERE "id" = ANY(${idList(ids)})`,
    )
    return new Map(rows.map(([record, size]) => [record, size]))
  }
  if (field.compute) return field.compute.options.size?.(ids, env)
  const original = originalOf(field)
  if (original || isFile(field)) return fileSizes(env, field.model, [original ?? field, field], ids)
  const [via = '', ...rest] = field.related ?? []
  const step = field.model.fields.get(via)
  const last = rest.length === 1 ? step?.comodel?.fields.get(present(rest[0])) : undefined
  if (step?.kind !== 'many2one' || !step.column || !last) return undefined
  const rows = await env.query<[number, number | null]>(
    sql`SELECT "id", ${id(via)} FROM ${id(field.model.table)} WHERE "id" = ANY(${idList(ids)})`,
  )
  const sizes = await binarySizes(env, last, [...new Set(rows.flatMap(([, target]) => target ?? []))])
  return sizes && new Map(rows.map(([record, target]) => [record, sizes.get(present(target)) ?? null]))
}

/** Sizes of the files of fields; of several of a record that of the last field that has one. */
async function fileSizes(
  env: Environment,
  model: ModelDef,
  fields: readonly FieldDef[],
  ids: Ids,
): Promise<Map<number, number | null>> {
  const sizes = new Map<number, number | null>()
  for (const field of new Set(fields)) {
    const rows = await env.query<[number, number | null]>(
      sql`SELECT res_id, file_size FROM ir_attachment WHERE ${ownFiles(model, field, ids)}`,
    )
    for (const [record, size] of rows) sizes.set(record, size)
  }
  return sizes
}

const ownFiles = (model: ModelDef, field: FieldDef, ids: Ids) =>
  sql`res_model = ${model.name} AND res_field = ${field.name} AND res_id = ANY(${idList(ids)})`

/** Whether the context asks for sizes in place of the contents of a field. */
export function wantsSize({ context }: Environment, field: FieldDef): boolean {
  return field.kind === 'binary' && Boolean(context.bin_size || context[`bin_size_${field.name}`])
}

/** `11.00 bytes`, `5.86 Kb`: what `bin_size` gives in place of content (spec/models-api.md section 4). */
export function sizeText(bytes: number | null | undefined): string | false {
  if (!bytes) return false
  const units = ['bytes', 'Kb', 'Mb', 'Gb']
  let [size, unit] = [bytes, 0]
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${size.toFixed(2)} ${units[unit]}`
}

export function bytesIn(base64: unknown): number {
  if (typeof base64 !== 'string' || base64 === '') return 0
  return (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
}

// Contents of attachments: in files by their hash where the server keeps files, else in a column of their
// row. Reading knows both.

/** Files that are written at a time: each waits for the disk. */
const AT_ONCE = 8
/**
 * Bytes from which a content in the database has a statement of its own: as a part of rows it would take
 * PostgreSQL many times its length.
 */
const LARGE = 1024 ** 2

/** Replaces contents by attachment id. Throws PayloadTooLarge for more of them than a call may keep. */
export async function writeContents(
  env: Environment,
  contents: ReadonlyMap<number, Buffer | null>,
): Promise<void> {
  const different = [...new Set(contents.values())].filter((content) => content !== null)
  env.unit.quota.charge('files', different.length)
  const keys = await keysOf(env.unit.services.files, different)
  const rows: { id: number; key: string | null; data: string | null }[] = []
  for (const [id, content] of contents) {
    const key = (content && keys.get(content)) ?? null
    if (content && !key) env.unit.quota.charge('written', content.length)
    if (content && !key && content.length > LARGE) await writeLarge(env, id, content)
    else rows.push({ id, key, data: key === null ? (content?.toString('base64') ?? null) : null })
  }
  for (const portion of byWeight(rows, (place) => rows[place]?.data?.length ?? 0))
    await env.query(sql`UPDATE ir_attachment a SET store_fname = x.key, db_datas = decode(x.data, 'base64')
      FROM jsonb_to_recordset(${JSON.stringify(portion)}::jsonb) AS x(id int, key text, data text) WHERE a.id = x.id`)
}

/** Keys of contents that the server keeps in files; none if the database keeps them. */
async function keysOf(files: FileStore | null, contents: readonly Buffer[]): Promise<Map<Buffer, string>> {
  const keys = new Map<Buffer, string>()
  if (!files?.keeps) return keys
  for (let start = 0; start < contents.length; start += AT_ONCE) {
    const some = contents.slice(start, start + AT_ONCE)
    const kept = await Promise.all(some.map((content) => files.put(content)))
    for (const [i, content] of some.entries()) keys.set(content, present(kept[i]))
  }
  return keys
}

async function writeLarge(env: Environment, id: number, content: Buffer): Promise<void> {
  await env.query(
    sql`UPDATE ir_attachment SET store_fname = NULL, db_datas = decode(${content.toString('base64')}::text, 'base64') WHERE id = ${id}::int`,
  )
}

/**
 * Contents as columns: nothing of them is sent where all of them together, whose bytes the last column says,
 * are more than a call may read.
 */
function contentColumns({ unit }: Environment): Sql {
  const bytes = sql`sum(file_size) OVER ()`
  return sql`store_fname, CASE WHEN ${bytes} <= ${unit.quota.bound('contents')}::bigint OR file_size IS NULL THEN db_datas END, COALESCE(${bytes}, 0)::float8`
}

type ContentRow = readonly [key: string | null, data: Buffer | null, bytes: number]

/**
 * Contents of the attachments that satisfy a condition on `ir_attachment`, by the column `by`; null for
 * attachments without one. Throws PayloadTooLarge.
 */
export async function readContents(
  env: Environment,
  by: 'id' | 'res_id',
  condition: Sql,
): Promise<Map<number, Buffer | null>> {
  const rows = await env.query(
    sql`SELECT ${by === 'id' ? sql`id` : sql`res_id`}, ${contentColumns(env)} FROM ir_attachment WHERE ${condition}`,
  )
  const contents = new Map<number, Buffer | null>()
  for (const [id, ...content] of rows as unknown as readonly (readonly [number, ...ContentRow])[])
    contents.set(id, await contentOf(env, content))
  return contents
}

/** Field, record and content of attachments that satisfy a condition. Throws PayloadTooLarge. */
export async function readFieldContents(
  env: Environment,
  condition: Sql,
): Promise<[string, number, Buffer | null][]> {
  const rows = await env.query(
    sql`SELECT res_field, res_id, ${contentColumns(env)} FROM ir_attachment WHERE ${condition}`,
  )
  const contents: [string, number, Buffer | null][] = []
  for (const [field, record, ...content] of rows as unknown as readonly (readonly [
    string,
    number,
    ...ContentRow,
  ])[])
    contents.push([field, record, await contentOf(env, content)])
  return contents
}

async function contentOf({ unit }: Environment, [key, data, bytes]: ContentRow): Promise<Buffer | null> {
  unit.quota.reserve('contents', bytes)
  return key === null ? data : ((await unit.services.files?.get(key)) ?? null)
}

// Rows for statements of a bounded size: what PostgreSQL needs for a parameter of rows is many times its
// length.

/** Characters of text that the rows of one statement have together; a row with more goes alone. */
const HEAVY = 4 * 1024 ** 2

/** The rows in portions for one statement each, mostly all of them in one; `weight` of a row by its place. */
export function byWeight<T>(rows: readonly T[], weight: (place: number) => number): (readonly T[])[] {
  const portions: (readonly T[])[] = []
  let start = 0
  let sum = 0
  for (let place = 0; place < rows.length; place++) {
    const placeWeight = weight(place)
    if (place > start && sum + placeWeight > HEAVY) {
      portions.push(rows.slice(start, place))
      start = place
      sum = 0
    }
    sum += placeWeight
  }
  portions.push(start === 0 ? rows : rows.slice(start))
  return portions
}
