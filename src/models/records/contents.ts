// Contents of attachments: in files by their hash where the server keeps files, else in a column of their row. Reading knows both.
import type { Readable } from 'node:stream'
import { join, type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../environment.ts'

/** Files by the hash of their content: what is there never changes. */
export interface FileStore {
  /** False: new contents go into the database, which several machines may share; only what is there already is read. */
  readonly keeps: boolean
  /** Keeps content that outlives the process from then on; gives its key. Writing before the commit is right: what nobody refers to is collected later. */
  put(content: Buffer): Promise<string>
  /** Null when the file is lost. */
  get(key: string): Promise<Buffer | null>
  /** Bytes of a file; null when it is lost. */
  size(key: string): Promise<number | null>
  /** A stream of the bytes from `start` to `end`, both included. */
  open(key: string, start: number, end: number): Readable
}

/** Replaces contents by attachment id. */
export async function writeContents(env: Environment, contents: ReadonlyMap<number, Buffer | null>): Promise<void> {
  const { files } = env.unit
  const rows: { id: number; key: string | null; data: string | null }[] = []
  for (const [id, content] of contents) {
    const kept = content && files?.keeps ? await files.put(content) : null
    rows.push({ id, key: kept, data: kept === null ? (content?.toString('base64') ?? null) : null })
  }
  await env.query(sql`UPDATE ir_attachment a SET store_fname = x.key, db_datas = decode(x.data, 'base64')
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, key text, data text) WHERE a.id = x.id`)
}

/** Contents of the attachments that satisfy a condition on `ir_attachment`, by the column `by`; null where there is none. */
export async function readContents(env: Environment, by: 'id' | 'res_id', condition: Sql): Promise<Map<number, Buffer | null>> {
  const column = join([by === 'id' ? sql`id` : sql`res_id`, sql`store_fname`, sql`db_datas`])
  const rows = await env.query(sql`SELECT ${column} FROM ir_attachment WHERE ${condition}`)
  const found = new Map<number, Buffer | null>()
  for (const [id, key, data] of rows as readonly (readonly [number, string | null, Buffer | null])[]) {
    found.set(id, key === null ? data : ((await env.unit.files?.get(key)) ?? null))
  }
  return found
}

/** Contents of binary fields' attachments that satisfy a condition: field, record and content. */
export async function readFieldContents(env: Environment, condition: Sql): Promise<[string, number, Buffer | null][]> {
  const rows = await env.query(sql`SELECT res_field, res_id, store_fname, db_datas FROM ir_attachment WHERE ${condition}`)
  const found: [string, number, Buffer | null][] = []
  for (const [field, record, key, data] of rows as readonly (readonly [string, number, string | null, Buffer | null])[]) {
    found.push([field, record, key === null ? data : ((await env.unit.files?.get(key)) ?? null)])
  }
  return found
}
