// A connection for a unit of work that has to wait for one.
import type { Connection, Pool } from '../../postgres/index.ts'
import type { UnitOptions } from './options.ts'

/** Waits for a connection, and tells who wants to know. */
export async function acquired(pool: Pool, options: UnitOptions): Promise<Connection> {
  const { holder, readonly, gone, opened } = options
  const writing = holder !== undefined && !readonly
  const connection = await pool.acquire(holder, { writing, gone })
  opened?.(connection)
  return connection
}
