// The handle of a plan: a name for exactly one call, of one user, on records as they were. Signed, not
// stored, so that any node takes it. It grants nothing: every call is authorized again.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Gone, UnprocessableEntity } from '../../errors.ts'
import { fromBase64url } from '../../kit/base64url.ts'

/** Records of a model that the call touches, and the version of all of them. */
export type Touched = readonly [model: string, version: string, ids: readonly number[]]

/** Milliseconds that a plan is good for. */
const GOOD_FOR = 600_000

const PREFIX = 'p1.'

/** Key and subject that a handle is signed for. */
export interface Seal {
  /** The database's own: handles of another one, copies included, are strangers. */
  readonly secret: string
  /** The caller and the calls. */
  readonly subject: string
}

/** A handle, and when it ends. */
export function sealed(seal: Seal, touched: readonly Touched[], now: number) {
  const expires = now + GOOD_FOR
  const body = Buffer.from(JSON.stringify([expires, touched])).toString('base64url')
  return {
    plan: `${PREFIX}${body}.${macOf(seal, body).toString('base64url')}`,
    expires: new Date(expires).toISOString(),
  }
}

/**
 * The records of a plan. Throws UnprocessableEntity for an invalid handle, or one of another call, user or
 * database; Gone for an expired one.
 */
export function unsealed(seal: Seal, plan: string, now: number): readonly Touched[] {
  const [body = '', mac = '', ...more] = plan.startsWith(PREFIX) ? plan.slice(PREFIX.length).split('.') : []
  const [received, expected] = [fromBase64url(mac), macOf(seal, body)]
  if (more.length || received?.length !== expected.length || !timingSafeEqual(received, expected))
    throw new UnprocessableEntity(
      'This plan belongs to another call: send the same tool and arguments, as the same user.',
      { code: 'plan_mismatch' },
    )
  // A text with our signature has our format.
  const [expires, touched] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, Touched[]]
  if (now > expires)
    throw new Gone('This plan is older than ten minutes. Do a new dry run.', { code: 'plan_expired' })
  return touched
}

const macOf = ({ secret, subject }: Seal, body: string): Buffer =>
  createHmac('sha256', `plans of ${secret}`).update(`${subject}\n${body}`).digest().subarray(0, 16)
