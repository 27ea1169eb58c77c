// Names of databases: which are possible, and which one a request means.
import { NotFound, UserError } from '../errors.ts'
import { sqlState } from '../postgres/index.ts'

/** spec/wire.md section 13; PostgreSQL keeps 63 bytes of a name. */
const PATTERN = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/

/** Throws UserError for a name that no database may have. */
export function assertName(name: string): void {
  if (!PATTERN.test(name) || name.length > 63) {
    throw new UserError(
      'Invalid database name: use 2 to 63 letters, digits, dots, dashes or underscores, starting with a letter or digit.',
    )
  }
}

/**
 * A filter by host: a regular expression that whole names fit, in which %h is the host and %d its first label
 * (`www.` aside).
 */
export function filterFor(pattern: string | null, host: string | undefined): (name: string) => boolean {
  if (!pattern) return () => true
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase()
  const label = name.replace(/^www\./, '').split('.')[0] ?? ''
  const expression = new RegExp(
    `^(?:${pattern.replaceAll('%h', RegExp.escape(name)).replaceAll('%d', RegExp.escape(label))})$`,
  )
  return (database) => expression.test(database)
}

/**
 * The refusal if the database of a request is not named or does not exist: the same in both cases, so that it
 * does not reveal which databases exist.
 */
export function noDatabase(): NotFound {
  return new NotFound('Database not found. Name one of this server in the header X-Service-Database.')
}

/** Whether connecting failed because there is no such database any more, or one that is being dropped. */
export function isGone(error: unknown): boolean {
  const state = sqlState(error)
  return state === '3D000' || state === '55000'
}
