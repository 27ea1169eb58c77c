// What a unit of work is handed by rooms above the engine, and what it hands them: contents in files, the
// guard against guessing, the audit log, changes of modules.
import type { Readable } from 'node:stream'
import type { Environment } from './environment.ts'

/** Files by the hash of their content: what is there never changes. */
export interface FileStore {
  /**
   * False: new contents go into the database, which several machines may share; only what is there already is
   * read.
   */
  readonly keeps: boolean
  /**
   * Keeps content that outlives the process from then on; gives its key. Writing before the commit is right:
   * what nobody refers to is collected later.
   */
  put(content: Buffer): Promise<string>
  /** Null when the file is lost. */
  get(key: string): Promise<Buffer | null>
  /** Bytes of a file; null when it is lost. */
  size(key: string): Promise<number | null>
  /** A stream of the bytes from `start` to `end`, both included. */
  open(key: string, start: number, end: number): Readable
}

/**
 * Failures in a row of the address that the call came from (spec/wire.md section 7, "Cooldown"). Found at
 * `env.unit.guard`.
 */
export interface Guard {
  /** Where the call came from. */
  readonly address: string
  /** What a browser session that calls is found by, in `browser_session`; null for other calls. */
  readonly sessionHash: Buffer | null
  /** The API key that calls; null for other calls. */
  readonly keyId: number | null
  /**
   * Throws AccessDenied while the address has to wait, or the caller's login where their password is about to
   * be judged: guesses in a session count like those at the door. Asked before anything is judged, once in a
   * call; from now on until its end the call counts as one that is being judged.
   */
  assertNoCooldown(env: Environment, judged: 'key' | 'password' | 'code'): Promise<void>
  /** A wrong key, password or code: counted even though the call's transaction is rolled back. */
  failed(env: Environment): Promise<void>
  /**
   * A right one: the count starts anew, and a browser session counts as confirmed for some minutes; that of a
   * user with a second factor by its codes alone.
   */
  succeeded(env: Environment): Promise<void>
  /** Users whose passwords were changed wait no more for what was guessed before. */
  forget(users: readonly { readonly id: number; readonly login: string }[]): Promise<void>
  /** Whether the call comes from a browser session that was confirmed some minutes ago. */
  isConfirmed(env: Environment): Promise<boolean>
  /** Whether the session's password was given within so many minutes, when it began or since. */
  isProven(env: Environment, minutes: number): Promise<boolean>
}

/** What happened. Secrets have no place in it. */
export interface AuditEntry {
  /** Subject and deed, such as `key.create`. */
  readonly event: string
  /** The record that it is about. */
  readonly model?: string
  readonly record?: number | null
  /** What people call it. */
  readonly name?: string | null
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The actor of an entry; user and login are null where they are not known. */
export interface Actor {
  readonly uid: number | null
  readonly login: string | null
  readonly address: string | null
  /** The id of the API key that calls. */
  readonly key?: number | null
  /** The hash of the token of the browser session that calls, in hexadecimal digits. */
  readonly session?: string | null
}

/** An entry with its actor. */
export interface AuditRow extends AuditEntry, Actor {}

/** What a call asks the server to do to the modules of its database. */
export interface ModuleChange {
  /** `list` brings the list of modules up to date. */
  readonly act: 'install' | 'upgrade' | 'uninstall' | 'list'
  readonly names: readonly string[]
  /** Who asked. */
  readonly by: { readonly uid: number; readonly login: string }
}
