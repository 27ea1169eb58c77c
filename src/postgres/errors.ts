// Classifies PostgreSQL's errors: answers to the client, reasons to repeat, lost connections. SQLSTATE codes:
// the appendix "PostgreSQL Error Codes"; names and statuses: spec/wire.md section 6.
import pg from 'pg'
import { InvalidValue, PayloadTooLarge, ServiceUnavailable, ValidationError } from '../errors.ts'
import { beyond } from '../limits.ts'

/** Labels of the caller's model for the database's own names. */
export interface Wording {
  /** The message of a named constraint. */
  constraint?(name: string): string | undefined
  /** The label of a column. */
  field?(table: string, column: string): string | undefined
  /**
   * The field that refers to other records by a foreign key, such as "Journal" of "Journal Entry
   * (account.move)".
   */
  reference?(table: string, key: string): { readonly model: string; readonly field: string } | undefined
}

/** The SQLSTATE of an error of the server, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Others are at what a transaction is about: it begins again when it is its turn. */
export class Crowded extends Error {
  /** The queues that it waits in, in an order that is the same for all calls. */
  readonly turns: readonly string[]

  constructor(turns: readonly string[], options?: ErrorOptions) {
    super('Other transactions are changing the same records. Please try again.', options)
    this.name = 'Crowded'
    this.turns = [...new Set(turns)].sort()
  }
}

/**
 * Serialization failure, deadlock, lock not available: the same transaction may succeed a moment later.
 */
export function isRetryable(error: unknown): boolean {
  if (error instanceof Crowded) return true
  const code = sqlState(error)
  if (code === '55P03') return !isLockTimeout(error as pg.DatabaseError)
  return code === '40001' || code === '40P01' || isStalePlan(error)
}

/**
 * The place of the row that a call with an idempotency key keeps is taken: it was done, before or meanwhile.
 */
export const isTwin = (error: unknown): boolean =>
  sqlState(error) === '23505' && (error as pg.DatabaseError).constraint === 'comptoir_idempotency_pkey'

/**
 * A prepared statement that the server no longer has, or whose columns were changed by an installation
 * meanwhile.
 */
export function isStalePlan(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '26000' || (error.code === '0A000' && error.routine === 'RevalidateCachedQuery')
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ECONNABORTED',
  'ENOENT',
])
/** Of streams that were ended by the other side, whatever was tried on them. */
const streamCodes = new Set([
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
])
/** No file or socket could be opened: for a file this does not concern the server. */
const shortages = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])
const driverMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|Query read timeout)/

/**
 * The server is gone, stopping, starting, or ended the session: the outcome of statements in flight is not
 * known.
 */
export function isConnectionLost(error: unknown): boolean {
  const code = sqlState(error)
  if (code !== undefined)
    return code.startsWith('08') || code.startsWith('57P') || code === '25P03' || isPanic(error)
  if (!(error instanceof Error)) return false
  if (driverMessages.test(error.message)) return true
  const { code: reason = '', syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return streamCodes.has(reason)
  return networkCodes.has(reason) || (syscall === 'connect' && shortages.has(reason))
}

/** It could not write its log, and ends: what it was about to commit may be there once it is back. */
const isPanic = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.severity === 'PANIC' || error.file === 'xlog.c')

/**
 * A server that takes no writes, such as one that was the primary server until a moment ago; or a write in a
 * transaction that is to read.
 */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006'
}

/** A server that follows another one was used for work of a primary server. */
export function isDemoted(error: unknown): error is pg.DatabaseError {
  return isReadOnly(error) && (error as pg.DatabaseError).routine === 'PreventCommandDuringRecovery'
}

/**
 * The error for the client: violated constraints are ValidationError, values that do not fit InvalidValue,
 * requests that need too much time, memory or disk PayloadTooLarge, lost connections ServiceUnavailable. All
 * others come back unchanged. SQL text is never included.
 */
