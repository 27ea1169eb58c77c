// One-time codes of authenticator apps (RFC 6238 over RFC 4226: HMAC-SHA-1, six digits, thirty seconds),
// their secrets and recovery codes.
import { createHmac, randomBytes } from 'node:crypto'
import { hashKey, sameSecret } from './secrets.ts'

const STEP_SECONDS = 30
/** Steps before and after the present one whose codes count: clocks of phones differ, and people type slowly. */
const WINDOW = 1
const DIGITS = 6
/** Bytes of a secret: as many as the hash has (RFC 4226, section 4). */
const SECRET_BYTES = 20
/** Bytes of a recovery code: 80 random bits need no slow hash. */
const RECOVERY_BYTES = 10
const RECOVERY_CODES = 10

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes as base32 (RFC 4648) without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

/** The bytes of a base32 text; the text comes from `base32`. */
function bytesOf(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** A new secret, as authenticator apps take it: 32 letters and digits. */
export const newTotpSecret = (): string => base32(randomBytes(SECRET_BYTES))

/** The number of the step that a moment is in. */
export const stepOf = (moment: Date): number => Math.floor(moment.getTime() / 1000 / STEP_SECONDS)

/** The code of a step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/**
 * The step whose code it is, of those around a moment; null for a wrong code. Compares with every step, in a
 * time that does not depend on the code.
 */
export function matchingStep(secret: string, code: string, moment: Date): number | null {
  const now = stepOf(moment)
  let match: number | null = null
  for (let step = now - WINDOW; step <= now + WINDOW; step++)
    if (sameSecret(totpCode(secret, step), code)) match = step
  return match
}

/** The address that authenticator apps read from a link or a QR code. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = [issuer.replaceAll(':', ' '), account].map(encodeURIComponent).join(':')
  const query = { secret, issuer: issuer.replaceAll(':', ' '), algorithm: 'SHA1' }
  const parameters = Object.entries({ ...query, digits: DIGITS, period: STEP_SECONDS })
  return `otpauth://totp/${label}?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

/** Reads a typed proof: a code of the app, or a recovery code; null for neither. */
export function readProof(
  text: unknown,
): { readonly kind: 'app' | 'recovery'; readonly code: string } | null {
  if (typeof text !== 'string' || text.length > 100) return null
  const code = text.replace(/[\s-]/g, '').toUpperCase()
  if (/^\d{6}$/.test(code)) return { kind: 'app', code }
  return /^[A-Z2-7]{16}$/.test(code) ? { kind: 'recovery', code } : null
}

/** New recovery codes: four groups of four letters and digits each. */
export const newRecoveryCodes = (): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    base32(randomBytes(RECOVERY_BYTES)).replace(/.{4}(?=.)/g, '$&-'),
  )

/** The hash of a recovery code, which is all that is stored. */
export const recoveryHash = (code: string): Buffer => hashKey(`recovery ${code.replaceAll('-', '')}`)
