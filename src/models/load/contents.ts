// Contents of attachments: in files by their hash where the server keeps files, else in a column of their
// row. Reading knows both.

import { present } from '../../kit/present.ts'
import { type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { FileStore } from '../language/outside.ts'
import { byWeight } from './weight.ts'

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
  env.unit.spend('files', different.length)
  const keys = await keysOf(env.unit.files, different)
  const rows: { id: number; key: string | null; data: string | null }[] = []
  for (const [id, content] of contents) {
    const key = (content && keys.get(content)) ?? null
    if (content && !key) env.unit.spend('written', content.length)
    if (content && !key && content.length > LARGE) await writeLarge(env, id, content)
    else rows.push({ id, key, data: key === null ? (content?.toString('base64') ?? null) : null })
  }
  for (const portion of byWeight(rows, (place) => rows[place]?.data?.length ?? 0))
    await env.query(sql`UPDATE ir_attachment a SET store_fname = x.key, db_datas = decode(x.data, 'base64')
      FROM jsonb_to_recordset(${JSON.stringify(portion)}::jsonb) AS x(id int, key text, data text) WHERE a.id = x.id`)
}

/** Keys of contents that the server keeps in files; none where the database keeps them. */
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
  return sql`store_fname, CASE WHEN ${bytes} <= ${unit.bound('contents')}::bigint OR file_size IS NULL THEN db_datas END, COALESCE(${bytes}, 0)::float8`
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

/**
 * Contents of binary fields' attachments that satisfy a condition: field, record and content. Throws
 * PayloadTooLarge.
 */
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
  unit.foresee('contents', bytes)
  return key === null ? data : ((await unit.files?.get(key)) ?? null)
}
