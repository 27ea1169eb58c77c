// A caller, read from their database: credential, user and rights, all in one snapshot.
import type { Registry } from '../models/language/definitions.ts'
import { type KeyScope, parseScope } from '../models/rights/key-scope.ts'
import { versionColumn } from '../models/rights/tables.ts'
import type { CredentialQuery } from '../models/unit/options.ts'
import type { Pool } from '../postgres/index.ts'
import { type Sql, sql } from '../sql/index.ts'
import { type Ask, readTogether } from './ask.ts'
import { type Expected, factsOf, keyCredentialQuery, keyFacts } from './credential.ts'
import { type KnownUser, loadProfile } from './profile.ts'
import { type KeyPolicy, policyOf } from './rates/policy.ts'
import { DatabaseRights } from './rights.ts'
import { loadRightsRows } from './rights-rows.ts'
import { restrictedProfile, ScopedRights } from './scoped-rights.ts'

/** A caller, its rights, and the check to send with the call's first query. */
export interface Caller {
  readonly profile: KnownUser
  readonly rights: DatabaseRights | ScopedRights
  readonly credentialQuery: CredentialQuery
  /** The cache key of the caller. */
  readonly name: string
  readonly expected: Expected
  /** The API key's hash, for callers with a key. */
  readonly keyHash?: Buffer
  /** The scope of a scoped key. */
  readonly scope?: KeyScope | null
  /** Restrictions of the API key in addition to its scope. */
  readonly policy?: KeyPolicy
}

/** A caller without restrictions of a key. */
type Loaded = Caller & { readonly rights: DatabaseRights }

/**
 * Parts of a database that callers need. `registry` is read at each use, because modules are installed
 * and removed.
 */
export interface Source {
  readonly pool: Pool
  readonly registry: Registry
  /** Whether scoped keys are accepted. If not, they are refused. */
  readonly narrowsKeys?: boolean
}

const versionQuery = sql`SELECT ${versionColumn} FROM rights_version`.compile()

/** Reads callers of one database, and their rights once per version. */
export class CallerReader {
  readonly #source: Source
  #rights: DatabaseRights | undefined

  constructor(source: Source) {
    this.#source = source
  }

  /** Reads credential, user and, for a new version, rights in one snapshot. */
  read(
    name: string,
    facts: Sql,
    credentialQueryOf: (expected: Expected) => CredentialQuery,
  ): Promise<Loaded | null> {
    return readTogether(this.#source.pool, (ask) => this.#read(ask, name, facts, credentialQueryOf))
  }

  /** The owner of the key with this hash, restricted by the key; null for an invalid key. */
  readKey(name: string, hash: Buffer): Promise<Caller | null> {
    return readTogether(this.#source.pool, async (ask) => {
      const credentialQueryOf = (expected: Expected) => keyCredentialQuery(hash, expected)
      const loaded = await this.#read(ask, name, keyFacts(hash), credentialQueryOf)
      const policy = loaded && (await policyOf(ask, loaded.expected.key?.id ?? 0))
      return policy && this.#ofKey(loaded, hash, policy)
    })
  }

  /** The current rights, for work without a credential. */
  rights(): Promise<DatabaseRights> {
    return readTogether(this.#source.pool, async (ask) => {
      const rows = await ask(versionQuery)
      return this.#rightsAsOf(ask, rows[0]?.[0] as string)
    })
  }

  /** The caller restricted by their key; null for a key whose scope grants nothing. */
  #ofKey(loaded: Loaded, keyHash: Buffer, policy: KeyPolicy): Caller | null {
    const text = loaded.expected.key?.scope ?? null
    if (text === null || text === 'rpc') return Object.freeze({ ...loaded, keyHash, scope: null, policy })
    const scope = this.#source.narrowsKeys === false ? null : parseScope(text)
    const profile = scope && restrictedProfile(loaded.profile, scope)
    if (!scope || !profile) return null
    return Object.freeze({
      ...loaded,
      profile,
      rights: new ScopedRights(loaded.rights, scope, profile),
      keyHash,
      scope,
      policy,
    })
  }

  async #read(
    ask: Ask,
    name: string,
    facts: Sql,
    credentialQueryOf: (expected: Expected) => CredentialQuery,
  ): Promise<Loaded | null> {
    const expected = factsOf(await ask(facts.compile()))
    if (!expected) return null
    const rights = await this.#rightsAsOf(ask, expected.version)
    const profile = await loadProfile(ask, expected.uid, rights.userColumns)
    return (
      profile &&
      Object.freeze({ profile, rights, credentialQuery: credentialQueryOf(expected), name, expected })
    )
  }

  async #rightsAsOf(ask: Ask, version: string): Promise<DatabaseRights> {
    const { registry } = this.#source
    const cached = this.#rights
    if (cached?.version === version && cached.registry === registry) return cached
    const rights = new DatabaseRights(await loadRightsRows(ask), registry)
    this.#rights = rights
    return rights
  }
}
