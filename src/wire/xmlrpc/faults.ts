// Failures as faults: numbers on /xmlrpc/2, texts on /xmlrpc (spec/wire.md section 11).
import { AccessDenied, AccessError, MissingError, RedirectWarning, type ServiceError } from '../../errors.ts'
import { encodeFault } from './encode.ts'

/** The two dialects of faults, by path: `/xmlrpc/2` and `/xmlrpc`. */
export type Dialect = 'numbers' | 'texts'

/**
 * The fault of a failure. Where clients expect a trace they get its last line: name and message, nothing of
 * the inside.
 */
export function faultOf(error: ServiceError, dialect: Dialect): string {
  const trace = `Traceback (most recent call last):\n${error.wireName}: ${error.message}\n`
  const { message } = error
  if (dialect === 'numbers') {
    if (error instanceof AccessDenied) return encodeFault(3, message)
    if (error instanceof AccessError) return encodeFault(4, message)
    return isForUsers(error) ? encodeFault(2, message) : encodeFault(1, trace)
  }
  if (error instanceof AccessDenied) return encodeFault('AccessDenied', message)
  return isForUsers(error)
    ? encodeFault(`warning -- ${kindOf(error)}\n\n${message}`, '')
    : encodeFault(message, trace)
}

/** Whether the message is meant for people: refusals by the models, as against calls that make no sense. */
function isForUsers(error: ServiceError): boolean {
  return error.wireName.startsWith('odoo.exceptions.')
}

function kindOf(error: ServiceError): string {
  if (error instanceof RedirectWarning) return 'Warning'
  if (error instanceof MissingError) return 'MissingError'
  return error instanceof AccessError ? 'AccessError' : 'UserError'
}
