// Methods of users about their second factor (decision 0042): enrolling an app, switching it off, recovery
// codes, and the reset for those who lost it.
import {
  confirmSecret,
  type Enrolment,
  proposeSecret,
  raiseRightsVersion,
  recordAudit,
  removeSecondFactors,
  renewRecoveryCodes,
  secondFactorStatus,
  WRONG_CODE,
} from '#engine'
import type { Environment, Records } from '#models'
import { AccessDenied, AccessError, UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../rights/refusal.ts'
import { assertMayActFor } from './grants.ts'
import { type GivenProof, proveIdentity } from './proof.ts'
import { assertProven } from './step-up.ts'
import { endSessions, endSessionsOf } from './users-sessions.ts'

/** Throws AccessError for calls outside a browser session: keys are not people. */
function assertPerson(env: Environment): void {
  if (!env.unit.services.guard?.sessionHash)
    throw new AccessError(
      'A second factor is managed in a browser session: sign in and open the page Account security.',
    )
}

const note = (env: Environment, deed: string, detail: Readonly<Record<string, unknown>> = {}) =>
  recordAudit(env, {
    event: `second_factor.${deed}`,
    model: 'res.users',
    record: env.uid,
    name: env.user.login,
    detail,
  })

export const statusOf = (env: Environment) => secondFactorStatus(env, env.uid)

/** Throws AccessDenied for a wrong password, or code where a second factor is being replaced. */
export async function beginSecondFactor(env: Environment, proof: GivenProof): Promise<Enrolment> {
  assertPerson(env)
  await proveIdentity(env, proof)
  return proposeSecret(env, env.uid)
}

/** Throws AccessDenied for a wrong code. */
export async function confirmSecondFactor(env: Environment, code: unknown) {
  assertPerson(env)
  const { guard } = env.unit.services
  await guard?.assertNoCooldown(env, 'code')
  const recovery_codes = await confirmSecret(env, env.uid, code, env.now())
  if (!recovery_codes) {
    await guard?.failed(env)
    throw new AccessDenied(WRONG_CODE)
  }
  await guard?.succeeded(env)
  // Programs that are remembered by the password are read anew, and refused.
  raiseRightsVersion(env)
  await endSessions(env, null)
  note(env, 'enable')
  return { recovery_codes }
}

/** Throws UserError if it is not enabled, or is required; AccessDenied for a wrong code. */
export async function disableSecondFactor(env: Environment, code: unknown): Promise<true> {
  assertPerson(env)
  const { required } = await assertEnabled(env)
  if (required)
    throw new UserError(
      'Administrators must have a second factor here. To change the phone, set up the app on the new one.',
    )
  await proveIdentity(env, { code })
  await removeSecondFactors(env, [env.uid])
  note(env, 'disable')
  return true
}

/** Throws UserError where there is no second factor; AccessDenied for a wrong code. */
export async function renewCodes(env: Environment, code: unknown) {
  assertPerson(env)
  await assertEnabled(env)
  await proveIdentity(env, { code })
  note(env, 'codes')
  return { recovery_codes: await renewRecoveryCodes(env, env.uid) }
}

async function assertEnabled(env: Environment) {
  const status = await statusOf(env)
  if (!status.enabled) throw new UserError('You have no second factor. Set one up first.')
  return status
}

/**
 * For user administrators. Throws AccessError without the right to change these users, for users who hold
 * more than the caller, and without the proof of identity; UserError for the caller themselves.
 */
export async function resetSecondFactors(users: Records<'res.users'>): Promise<true> {
  const { env, ids } = users
  await assertAllowed(users, 'write')
  if (ids.includes(env.uid))
    throw new UserError('Switch your own second factor off with a code, on the page Account security.')
  await assertMayActFor(env, ids)
  await assertProven(env)
  const reset = await removeSecondFactors(env, ids)
  await endSessionsOf(env, reset)
  const rows = await env.rows(sql`SELECT id, login FROM res_users WHERE id = ANY(${idList(reset)})`, {
    reads: ['res.users'],
    row: ['int', 'text'],
  })
  for (const [record, name] of rows)
    recordAudit(env, { event: 'second_factor.reset', model: 'res.users', record, name })
  const { guard } = env.unit.services
  const forgotten = rows.map(([id, login]) => ({ id, login }))
  if (guard) env.unit.ending.afterCommit.push(() => guard.forget(forgotten))
  return true
}
