// API keys (res.users.apikeys): created and revoked by their own methods, readable by their owners,
// never changed (spec/wire.md section 7).
import {
  binary,
  char,
  datetime,
  type Environment,
  implement,
  many2one,
  model,
  type Of,
  optional,
  required,
  returns,
} from '#models'
import { AccessDenied, AccessError, UserError } from '../../../errors.ts'
import { parameter } from '../reflection/ir-config-parameter.ts'
import { actionMethod } from '../shown.ts'
import { longestKeyDuration } from '../users/groups-closure.ts'
import { type KeyOverview, overviewOf } from './apikeys-overview.ts'
import { restrictKeys } from './apikeys-restrict.ts'
import { assertLife, expirationOf, isOn, keyOf, limitFrom, nameOf, scopeFor } from './apikeys-rules.ts'
import { claimOwner, countKeys, findAnyKey, findKey, removeKeys, storeKey } from './apikeys-store.ts'

const apikey = model('res.users.apikeys', {
  label: 'Users API Keys',
  logAccess: false,
  fields: {
    name: char({ label: 'Description', required: true, readonly: true }),
    user_id: many2one('res.users', {
      label: 'User',
      required: true,
      readonly: true,
      index: true,
      ondelete: 'cascade',
    }),
    scope: char({ label: 'Scope', readonly: true }),
    create_date: datetime({ label: 'Creation Date', readonly: true }),
    expiration_date: datetime({ label: 'Expiration Date', readonly: true }),
    key_hash: binary({ attachment: false, hidden: true, copy: false }),
  },
  rules: { hash: { unique: ['key_hash'], message: 'This API key exists already.' } },
  methods: {
    generate: {
      doc: 'Creates an API key of the caller. Its value cannot be read again.',
      level: 'model',
      secret: true,
      lasting: true,
      params: {
        key: required<unknown>('any', { doc: 'A valid key of the caller', annotation: 'str' }),
        scope: required<unknown>('any', {
          doc: 'Scope of the new key: `rpc`, another word, or null for everything',
          annotation: 'str | None',
        }),
        name: required<unknown>('any', { doc: 'Description of the new key', annotation: 'str' }),
        expiration_date: required<unknown>('any', {
          doc: 'A date or moment of ISO 8601, in UTC without an offset; at most three months from now',
          annotation: 'str',
        }),
      },
      returns: returns<string>('string', 'str', 'The new key'),
    },
    revoke: {
      doc: 'Revokes a valid key: the next request with it is refused.',
      level: 'model',
      checksItself: true,
      params: { key: required<unknown>('any', { doc: 'The key to revoke', annotation: 'str' }) },
      returns: returns<true>('boolean', 'bool'),
    },
    restrict: {
      doc: 'Restricts keys from the next call on: their scope, networks and limits. Only administrators can lift restrictions.',
      params: {
        scope: optional<unknown>('any', undefined, {
          doc: 'rpc followed by restricting tokens, such as rpc read model:sale.*:r. Absent: unchanged',
          annotation: 'str | None',
        }),
        addresses: optional<unknown>('any', undefined, {
          doc: 'Address ranges that the keys can be used from, separated by spaces. Empty: everywhere. Absent: unchanged',
          annotation: 'str | None',
        }),
        rate: optional<unknown>('any', undefined, {
          doc: 'Maximum number of calls per period, such as 600/60s. null: unlimited. Absent: unchanged',
          annotation: 'str | None',
        }),
        burst: optional<unknown>('any', undefined, {
          doc: 'Maximum number of calls per second. null: unlimited. Absent: unchanged',
          annotation: 'int | None',
        }),
        concurrency: optional<unknown>('any', undefined, {
          doc: 'Maximum number of concurrent calls of each key. null: unlimited. Absent: unchanged',
          annotation: 'int | None',
        }),
        idempotency_required: optional<unknown>('any', undefined, {
          doc: 'Whether calls that change data need the header Idempotency-Key. Absent: unchanged',
          annotation: 'bool',
        }),
        replica: optional<unknown>('any', undefined, {
          doc: 'Whether read-only calls may use a replica of the database. Absent: unchanged',
          annotation: 'bool',
        }),
        budget: optional<unknown>('any', undefined, {
          doc: 'Maximum size of an answer to an agent in kilobytes, up to 200. null: 40. Absent: unchanged',
          annotation: 'int | None',
        }),
      },
      returns: returns<true>('boolean', 'bool'),
    },
    overview: {
      doc: "Returns the caller's keys, or all keys for administrators, with their expiry and last use.",
      level: 'model',
      readonly: true,
      params: {
        everybody: optional<boolean>('boolean', false, {
          doc: 'Keys of all users, for administrators',
          annotation: 'bool',
        }),
      },
      returns: returns<readonly KeyOverview[]>(
        'array',
        'list[dict]',
        'The keys, those that end first before the others',
      ),
    },
    remove: actionMethod(
      'The action that asks for the password and then revokes the keys. This call changes nothing.',
    ),
  },
})

