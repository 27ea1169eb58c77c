// Who does what the audit log tells of, and with what: the user, where they call from, by which key or in
// which browser session, and who is behind that session.

import { raw, type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { Actor } from '../language/outside.ts'

/** Who acts: beside rights they are named all the same. */
export function actorOf({ unit: { guard }, user }: Environment): Actor {
  return {
    uid: user.id,
    login: user.login,
    address: guard?.address ?? null,
    key: guard?.keyId ?? null,
    session: guard?.sessionHash?.toString('hex') ?? null,
  }
}

/** The columns of an entry that say it. */
export const actorColumns: Sql = raw('uid, login, address, key_id, key_name, session, person_id')

/** Their values, of the parts of an actor as SQL; what is called by a key or a session is looked up. */
export function actorSql({ uid, login, address, key, session }: Readonly<Record<keyof Actor, Sql>>): Sql {
  return sql`${uid}, ${login}, ${address}, ${key},
    (SELECT left(k.name, 200) FROM res_users_apikeys k WHERE k.id = ${key}), left(${session}, 12),
    (SELECT NULLIF(s.owner_id, ${uid}) FROM browser_session s WHERE s.token_hash = decode(${session}, 'hex'))`
}

/** The same of one actor. */
export const actorValues = ({ uid, login, address, key, session }: Actor): Sql =>
  actorSql({
    uid: sql`${uid}::int`,
    login: sql`${login}::text`,
    address: sql`${address}::text`,
    key: sql`${key ?? null}::int`,
    session: sql`${session ?? null}::text`,
  })
