// Proof of identity before changes that an open screen must not allow: people, rights, keys of others, lock
// dates.
import { isEnrolled } from '#engine'
import type { Environment } from '#models'
import { AccessError } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'

/** The parameter that asks for it: minutes that a proof lasts. */
export const STEP_UP = 'comptoir.step_up_minutes'

/** The kind of proof that the caller has to give. */
export async function requiredProof(env: Environment): Promise<'password' | 'code'> {
  return (await isEnrolled(env, env.uid)) ? 'code' : 'password'
}

/** Throws AccessError where `proofMissing` finds one. */
export async function assertProven(env: Environment): Promise<void> {
  const missing = await proofMissing(env)
  if (missing) throw missing
}

/**
 * The refusal for a browser session whose proof was given longer ago than the parameter allows. Without
 * the parameter, and for calls outside a session, nothing is asked: null.
 */
export async function proofMissing(env: Environment): Promise<AccessError | null> {
  const { guard } = env.unit.services
  if (!guard?.sessionHash) return null
  const [row] = await env.rows(sql`SELECT value FROM ir_config_parameter WHERE key = ${STEP_UP}`, {
    reads: ['ir.config_parameter'],
    row: ['text'],
  })
  const minutes = Number(row?.[0] ?? 0)
  if (!(minutes > 0) || (await guard.isProven(env, minutes))) return null
  const proof = await requiredProof(env)
  const wanted = proof === 'code' ? 'a code of your authenticator app' : 'your password'
  return new AccessError(
    `Confirm your identity with ${wanted}: call prove_identity of res.users with it, then repeat the call within ${minutes} minutes.`,
    { code: 'step_up_required', context: { minutes, proof } },
  )
}
