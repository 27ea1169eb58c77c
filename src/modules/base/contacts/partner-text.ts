// Texts of contacts: addresses of mail taken apart and put together, web addresses made whole.
import { assertWithin } from '../../../limits.ts'

/**
 * A word, with a domain after it or without: matching words without a domain as well keeps the scan from
 * starting again at their second character.
 */
const WORD = /[\p{L}\d.!#$%&'*+/=?^_`{|}~-]+(@[\p{L}\d-]+(?:\.[\p{L}\d-]+)*)?/gu

/** The mailboxes in a text, in lower case. */
export function mailboxes(text: string): string[] {
  const matches: string[] = []
  for (const [word, domain] of text.matchAll(WORD)) if (domain !== undefined) matches.push(word.toLowerCase())
  return matches
}

/** `"Name" <a@b.c,d@e.f>`; a text without any mailbox is left unchanged. Null without email. */
export function formatEmail(name: string | null, email: string | null): string | null {
  if (!email) return null
  const quoted = (name ?? '').replace(/["\\]/g, '\\$&')
  return `"${quoted}" <${mailboxes(email).join(',') || email}>`
}

/**
 * `"A B" <a@b.c>` as name and email; a mailbox alone names itself; other text is a name (spec/models-api.md
 * section 5). Throws PayloadTooLarge for what is too long for a name.
 */
export function parseNameAndEmail(text: string): { readonly name: string; readonly email: string | null } {
  assertWithin('line', text.length)
  const email = mailboxes(text)[0] ?? null
  const whole = /^(?:\s*"((?:[^"\\]|\\.)*)"\s*|([^<]*))<([^<>]+)>\s*$/.exec(text)
  if (email && whole) {
    const name = (whole[1]?.replace(/\\(.)/g, '$1') ?? whole[2] ?? '').trim()
    return { name: name || email, email }
  }
  return { name: text, email: email === text.trim().toLowerCase() ? email : null }
}

/** A web address with a scheme; `http://` where none is given. */
export function withScheme(website: string): string {
  const text = website.trim()
  return text === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? website : `http://${text}`
}
