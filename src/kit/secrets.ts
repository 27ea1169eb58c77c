// Secrets: API keys (random, stored as SHA-256) and passwords (chosen by people, stored as argon2id).
import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Gate } from './gate.ts'
import { sha256 } from './sha256.ts'

/**
 * Costs recommended by OWASP for argon2id: memory in KiB, passes, lanes. The algorithm argon2id is the
 * library's default.
 */
const costs = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Longest accepted password, in characters: people type less, and hashing must stay cheap. */
export const LONGEST_PASSWORD = 4096

/**
 * Slow hashes run two at a time: each takes a core and 19 MB, and files and names need threads too. Some
 * hundred that wait are a few seconds.
 */
const gate = new Gate({
  places: 2,
  queue: 200,
  patienceMs: 5000,
  refusal: 'Too many passwords are being checked. Try again in a moment.',
})

async function slowly<T>(work: () => Promise<T>): Promise<T> {
  const leave = await gate.enter('all')
  try {
    return await work()
  } finally {
    leave()
  }
}

/** A new API key: 160 random bits as 40 lower-case hex digits (spec/external-api.md, "Limits"). */
export function newKey(): string {
  return randomBytes(20).toString('hex')
}

/** Stored form and lookup key of an API key: 32 bytes. 160 random bits need no slow hash. */
export function hashKey(key: string): Buffer {
  return sha256(key)
}

/** The same as text: what a key is remembered by. */
export function keyMark(key: string): string {
  return digest('sha256', key, 'base64')
}

/**
 * Key of a login's failure counter. People type passwords into login fields, so not even a wrong login is
 * stored as typed.
 */
export function loginMark(login: string): string {
  return keyMark(login)
}

/**
 * Stored form of a password: a text in the PHC format, with its own salt. Throws ServiceUnavailable when too
 * many wait for that.
 */
export function hashPassword(text: string): Promise<string> {
  return slowly(() => hash(text, costs))
}

/**
 * Whether `text` is the password of `stored`. Stored texts in another format never match, nor do texts longer
 * than any password. Throws ServiceUnavailable when too many wait.
 */
export async function verifyPassword(stored: string, text: string): Promise<boolean> {
  if (!stored.startsWith('$argon2') || text.length > LONGEST_PASSWORD) return false
  return slowly(() => verify(stored, text).catch(() => false))
}

/** Compares two texts in a time that does not depend on the first difference. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashKey(a), hashKey(b))
}

let dummy: Promise<string> | undefined

/**
 * Takes as long as verifying a real password, so that an unknown login and a wrong password cannot be told
 * apart. Always false.
 */
export async function dummyVerify(text: string): Promise<false> {
  dummy ??= hashPassword(newKey())
  await verifyPassword(await dummy, text)
  return false
}
