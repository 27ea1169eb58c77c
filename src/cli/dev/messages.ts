// Messages between the processes of `comptoir dev`: the watching process and the servers that it starts.
import type { Config } from '../../config/index.ts'

/** Orders for a server; sent once, at the beginning. */
export interface Order {
  readonly config: Config
  readonly database: string
  readonly demo: boolean
}

/** From the watcher: what to do, and later that the port is free. */
export type ToServer = { readonly order: Order } | { readonly go: { readonly port: number } }

/** From the server: the database is as the modules say; it answers; or why not. */
export type FromServer =
  | { readonly ready: { readonly modules: readonly string[]; readonly welcome: string | null } }
  | { readonly listening: { readonly url: string; readonly port: number } }
  | { readonly failed: string }
