// A connection for a session that has to wait for one.
import type { Connection, Pool } from '../../postgres/index.ts'
import type { UnitOptions } from './options.ts'

/** Waits for a connection, and calls `opened` with it. */
export async function acquired(pool: Pool, options: UnitOptions): Promise<Connection> {
  const { holder, readonly, gone, opened } = options
  const writing = holder !== undefined && !readonly
  const connection = await pool.acquire(holder, { writing, gone })
  opened?.(connection)
  return connection
}
