// API keys as the server returns them, and the calls that create and remove them (spec/client-needs.md
// section 7).
import { call } from '../shared/call.ts'

/** One line of `res.users.apikeys.overview`. Moments are UTC; false if not set. */
export interface Key {
  readonly id: number
  readonly name: string
  readonly user_id: readonly [number, string]
  readonly scope: string | false
  readonly addresses: string | false
  /** Calls in a time, such as `600/60s`. */
  readonly rate: string | false
  readonly concurrency: number | false
  readonly idempotency_required: boolean
  readonly replica: boolean
  readonly create_date: string | false
  readonly expiration_date: string | false
  readonly expiring: 'expired' | '1' | '7' | '14' | false
  readonly last_used: string | false
  readonly last_address: string | false
  readonly last_user_agent: string | false
  readonly uses: number
}

/** Lifetimes offered for a new key. */
export interface Durations {
  /** Days, or -1 for a date of choice, with what people call it. */
  readonly choices: readonly (readonly [string, string])[]
  /** The last moment that a key may end. */
  readonly until: string
}

export interface NewKey {
  readonly name: string
  readonly duration: string
  /** For the duration -1. */
  readonly expiration_date: string | false
  /** Its scope, and where it works: ranges of addresses with blanks between, empty for everywhere. */
  readonly scope: string
  readonly addresses: string | false
}

/** The server's next step: the password is needed, or nothing more; then the key is in `default_key`. */
interface Next {
  readonly res_model?: string
  readonly res_id?: number
  readonly context?: { readonly default_key?: string }
}

/** Where something delicate stands. */
export type Progress =
  | { readonly kind: 'asks'; readonly check: number }
  | { readonly kind: 'done'; readonly key: string | null }

export const keysOf = (everybody: boolean): Promise<readonly Key[]> =>
  call('res.users.apikeys', 'overview', [], { everybody })

export const durations = (): Promise<Durations> => call('res.users.apikeys.description', 'durations')

/** Requests a new key. The server asks for the password, unless it was entered some minutes ago. */
export async function makeKey(wanted: NewKey): Promise<Progress> {
  const [id] = [await call<number | number[]>('res.users.apikeys.description', 'create', [wanted])].flat()
  return progressOf(await call<Next>('res.users.apikeys.description', 'make_key', [[id]]))
}

export async function removeKey(id: number): Promise<Progress> {
  return progressOf(await call<Next>('res.users.apikeys', 'remove', [[id]]))
}

/** Restrictions of a key from the next call on. */
export interface Restriction {
  /** Absent: as before. */
  readonly scope?: string
  readonly addresses: string
  readonly rate: string
  readonly concurrency: number | null
  readonly idempotency_required: boolean
  readonly replica: boolean
}

export const restrictKey = (id: number, wanted: Restriction): Promise<true> =>
  call('res.users.apikeys', 'restrict', [[id]], { ...wanted })

/** Sends the password, or the code, that a check asks for. */
export async function confirm(
  check: number,
  context: { readonly password?: string; readonly code?: string },
): Promise<Progress> {
  return progressOf(await call<Next>('res.users.identitycheck', 'run_check', [[check]], { context }))
}

function progressOf({ res_model, res_id, context }: Next): Progress {
  if (res_model === 'res.users.identitycheck' && res_id) return { kind: 'asks', check: res_id }
  return { kind: 'done', key: context?.default_key ?? null }
}

/** A call with the key, to paste into a shell. */
export function curlLine(key: string, origin: string, database: string): string {
  return [
    `curl ${quoted(`${origin}/json/2/res.users/context_get`)} \\`,
    `  -H ${quoted(`Authorization: bearer ${key}`)} \\`,
    `  -H ${quoted(`X-Service-Database: ${database}`)} \\`,
    "  -H 'Content-Type: application/json' -d '{}'",
  ].join('\n')
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
