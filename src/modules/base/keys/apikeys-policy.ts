// Policies of API keys (comptoir.key.policy): addresses, rate, whether writes need an idempotency key,
// whether a replica may answer. `restrict` of keys writes them: every change of a policy is authorized
// there.
import {
  alike,
  boolean,
  char,
  type Environment,
  implement,
  integer,
  many2one,
  model,
  type Of,
  type Records,
} from '#models'
import { AccessError, InvalidValue, MissingError } from '../../../errors.ts'
import { isInteger, only } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'
import { givenVals } from '../caller-arguments.ts'
import { assertAllowed } from '../rights/refusal.ts'
import { restrictKeys } from './apikeys-restrict.ts'

/** A model of its own: keys read as clients know them. */
const keyPolicy = model('comptoir.key.policy', {
  label: 'Policy of API Keys',
  logAccess: false,
  rules: { key: { unique: ['key_id'], message: 'This API key already has a policy.' } },
  fields: {
    key_id: many2one('res.users.apikeys', {
      label: 'API Key',
      required: true,
      readonly: true,
      ondelete: 'cascade',
    }),
    user_id: many2one('res.users', {
      label: 'User',
      required: true,
      // The user of the key.
      mustSend: false,
      readonly: true,
      index: true,
      ondelete: 'cascade',
    }),
    addresses: char({
      label: 'Addresses',
      readonly: true,
      help: 'Address ranges that the key can be used from, separated by spaces. Empty: everywhere.',
    }),
    rate: char({
      label: 'Rate',
      readonly: true,
      help: 'Maximum number of calls per period, such as 600/60s. Empty: unlimited.',
    }),
    burst: integer({
      label: 'Burst',
      readonly: true,
      help: 'Maximum number of calls per second. Empty: unlimited.',
    }),
    concurrency: integer({
      label: 'Concurrency',
      readonly: true,
      help: 'Maximum number of concurrent calls. Empty: unlimited.',
    }),
    idempotency_required: boolean({
      label: 'Idempotency Required',
      readonly: true,
      help: 'Calls that change data need the header Idempotency-Key.',
    }),
    replica: boolean({
      label: 'Replica',
      readonly: true,
      help: 'Read-only calls may use a replica of the database.',
    }),
    budget: integer({
      label: 'Answers of Agents',
      readonly: true,
      help: 'Maximum size of an answer to an agent in kilobytes. Empty: 40.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'comptoir.key.policy': KeyPolicy
  }
  interface KeyPolicy extends Of<typeof keyPolicy> {}
}

type Policies = Records<'comptoir.key.policy'>
type Vals = Readonly<Record<string, unknown>>

/** A policy without limits. */
const nothing = {
  addresses: null,
  rate: null,
  burst: null,
  concurrency: null,
  idempotency_required: false,
  budget: null,
}

/** Policy values of a request. Throws InvalidValue for fields that a policy does not have. */
function wantedIn(wanted: Vals): Vals {
  const unknown = Object.keys(wanted).find((name) => name !== 'replica' && !Object.hasOwn(nothing, name))
  if (unknown !== undefined)
    throw new InvalidValue(`Invalid field ${JSON.stringify(unknown)} on model "comptoir.key.policy"`)
  return wanted
}

/**
 * Creates the policy of a key without one; returns its id. Throws InvalidValue, MissingError,
 * AccessError: the errors do not show whether another user's key has a policy.
 */
async function createFor(env: Environment, { key_id: key, ...vals }: Vals): Promise<number> {
  if (!isInteger(key)) throw new InvalidValue('key_id must be the id of an API key.')
  const findPolicy = () =>
    env.rows(sql`SELECT id FROM comptoir_key_policy WHERE key_id = ${key}::int`, {
      reads: ['comptoir.key.policy'],
      row: ['int'],
    })
  const before = await findPolicy()
  await restrictKeys(env, [key], { ...nothing, ...wantedIn(vals) })
  if (before.length > 0) throw new InvalidValue('This API key already has a policy.')
  return only(await findPolicy())[0]
}

/** The keys of policies that the caller may change. Throws AccessError, MissingError. */
async function keysOf(policies: Policies, operation: 'write' | 'unlink'): Promise<number[]> {
  await assertAllowed(policies, operation)
  const keys = (await policies.load(['key_id'])).map((policy) => policy.key_id.id)
  if (keys.length < new Set(policies.ids).size) throw new MissingError('Policy not found.')
  return keys
}

/** Throws AccessError, for narrow keys too. */
function assertMaker(env: Environment): void {
  const def = env.def('comptoir.key.policy')
  if (!env.su && !env.unit.rights.mayModel(env.user, def, 'create'))
    throw env.unit.rights.refusal(env.user, def, 'create')
}

export default implement(keyPolicy, {
  wrapGeneric: {
    create: () => async (policies, params) => {
      const { env } = policies
      assertMaker(env)
      const ids: number[] = []
      for (const vals of givenVals(params.vals_list)) {
        ids.push(await createFor(env, vals))
      }
      return env.model('comptoir.key.policy').browse(ids)
    },
    unlink: () => async (policies) => {
      const keys = await keysOf(policies, 'unlink')
      await restrictKeys(policies.env, keys, { ...nothing, replica: false })
      await policies.env.execute(sql`DELETE FROM comptoir_key_policy WHERE key_id = ANY(${idList(keys)})`, {
        reads: ['comptoir.key.policy'],
      })
      policies.env.unit.cache.clear()
      return true
    },
  },
  wrapWrite: alike<'comptoir.key.policy'>(() => async (policies, params) => {
    const { key_id: key, ...vals } = params.vals as Vals
    if (key !== undefined) throw new AccessError('A policy cannot be moved to another API key.')
    await restrictKeys(policies.env, await keysOf(policies, 'write'), wantedIn(vals))
    return true
  }),
})
