// What methods that judge keys and passwords ask to slow guessing down. The room `access` answers (cooldown.ts).
import type { Environment } from '../environment.ts'

/** Failures in a row of the address that the call came from (spec/wire.md section 7, "Cooldown"). Found at `env.unit.guard`. */
export interface Guard {
  /** Where the call came from. */
  readonly address: string
  /** What a browser session that calls is found by, in `browser_session`; null for other calls. */
  readonly sessionHash: Buffer | null
  /**
   * Throws AccessDenied while the address has to wait, or the caller's login where their password is about to be judged: guesses in a session count like those
   * at the door. Asked before anything is judged, once in a call; from now on until its end the call counts as one that is being judged.
   */
  assertNoCooldown(env: Environment, judged: 'key' | 'password'): Promise<void>
  /** A wrong key or password: counted even though the call's transaction is rolled back. */
  failed(env: Environment): Promise<void>
  /** A right one: the count starts anew, and a browser session counts as confirmed for some minutes. */
  succeeded(env: Environment): Promise<void>
  /** Users whose passwords were changed wait no more for what was guessed before. */
  forget(users: readonly { readonly id: number; readonly login: string }[]): Promise<void>
  /** Whether the call comes from a browser session in which the password was given some minutes ago. */
  isConfirmed(env: Environment): Promise<boolean>
}
