// Options of the routes under /x/1.
import type { Extensions } from '../../config/index.ts'
import type { Backend } from '../../wire/backend.ts'
import type { Bodies } from '../body.ts'

export interface McpOptions {
  /** Origins of pages that may call, besides those on this machine. */
  readonly origins: readonly string[]
  /** The server that issues tokens, for clients that look for it. */
  readonly authorizationServer: string | undefined
}

export interface ExtensionOptions {
  readonly backend: Backend
  readonly bodies: Bodies
  readonly extensions: Extensions
  readonly mcp: McpOptions
}
