// Base64 in the alphabet for URLs, read strictly: different texts stand for different bytes.

/** The bytes; null for what is no such text, or is not the only one of its bytes. */
export function fromBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
