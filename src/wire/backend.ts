// The backend of a wire: services and databases, passed in by main so that tests can replace them.
import type { Answering } from '../access/index.ts'
import type { Databases } from '../databases/index.ts'
import type { upgradeModules } from '../services/admin.ts'
import type * as agents from '../services/agents/index.ts'
import type { admit, verifyCredential } from '../services/as-owner.ts'
import type { batch } from '../services/batch/index.ts'
import type { call } from '../services/call.ts'
import type { changes, pulse } from '../services/changes/index.ts'
import type { login, version } from '../services/common.ts'
import type { content } from '../services/content.ts'
import type { db } from '../services/db.ts'
import type { DeprecatedCalls } from '../services/deprecated-calls.ts'
import type * as jobs from '../services/jobs/index.ts'
import type { printed } from '../services/report.ts'
import type { RequestPreferences } from '../services/request.ts'
import type { secondFactor } from '../services/second-factor.ts'
import type { session } from '../services/session.ts'
import type { Catalogue } from './rpc/catalogue.ts'

export interface Backend {
  readonly databases: Databases
  readonly call: typeof call
  readonly batch: typeof batch
  readonly agents: typeof agents
  readonly changes: typeof changes
  readonly pulse: typeof pulse
  readonly prove: typeof verifyCredential
  readonly admit: typeof admit
  readonly jobs: typeof jobs
  /** Says that a job was queued in a database. */
  readonly wake: (database: string) => void
  readonly version: typeof version
  readonly login: typeof login
  readonly db: typeof db
  readonly session: typeof session
  readonly secondFactor: typeof secondFactor
  readonly content: typeof content
  readonly printed: typeof printed
  readonly upgradeModules: typeof upgradeModules
  /** Counts calls over the deprecated paths. */
  readonly deprecated: Pick<DeprecatedCalls, 'note'>
  /** Countries, languages and the like that modules bring; read rarely. */
  readonly catalogue: () => Catalogue
  /** Names of the chosen modules and those that connect them; without a choice, those of a whole shop. */
  readonly shopModules: (chosen: readonly string[]) => readonly string[]
}

/** Where a request came from and what it said about the database; the same for every wire. */
export interface Origin {
  /** The `Host` header; database filters look at it. */
  readonly host: string | undefined
  /** The client's address. */
  readonly remote: string
  readonly requestId: string
  /** The header `User-Agent`. */
  readonly userAgent?: string | undefined
  /** Whether the client is no longer there. */
  readonly gone?: () => boolean
  /** Preferences of the request's headers. */
  readonly asks?: RequestPreferences | null
  /** Adds a header to the answer, for information that the client did not ask for. */
  readonly tell?: RequestPreferences['tell']
  readonly answering?: Answering | null
}
