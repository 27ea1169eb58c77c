// Asking for the password before something delicate is done (res.users.identitycheck).
import { WRONG_CODE } from '#engine'
import { type Environment, implement, json, type Of, required, returns, selection, transient } from '#models'
import { AccessError, UserError } from '../../../errors.ts'
import { sql } from '../../../sql/index.ts'
import { removeKeys } from '../keys/apikeys-store.ts'
import { shownWindow } from '../shown.ts'
import { isProof } from './proof.ts'

/** The call that runs once the password was confirmed. */
export interface Request {
  readonly model: string
  readonly ids: readonly number[]
  readonly method: string
}

const check = transient('res.users.identitycheck', {
  label: 'Password Check Wizard',
  fields: {
    request: json<Request>({ hidden: true }),
    auth_method: selection({ password: 'Password' }, { label: 'Auth Method', default: 'password' }),
  },
  methods: {
    run_check: {
      doc: 'Checks the password, or the code of the second factor, in the context, and then carries out the request.',
      secret: true,
      lasting: true,
      params: {},
      returns: returns<object>('object', 'dict'),
    },
    ask: {
      doc: 'The action that asks for the password before the request is carried out; in a session where it was given just now, the request itself.',
      private: true,
      level: 'model',
      params: {
        model: required<string>('string'),
        ids: required<readonly number[]>('ids'),
        method: required<string>('string'),
      },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'res.users.identitycheck': IdentityCheck
  }
  interface IdentityCheck extends Of<typeof check> {}
}

export default implement(check, {
  methods: {
    ask: async ({ env }, { model, ids, method }) => {
      if (await env.unit.services.guard?.isConfirmed(env)) return proceed(env, { model, ids, method })
      const check = await env.sudo().model('res.users.identitycheck').create([{}])
      const request: Request = { model, ids, method }
      await env.execute(
        sql`UPDATE res_users_identitycheck SET request = ${JSON.stringify(request)}::jsonb WHERE id = ${check.ensureOne()}::int`,
        { reads: ['res.users.identitycheck'] },
      )
      return shownWindow({
        name: 'Access Control',
        res_model: 'res.users.identitycheck',
        res_id: check.ensureOne(),
        views: [[false, 'form']],
        target: 'new',
      })
    },
    run_check: async (checks) => {
      const { env } = checks
      const request = await requestOf(env, checks.ensureOne())
      const { password, code } = env.context
      if (!(await isProof(env, { password, code })))
        throw new UserError(code ? WRONG_CODE : 'This is not your password. Try again.')
      return proceed(env, request)
    },
  },
})

/** The call that the caller requested. Throws AccessError for a check of another user. */
async function requestOf(env: Environment, id: number): Promise<Request> {
  const rows = await env.rows(
    sql`SELECT request FROM res_users_identitycheck WHERE id = ${id}::int AND create_uid = ${env.uid}::int`,
    { reads: ['res.users.identitycheck'], row: ['text?'] },
  )
  const request = rows[0]?.[0]
  if (!request) throw new AccessError('This password check belongs to another user.')
  return JSON.parse(request) as Request
}

/** Carries out one of the two things that wait for a password: making a key, removing keys. */
async function proceed(env: Environment, { model, ids, method }: Request): Promise<object> {
  if (model === 'res.users.apikeys.description' && method === 'make_key') {
    return env.model('res.users.apikeys.description').browse(ids).finish_key({ confirmed: true })
  }
  const keys = await env.model('res.users.apikeys').browse(ids).load(['user_id'])
  if (keys.some((key) => key.user_id.id !== env.uid) && !env.hasGroup('base.group_system')) {
    throw new AccessError('You cannot remove API keys of other users.')
  }
  await removeKeys(
    env,
    keys.map((key) => key.id),
  )
  return { type: 'ir.actions.act_window_close' }
}
