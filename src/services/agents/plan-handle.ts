// The handle of a plan: a name for exactly one call, of one user, on records as they were. Encrypted, not
// stored, so that any node takes it and its user reads in it no ids of records that are hidden from them. It
// grants nothing: every call is authorized again.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { Gone, UnprocessableEntity } from '../../errors.ts'
import { fromBase64url } from '../../kit/base64url.ts'

/** Records of a model that the call touches, and the version of all of them. */
export type Touched = readonly [model: string, version: string, ids: readonly number[]]

/** Milliseconds that a plan is good for. */
const GOOD_FOR = 600_000

const PREFIX = 'p2.'
const [NONCE, TAG] = [12, 16]

/** Key and subject that a handle is encrypted for. */
export interface Seal {
  /** The database's own: handles of another one, copies included, are strangers. */
  readonly secret: string
  /** The caller and the calls. */
  readonly subject: string
}

/** A handle, and when it ends. */
export function sealed(seal: Seal, touched: readonly Touched[], now: number) {
  const expires = now + GOOD_FOR
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', keyOf(seal), nonce)
  const hidden = Buffer.concat([cipher.update(JSON.stringify([expires, touched]), 'utf8'), cipher.final()])
  const bytes = Buffer.concat([nonce, cipher.getAuthTag(), hidden])
  return { plan: `${PREFIX}${bytes.toString('base64url')}`, expires: new Date(expires).toISOString() }
}

/**
 * The records of a plan. Throws UnprocessableEntity for an invalid handle, or one of another call, user or
 * database; Gone for an expired one.
 */
export function unsealed(seal: Seal, plan: string, now: number): readonly Touched[] {
  const text = plan.startsWith(PREFIX) ? decrypted(seal, fromBase64url(plan.slice(PREFIX.length))) : null
  if (text === null)
    throw new UnprocessableEntity(
      'This plan belongs to another call: send the same tool and arguments, as the same user.',
      { code: 'plan_mismatch' },
    )
  // A text that our key decrypts has our format.
  const [expires, touched] = JSON.parse(text) as [number, Touched[]]
  if (now > expires)
    throw new Gone('This plan is older than ten minutes. Do a new dry run.', { code: 'plan_expired' })
  return touched
}

/** Null for bytes of another key. */
function decrypted(seal: Seal, bytes: Buffer | null): string | null {
  if (!bytes || bytes.length < NONCE + TAG) return null
  const decipher = createDecipheriv('aes-256-gcm', keyOf(seal), bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}

const keyOf = ({ secret, subject }: Seal): Buffer =>
  createHmac('sha256', `plans of ${secret}`).update(subject).digest()
