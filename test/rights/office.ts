// Calls for tests of rights: a database with the base module, and people with keys.
import { ServiceError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import type { Credential } from '../../src/services/request.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

export interface Office {
  readonly db: TestDatabase
  /** A key of a user, for a month; unscoped by default. */
  keyOf(login: string, scope?: string): Promise<Credential & { readonly key: string }>
  /** The parsed result of a call. */
  ask(credential: Credential, model: string, method: string, body?: Record<string, unknown>): Promise<unknown>
}

export const ADDRESS = '10.0.0.7'

export async function openOffice(): Promise<Office> {
  const db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  return {
    db,
    keyOf: async (login, scope) => ({
      kind: 'key',
      key: await createKey(db.databases, 'test', login, { scope: scope ?? null, name: login, days: 30 }),
    }),
    ask: async (credential, model, method, { ids, context, ...named } = {}) => {
      const body = () => ({ ids, context, named })
      const request = {
        database: 'test',
        credential,
        model,
        method,
        body,
        remote: ADDRESS,
        requestId: 'office',
        userAgent: 'office test',
      }
      return JSON.parse((await call(db.databases, request)).json)
    },
  }
}

/** The status of the error; `worked` if there was no error. */
export async function status(work: Promise<unknown>): Promise<number | string> {
  try {
    await work
    return 'worked'
  } catch (error) {
    return error instanceof ServiceError ? error.status : String(error)
  }
}
