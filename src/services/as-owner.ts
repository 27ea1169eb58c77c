// Work in the name of a credential other than calls of methods: reading, rate limits, credential checks.
import { askPool } from '../access/index.ts'
import type { Databases } from '../databases/index.ts'
import type { Environment } from '../models/language/environment.ts'
import { inDatabase, type Owner } from './calls/caller.ts'
import { envOf } from './calls/method.ts'
import { assertAnyMethod } from './calls/scope.ts'
import { transact } from './calls/transact.ts'

/** Runs `work`, which only reads, as the owner of a credential: for answers that are not the result of a method. */
export function readAsOwner<T>(
  server: Databases,
  request: Owner,
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  return inDatabase(server, request, (database, caller) =>
    transact(database, caller, request, { readonly: true }, async (unit) => {
      assertAnyMethod(caller)
      return work(envOf(unit, caller, {}, null))
    }),
  )
}

/**
 * Counts a call before its body is taken, where calls are limited. Throws what the credential deserves, and
 * TooManyRequests.
 */
export async function admit(server: Databases, owner: Owner): Promise<void> {
  if (server.rates?.active) await inDatabase(server, owner, async () => undefined)
}

/**
 * Verifies a credential before there is a call, so that long bodies are read for valid credentials only.
 * Throws what a call would throw.
 */
export function verifyCredential(server: Databases, owner: Owner): Promise<void> {
  return inDatabase(server, owner, async (database, { credentialQuery }) =>
    credentialQuery.verify(await askPool(database.pool)(credentialQuery.statement)),
  )
}
