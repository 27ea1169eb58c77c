// Services of layers above the engine that a unit of work uses: contents in files, the brute-force
// guard, the audit log, changes of modules.
import type { Readable } from 'node:stream'
import type { Environment } from './environment.ts'

/** Files by the hash of their content. A file never changes. */
export interface FileStore {
  /** False: new contents go to the database, which several machines share; the store is only read. */
  readonly keeps: boolean
  /**
   * Stores content durably and returns its key. It may be called before the commit: files without a
   * reference are collected later.
   */
  put(content: Buffer): Promise<string>
  /** The content; null if the file is lost. */
  get(key: string): Promise<Buffer | null>
  /** Size of a file in bytes; null if it is lost. */
  size(key: string): Promise<number | null>
  /** A stream of the bytes from `start` to `end`, both included. */
  open(key: string, start: number, end: number): Readable
}

/**
 * The brute-force guard: counts consecutive failures by the address of the call (spec/wire.md section 7,
 * "Cooldown"). Available as `env.unit.services.guard`.
 */
export interface Guard {
  /** The address that the call came from. */
  readonly address: string
  /** The hash that identifies the calling browser session in `browser_session`; null for other calls. */
  readonly sessionHash: Buffer | null
  /** The id of the API key that authenticates the call; null for other calls. */
  readonly keyId: number | null
  /**
   * Throws AccessDenied during the cooldown of the address, or of the caller's login if their password
   * is about to be checked: guesses within a session count like those at the login. Called once per
   * call, before anything is checked. Until its end the call counts as an attempt in progress.
   */
  assertNoCooldown(env: Environment, judged: 'key' | 'password' | 'code'): Promise<void>
  /** Counts a wrong key, password or code, even though the call's transaction is rolled back. */
  failed(env: Environment): Promise<void>
  /**
   * Resets the count after a right one. A browser session counts as confirmed for some minutes; a
   * session of a user with a second factor only after one of its codes.
   */
  succeeded(env: Environment): Promise<void>
  /** Resets the counts of users whose passwords were changed. */
  forget(users: readonly { readonly id: number; readonly login: string }[]): Promise<void>
  /** Whether the call comes from a browser session that was confirmed within the last minutes. */
  isConfirmed(env: Environment): Promise<boolean>
  /** Whether the session's password was entered within so many minutes, at its login or later. */
  isProven(env: Environment, minutes: number): Promise<boolean>
}

/** An event for the audit log, without secrets. */
export interface AuditEntry {
  /** Subject and deed, such as `key.create`. */
  readonly event: string
  /** The record that it is about. */
  readonly model?: string
  readonly record?: number | null
  /** The name by which users know the record. */
  readonly name?: string | null
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The actor of an entry. User and login are null if they are unknown. */
export interface Actor {
  readonly uid: number | null
  readonly login: string | null
  readonly address: string | null
  /** The id of the API key that authenticates the call. */
  readonly key?: number | null
  /** The hash of the browser session's token, in hexadecimal digits. */
  readonly session?: string | null
}

/** An entry with its actor. */
export interface AuditRow extends AuditEntry, Actor {}

/** A call's request to install, upgrade or uninstall modules of its database. */
export interface ModuleChange {
  /** `list` updates the list of modules. */
  readonly act: 'install' | 'upgrade' | 'uninstall' | 'list'
  readonly names: readonly string[]
  /** The user who requests it. */
  readonly by: { readonly uid: number; readonly login: string }
}
