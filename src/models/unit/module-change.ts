// Changes of a database's modules that a call asks for: a running registry is frozen, so the server carries
// them out once the call is committed, before it answers.

import { UserError } from '../../errors.ts'
import type { Environment } from '../language/environment.ts'
import type { ModuleChange } from '../language/outside.ts'

/** Merges changes of one kind. Throws UserError for changes of two kinds in one call. */
export function changeModules(env: Environment, act: ModuleChange['act'], names: readonly string[]): void {
  const { unit, user } = env
  const before = unit.ending.moduleChange
  if (before && before.act !== act)
    throw new UserError('A call can only install, upgrade or remove modules, not several of these.')
  unit.ending.moduleChange = {
    act,
    names: [...new Set([...(before?.names ?? []), ...names])],
    by: { uid: user.id, login: user.login },
  }
}