export function translate(error: unknown, wording: Wording = {}): unknown {
  if (isConnectionLost(error))
    return new ServiceUnavailable('The database is not available at the moment.', {
      cause: error,
      outcome: 'unknown',
    })
  if (!(error instanceof pg.DatabaseError)) return error
  if (isReadOnly(error))
    return new ServiceUnavailable('The database does not accept changes at the moment.', {
      cause: error,
      repeats: true,
    })
  const code = error.code ?? ''
  if (code.startsWith('23')) return new ValidationError(violation(error, wording), { cause: error })
  if (code.startsWith('22')) return new InvalidValue(`Invalid value: ${error.message}.`, { cause: error })
  if (code === '57014' && !/user request/.test(error.message))
    return Object.assign(beyond('statement-seconds'), { cause: error })
  const excess = excessOf(error)
  if (excess) return new PayloadTooLarge(excess, { cause: error })
  if (code === '57014') return new ServiceUnavailable('The request was stopped.', { cause: error })
  if (isLockTimeout(error))
    return new ServiceUnavailable(
      'Other transactions have locked the records for too long. Please try again.',
      { cause: error },
    )
  if (code === '53100')
    return new ServiceUnavailable('The disk of the database server is full.', { cause: error })
  if (code === '58030' || isDiskReadOnly(error))
    return new ServiceUnavailable('The disk of the database server has failed.', { cause: error })
  if (code.startsWith('53'))
    return new ServiceUnavailable('The database is overloaded. Please try again.', { cause: error })
  return error
}

/** The resource that the request exceeds, however often it is repeated. */
function excessOf({ code = '', routine = '', message }: pg.DatabaseError): string | undefined {
  // An overflow of the parser's stack has the code of a syntax error.
  if (code.startsWith('54') || (code === '42601' && message.startsWith('memory exhausted')))
    return 'The request is too large or too deeply nested.'
  if (code === '53400')
    return 'The request needs more temporary disk space than a statement may use. Ask for less at once.'
  // The table of locks is shared, so a lack of room there is temporary. An allocation beyond all bounds has
  // no code of its own.
  const isMemory =
    (code === '53200' && !/Lock/.test(routine)) ||
    (code === 'XX000' && /^(MemoryContext|palloc|repalloc)/.test(routine))
  return isMemory
    ? 'The request needs more memory than a statement may use. Ask for less at once.'
    : undefined
}

/** A file system that failed is read-only, which PostgreSQL calls a lack of rights, as those of roles. */
const isDiskReadOnly = ({ code, file = '' }: pg.DatabaseError): boolean =>
  code === '42501' && ['md.c', 'fd.c', 'buffile.c'].includes(file)

/** Waiting for a lock ended by its time, not because the statement would not wait. */
const isLockTimeout = (error: pg.DatabaseError): boolean =>
  error.code === '55P03' && error.routine === 'ProcessInterrupts'

function violation(error: pg.DatabaseError, wording: Wording): string {
  const written = error.constraint && wording.constraint?.(error.constraint)
  if (written) return written
  // Names of tables and constraints are not for clients.
  if (/delete on table/.test(error.message)) return referredTo(error, wording)
  const fields = fieldsOf(error, wording)
  switch (error.code) {
    case '23502':
      return `The field ${fields} is required and must have a value.`
    case '23505':
      return `The value of ${fields} must be unique, and another record has it already.`
    case '23503':
    case '23001':
      return `The field ${fields} refers to a record that does not exist.`
    case '23P01':
      return `The value of ${fields} overlaps with another record's.`
    default:
      return 'The values break a rule of the database.'
  }
}

/** Why a record cannot be deleted: what refers to it. */
function referredTo({ table = '', constraint = '' }: pg.DatabaseError, wording: Wording): string {
  const reference = wording.reference?.(table, constraint)
  return reference
    ? `The record cannot be deleted: records of ${reference.model} still refer to it by the field ${reference.field}.`
    : 'The record cannot be deleted: other records still refer to it.'
}

/** Labels of the columns concerned; the server lists several only as `Key (a, b)=(1, 2)` in the detail. */
function fieldsOf(error: pg.DatabaseError, wording: Wording): string {
  const { table = '', column, detail = '' } = error
  const columns = column ? [column] : (/\(([^)]+)\)=/.exec(detail)?.[1]?.split(', ') ?? [])
  if (columns.length === 0) return 'of the record'
  return columns.map((name) => wording.field?.(table, name) ?? name).join(', ')
}
