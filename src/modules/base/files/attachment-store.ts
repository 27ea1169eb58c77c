// Where the contents of attachments are kept: the engine's store, files or a column
// (models/load/binaries.ts).

import { readContents, writeContents } from '#engine'
import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'

/**
 * Contents by attachment. A store takes part in the call's transaction: what is rolled back was never kept.
 */
export interface ContentStore {
  put(env: Environment, contents: ReadonlyMap<number, Buffer | null>): Promise<void>
  get(env: Environment, ids: readonly number[]): Promise<Map<number, Buffer | null>>
}

/** Bytes that an attachment may have unless the parameter `web.max_file_upload_size` says otherwise. */
const LARGEST = 128 * 1024 * 1024
/** Smaller ones pass without a look at the parameter. */
const SMALL = 64 * 1024

/** The store in use. `put` throws UserError for contents that are too large. */
export const contentStore: ContentStore = {
  async put(env, contents) {
    const largest = Math.max(0, ...[...contents.values()].map((content) => content?.length ?? 0))
    if (largest > SMALL) await assertSize(env, largest)
    await writeContents(env, contents)
  },
  get: (env, ids) => readContents(env, 'id', sql`id = ANY(${idList([...ids])})`),
}

async function assertSize(env: Environment, size: number): Promise<void> {
  const [row] = await env.rows(
    sql`SELECT value FROM ir_config_parameter WHERE key = 'web.max_file_upload_size'`,
    { reads: ['ir.config_parameter'], row: ['text'] },
  )
  const limit = Number(row?.[0])
  const most = limit > 0 ? Math.min(limit, LARGEST) : LARGEST
  if (size > most) throw new UserError(`The file is too large: ${size} bytes, and ${most} are allowed.`)
}
