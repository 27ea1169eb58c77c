// Proof that the caller is the person whose session calls: their password, or where they have a second factor
// a code of it.
import { recordAudit, useCode, WRONG_CODE } from '#engine'
import type { Environment } from '#models'
import { AccessDenied } from '../../../errors.ts'
import { requiredProof } from './step-up.ts'
import { isPassword } from './users-password.ts'

/** A proof as the caller gives it. */
export interface GivenProof {
  readonly password?: unknown
  readonly code?: unknown
}

/**
 * Whether the proof is right; then the session counts as proven from now on. Wrong ones are counted as at
 * the login. Throws AccessDenied where the password is given and the code is asked, and while somebody has to
 * wait.
 */
export async function isProof(env: Environment, { password, code }: GivenProof): Promise<boolean> {
  const { guard } = env.unit.services
  const kind = await requiredProof(env)
  if (kind === 'code' && !code)
    throw new AccessDenied('You have a second factor: pass a code of your authenticator app as code.')
  await guard?.assertNoCooldown(env, kind)
  const isRight = kind === 'code' ? await usesCode(env, code) : await isPassword(env, env.uid, password)
  await (isRight ? guard?.succeeded(env) : guard?.failed(env))
  return isRight
}

/** Uses a code of the caller's; false for a wrong one. */
async function usesCode(env: Environment, code: unknown): Promise<boolean> {
  const proof = await useCode(env, env.uid, code, env.now())
  if (proof?.kind === 'recovery') {
    const about = { model: 'res.users', record: env.uid, name: env.user.login }
    recordAudit(env, { event: 'second_factor.recovery', ...about, detail: { left: proof.left } })
  }
  return proof !== null
}

/** Throws AccessDenied unless the proof is the caller's; their session counts as proven from now on. */
export async function proveIdentity(env: Environment, proof: GivenProof): Promise<void> {
  if (!(await isProof(env, proof))) throw proof.code ? new AccessDenied(WRONG_CODE) : new AccessDenied()
}
