// Protocol between a command and a running server over the local socket (decision 0104): the command writes
// one JSON text and ends its side, the server answers with another and closes.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../../config/index.ts'

/**
 * Raised with every change of commands, arguments or results: servers decline requests of another version.
 */
export const VERSION = 2

/** The longest request, in bytes. */
export const LONGEST_REQUEST = 64 * 1024

/** The longest name of a socket: macOS keeps 104 bytes with the last zero, Linux 108. */
const LONGEST_PATH = 103

export interface LocalRequest {
  readonly version: number
  /** The PostgreSQL that the command means, as `postgresOf` names it. */
  readonly postgres: string
  readonly command: string
  readonly args: readonly unknown[]
}

/**
 * `declined`: the server does not take the command, and did nothing. `refused`: the reason, in words for
 * people.
 */
export type LocalAnswer =
  | { readonly result: unknown }
  | { readonly declined: true }
  | { readonly refused: string; readonly unexpected?: true }

/** The greeting, which checks that a server accepts commands. */
export const HELLO = 'hello'

/** The socket of a data directory; null if the system has none, or the path is too long. */
export function socketOf(dataDir: string): string | null {
  const path = join(dataDir, 'commands.sock')
  return process.platform === 'win32' || Buffer.byteLength(path) > LONGEST_PATH ? null : path
}

/** Names a PostgreSQL without its password. */
export const postgresOf = ({ databaseUrl }: Pick<Config, 'databaseUrl'>): string =>
  createHash('sha256')
    .update(databaseUrl ?? '')
    .digest('hex')
