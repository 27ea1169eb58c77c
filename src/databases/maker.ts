// Options of new databases, and the parts of the server that make them.
import type { Module } from '../models/index.ts'
import type { Admin, Login, PoolOptions } from '../postgres/index.ts'
import type { Contents } from './contents/contents.ts'

export type Progress = (step: string, done: number) => void

export interface CreateOptions {
  readonly modules?: readonly string[]
  readonly demo?: boolean
  readonly login?: string
  readonly password?: string
  readonly lang?: string
  /** Lower- or upper-case ISO code of the company's country. */
  readonly country?: string
  readonly phone?: string
  /** Cluster of the new database; by default the one for new databases. */
  readonly cluster?: string | undefined
  /**
   * Whether no template is made for it: a template costs half a second, and pays when the second database
   * like it is made. One that exists is copied.
   */
  readonly single?: boolean
  readonly progress?: Progress
}

/** Size and timeouts of a database's pool. */
export type PoolSettings = Pick<
  PoolOptions,
  'max' | 'queueLimit' | 'acquireTimeoutMs' | 'idleTimeoutMs' | 'connectTimeout' | 'idleInTransactionTimeout'
>

/** Parts of a server that make databases. */
export interface Maker {
  readonly admin: Admin
  readonly dataDir: string
  readonly files: Contents
  readonly pool: PoolOptions
  readonly modules: readonly Module[]
  /** Role that runs the statements of backups; null: the role of the pool, on an external server. */
  readonly restorer: Login | null
  /** Where clients reach the server. */
  readonly baseUrl?: string
  /** As in drafts.ts: names are unique over all clusters. */
  readonly claim: (name: string, work: () => Promise<void>) => Promise<void>
}
