// The database that an RPC call names as an argument.
import { InvalidValue, NotFound } from '../../errors.ts'
import type { Backend, Origin } from '../backend.ts'

/**
 * The name, when it is one this host serves. Throws InvalidValue whose words "does not exist" clients look
 * for (spec/client-needs.md section 1).
 */
export async function databaseNamed(backend: Backend, origin: Origin, name: unknown): Promise<string> {
  if (typeof name !== 'string' || name === '')
    throw new InvalidValue('The name of a database is needed; an empty one does not exist')
  try {
    return await backend.databases.choose({ header: name, host: origin.host })
  } catch (error) {
    if (error instanceof NotFound) throw new InvalidValue(`Database ${name} does not exist`, { cause: error })
    throw error
  }
}
