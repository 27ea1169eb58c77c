// The signed-in user, as pages need it.
import type { Backend } from '../../wire/backend.ts'
import { sessionInfo, type Visitor } from '../../wire/session.ts'
import type { SignedIn } from '../page-frame.ts'
import { type Cookie, csrfToken } from './cookie.ts'

export interface Person {
  readonly visitor: Visitor
  /** The session information (spec/client-needs.md section 3). */
  readonly info: Readonly<Record<string, unknown>>
  readonly signedIn: SignedIn
}

/** The user of a session. Throws SessionExpired. */
export async function personOf(backend: Backend, visitor: Visitor, cookie: Cookie): Promise<Person> {
  const info = await sessionInfo(backend, visitor)
  const groups = info.groups as Readonly<Record<string, boolean>> | undefined
  const mayDocument = groups?.['api_doc.group_allow_doc'] === true
  return { visitor, info, signedIn: { name: String(info.name), csrf: csrfToken(cookie), mayDocument } }
}
