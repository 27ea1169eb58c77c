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
import { claimOwner, countKeys, findKey, findKeyOfAnybody, removeKeys, storeKey } from './apikeys-store.ts'

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
      doc: 'Makes a new API key of the caller; its value is shown this once only.',
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
      doc: 'Revokes a valid key: it opens nothing from the next request on.',
      level: 'model',
      params: { key: required<unknown>('any', { doc: 'The key to revoke', annotation: 'str' }) },
      returns: returns<true>('boolean', 'bool'),
    },
    restrict: {
      doc: 'Narrows keys: what they open and where they work, from the next call on. Wider again they are made by administrators only.',
      params: {
        scope: optional<unknown>('any', undefined, {
          doc: 'rpc and tokens that take something away, such as rpc read model:sale.*:r; absent: as before',
          annotation: 'str | None',
        }),
        addresses: optional<unknown>('any', undefined, {
          doc: 'Ranges of addresses that the keys work from, with blanks between; empty: from everywhere; absent: as before',
          annotation: 'str | None',
        }),
        rate: optional<unknown>('any', undefined, {
          doc: 'Calls that the keys may make in a time, such as 600/60s; null: any; absent: as before',
          annotation: 'str | None',
        }),
        burst: optional<unknown>('any', undefined, {
          doc: 'Calls that the keys may make within one second; null: any; absent: as before',
          annotation: 'int | None',
        }),
        concurrency: optional<unknown>('any', undefined, {
          doc: 'Calls of each key that run at a time; null: any; absent: as before',
          annotation: 'int | None',
        }),
        idempotency_required: optional<unknown>('any', undefined, {
          doc: 'Whether calls that change something need the header Idempotency-Key; absent: as before',
          annotation: 'bool',
        }),
        replica: optional<unknown>('any', undefined, {
          doc: 'Whether calls that only read may be answered by a replica of the database; absent: as before',
          annotation: 'bool',
        }),
        budget: optional<unknown>('any', undefined, {
          doc: 'Kilobytes that an answer to an agent may have, 200 at most; null: 40; absent: as before',
          annotation: 'int | None',
        }),
      },
      returns: returns<true>('boolean', 'bool'),
    },
    overview: {
      doc: "The caller's keys, or those of everybody for administrators: how long they live, when and where they were used last.",
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
      'The action that asks for the password before the keys are removed. Changes nothing itself.',
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
      const row = isAdministrator(env) ? await findKeyOfAnybody(env, key) : await findKey(env, key)
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
