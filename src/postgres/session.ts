// Settings that every session relies on: sent at its start, or, behind a pooler, by its first statement or at
// the head of each transaction.

/** Names and values, as SET takes them. */
export type SessionSettings = readonly (readonly [name: string, value: string])[]

interface Times {
  /** Milliseconds; 0 is never. */
  readonly statementTimeout: number
  readonly lockTimeout: number
  readonly idleInTransactionTimeout: number
  /**
   * The search path has the schema of `now()` before PostgreSQL's own; objects created without naming a
   * schema still go into the first schema of the path.
   */
  readonly ownClock: boolean
}

/** Shows that the settings arrived: a pooler may swallow them without a word. */
export const MARK = 'comptoir.client'

/** JIT costs more than it gains on statements that take a millisecond. */
export function settingsOf({
  statementTimeout,
  lockTimeout,
  idleInTransactionTimeout,
  ownClock,
}: Times): SessionSettings {
  return [
    ['TimeZone', 'UTC'],
    ['DateStyle', 'ISO,YMD'],
    ['IntervalStyle', 'postgres'],
    ['bytea_output', 'hex'],
    ['jit', 'off'],
    ['statement_timeout', String(statementTimeout)],
    ['lock_timeout', String(lockTimeout)],
    ['idle_in_transaction_session_timeout', String(idleInTransactionTimeout)],
    [MARK, '1'],
    ...(ownClock ? [['search_path', 'public,pg_catalog'] as const] : []),
  ]
}

/** The parameter `options` of a new session. */
export function startupOptions(settings: SessionSettings): string {
  return settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')
}

const LISTS = new Set(['DateStyle', 'search_path'])
const quoted = ([name, value]: SessionSettings[number]) => (LISTS.has(name) ? value : `'${value}'`)

/** A script that sets them for the rest of the session. */
export function sessionScript(settings: SessionSettings): string {
  return settings.map((setting) => `SET ${setting[0]} = ${quoted(setting)}`).join('; ')
}

/**
 * Fails on a server that follows another one, by a function that needs a primary server: a pooler keeps a
 * session while its server steps down, which may then hold commits that no other server has.
 */
const LEADS = 'CASE WHEN pg_is_in_recovery() THEN txid_current() END'

/** One statement that sets them for the transaction it runs in, also one of a single batch. */
export function transactionSetting(settings: SessionSettings, mustLead: boolean): string {
  const each = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`)
  return `SELECT ${[...each, ...(mustLead ? [LEADS] : [])].join(', ')}`
}

/**
 * The same as statements that take no snapshot: what follows them sees what was committed while it waited for
 * a lock.
 */
export function localSettings(settings: SessionSettings): string[] {
  return settings.map((setting) => `SET LOCAL ${setting[0]} = ${quoted(setting)}`)
}