declare module '#models' {
  interface Models {
    'res.users.apikeys': ApiKey
  }
  interface ApiKey extends Of<typeof apikey> {}
}

/**
 * Keys come and go by their methods, past the model: not even the system user gives one another end or
 * another owner.
 */
const closed = () => () => {
  throw new AccessError(
    'API keys cannot be edited directly: use the methods that create, restrict and revoke them.',
  )
}

export default implement(apikey, {
  wrapGeneric: { create: closed, unlink: closed },
  wrapWrite: closed,
  methods: {
    generate: async ({ env }, key) => {
      await assertMayManage(env)
      await env.unit.services.guard?.assertNoCooldown(env, 'key')
      const expiration = expirationOf(key.expiration_date)
      await claimOwner(env, env.uid)
      if (
        (await countKeys(env, env.uid)) >= limitFrom(await parameter(env, 'base.programmatic_api_keys_limit'))
      ) {
        throw new UserError('You have reached the maximum number of API keys. Revoke one first.')
      }
      const existing = await findKey(env, keyOf(key.key))
      if (existing?.user !== env.uid) return denied(env)
      await env.unit.services.guard?.succeeded(env)
      const scope = scopeFor(key.scope, existing.scope)
      assertLife(expiration, isAdministrator(env) ? null : await longestKeyDuration(env, env.uid), env.now())
      const policyOf = existing.id
      return storeKey(env, { user: env.uid, scope, name: nameOf(key.name), expiration, policyOf })
    },
    revoke: async ({ env }, params) => {
      await assertMayManage(env)
      await env.unit.services.guard?.assertNoCooldown(env, 'key')
      // spec/external-api.md: "Valid key: revoked at once. Otherwise status 403", whatever was given for it.
      const key = typeof params.key === 'string' ? params.key : ''
      const row = isAdministrator(env) ? await findAnyKey(env, key) : await findKey(env, key)
      if (!row) return denied(env)
      await env.unit.services.guard?.succeeded(env)
      if (row.user !== env.uid && !isAdministrator(env))
        throw new AccessError('You cannot remove API keys of other users.')
      await removeKeys(env, [row.id])
      return true as const
    },
    restrict: async (keys, wanted) => {
      const [{ env }, def] = [keys, keys.env.def('res.users.apikeys')]
      if (!env.su && !env.unit.rights.mayModel(env.user, def, 'read'))
        throw env.unit.rights.refusal(env.user, def, 'read')
      await restrictKeys(env, keys.ids, wanted)
      return true as const
    },
    overview: ({ env }, { everybody }) => {
      const [{ rights }, def] = [env.unit, env.def('res.users.apikeys')]
      if (!env.su && !rights.mayModel(env.user, def, 'read')) throw rights.refusal(env.user, def, 'read')
      if (everybody && !isAdministrator(env))
        throw new AccessError('Only administrators see the keys of everybody.')
      return overviewOf(env, everybody ? null : env.uid)
    },
    remove: async (keys) =>
      keys.env
        .model('res.users.identitycheck')
        .ask({ model: 'res.users.apikeys', ids: keys.ids, method: 'remove' }),
  },
})

const isAdministrator = (env: Environment) => env.hasGroup('base.group_system')

/**
 * Throws UserError unless the caller may manage keys by program: administrators, or everybody where the
 * parameter says so.
 */
async function assertMayManage(env: Environment): Promise<void> {
  if (isAdministrator(env) || isOn(await parameter(env, 'base.enable_programmatic_api_keys'))) return
  throw new UserError('Programmatic API keys are not enabled')
}

/** Counts a wrong key against the caller's address and refuses it. */
async function denied(env: Environment): Promise<never> {
  await env.unit.services.guard?.failed(env)
  throw new AccessDenied('The provided API key is invalid.')
}
