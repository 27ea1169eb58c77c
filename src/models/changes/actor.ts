// The actor of an entry of the audit log: the user, their address, their API key or browser session, and the
// person of a session that acts as another user.

import { raw, type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { Actor } from '../language/outside.ts'

/** The actor of a call, also for privileged code. */
export function actorOf({ unit: { guard }, user }: Environment): Actor {
  return {
    uid: user.id,
    login: user.login,
    address: guard?.address ?? null,
    key: guard?.keyId ?? null,
    session: guard?.sessionHash?.toString('hex') ?? null,
  }
}

/** The columns of an entry for its actor. */
export const actorColumns: Sql = raw('uid, login, address, key_id, key_name, session, person_id')

/** Values of these columns. The parts of the actor are SQL; names of keys and owners of sessions are read. */
export function actorSql({ uid, login, address, key, session }: Readonly<Record<keyof Actor, Sql>>): Sql {
  return sql`${uid}, ${login}, ${address}, ${key},
    (SELECT left(k.name, 200) FROM res_users_apikeys k WHERE k.id = ${key}), left(${session}, 12),
    (SELECT NULLIF(s.owner_id, ${uid}) FROM browser_session s WHERE s.token_hash = decode(${session}, 'hex'))`
}

/** The same for one actor whose parts are values. */
export const actorValues = ({ uid, login, address, key, session }: Actor): Sql =>
  actorSql({
    uid: sql`${uid}::int`,
    login: sql`${login}::text`,
    address: sql`${address}::text`,
    key: sql`${key ?? null}::int`,
    session: sql`${session ?? null}::text`,
  })
