// Secrets that the server has to read again, unlike keys and passwords: encrypted with AES-256-GCM under the
// setting `secret-key`, if it is set.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

let sealingKey: Buffer | null = null

/** Sets the key of this process: 32 bytes; null: secrets are kept as they are. */
export function setSealingKey(key: Buffer | null): void {
  sealingKey = key
}

/** Name that binds a secret to its endpoint: it cannot be used for another. */
export const forWebhook = (id: number): string => `webhook ${id}`

const [NONCE, TAG] = [12, 16]

/** The stored form of a text; `about` names its owner, so that it cannot be used for another. */
export function sealed(text: string, about: string): string {
  if (!sealingKey) return `plain:${text}`
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(about))
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `gcm1:${Buffer.concat([nonce, cipher.getAuthTag(), hidden]).toString('base64url')}`
}

/** The text of a stored secret; null if it was encrypted with another key or for something else. */
export function unsealed(kept: string, about: string): string | null {
  if (kept.startsWith('plain:')) return kept.slice('plain:'.length)
  if (!kept.startsWith('gcm1:') || !sealingKey) return null
  const bytes = Buffer.from(kept.slice('gcm1:'.length), 'base64url')
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey, bytes.subarray(0, NONCE))
    decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
