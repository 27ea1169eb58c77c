// Quota of attachments for users who are not employees: counted in the database, so that it holds for
// all calls on all nodes.
import type { Environment } from '#models'
import { only } from '../../../kit/present.ts'
import { beyond } from '../../../limits.ts'
import { type RowOf, raw, sql } from '../../../sql/index.ts'

/**
 * Files and bytes that a user has added since existing files were last counted: a deleted file may stay
 * on disk for an hour.
 */
export const quotaTable = `CREATE TABLE IF NOT EXISTS attachment_quota (
  user_id integer PRIMARY KEY REFERENCES res_users ON DELETE CASCADE,
  files bigint NOT NULL,
  bytes bigint NOT NULL,
  counted timestamp NOT NULL
)`

const now = raw(`now() AT TIME ZONE 'UTC'`)

/** Bytes that an attachment takes: its content and its longer texts. */
export function bytesOf(vals: Readonly<Record<string, unknown>>, content: Buffer | null | undefined): number {
  const texts = [vals.name, vals.description, vals.url, vals.index_content]
  return texts.reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? text.length : 0),
    content?.length ?? 0,
  )
}

/** Files and bytes that a user is taken to keep, and whether they were counted over an hour ago. */
const keptColumns = ['float', 'float', 'bool'] as const
type Kept = RowOf<typeof keptColumns>
const kept = raw(`q.files::float8, q.bytes::float8, q.counted < now() AT TIME ZONE 'UTC' - interval '1 hour'`)

/**
 * Takes new files and bytes from what a portal user or visitor may keep; employees and the server itself have
 * no quota. Calls that do so at the same time come one after the other, as they write the same row. Throws
 * PayloadTooLarge.
 */
export async function spendQuota(env: Environment, files: number, bytes: number): Promise<void> {
  if (env.hasGroup('base.group_user') || (files === 0 && bytes === 0)) return
  const sum = await added(env, files, bytes)
  const limit = limitOf(env, sum[2] && limitOf(env, sum) ? await recounted(env, files, bytes) : sum)
  if (limit) throw beyond(limit)
}

/** The limit that is exceeded. */
function limitOf({ unit }: Environment, [files, bytes]: Kept): 'visitor-files' | 'visitor-bytes' | null {
  if (files > unit.quota.bound('visitor-files')) return 'visitor-files'
  return bytes > unit.quota.bound('visitor-bytes') ? 'visitor-bytes' : null
}

async function added(env: Environment, files: number, bytes: number): Promise<Kept> {
  const rows = await env.rows(
    sql`INSERT INTO attachment_quota AS q (user_id, files, bytes, counted) VALUES (${env.uid}::int, ${files}::bigint, ${bytes}::bigint, ${now})
    ON CONFLICT (user_id) DO UPDATE SET files = q.files + EXCLUDED.files, bytes = q.bytes + EXCLUDED.bytes RETURNING ${kept}`,
    { reads: [], row: keptColumns },
  )
  return only(rows)
}

/** As `added`, to what the table of attachments says. */
async function recounted(env: Environment, files: number, bytes: number): Promise<Kept> {
  const rows = await env.rows(
    sql`UPDATE attachment_quota q SET files = a.files + ${files}::bigint, bytes = a.bytes + ${bytes}::bigint, counted = ${now}
    FROM (SELECT count(*) AS files, COALESCE(sum(file_size), 0)::bigint AS bytes FROM ir_attachment WHERE create_uid = ${env.uid}::int) AS a
    WHERE q.user_id = ${env.uid}::int RETURNING ${kept}`,
    { reads: ['ir.attachment'], row: keptColumns },
  )
  return only(rows)
}
