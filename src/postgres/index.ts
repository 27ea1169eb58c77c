// The entry of the room: what other rooms use of PostgreSQL.

export type { ConnectionOptions, Login, ServerAddress } from './address.ts'
export { Admin, isOurs } from './admin.ts'
export type { Query } from './connection.ts'
export { Connection } from './connection.ts'
export { Copying } from './copying.ts'
export type { Wording } from './errors.ts'
export { isConnectionLost, sqlState, translate } from './errors.ts'
export type { PoolOptions, PoolStats } from './pool.ts'
export { Pool } from './pool.ts'
export { asRestorer, sweepRestorers } from './restorer.ts'
export type { RetryPolicy } from './transaction.ts'
export { isRetryable, withRetries } from './transaction.ts'
