// Preferences of users as forms of clients ask for them (res.users): their record, password and devices.
import { extend, implement, type Of, type Records, required, returns } from '#models'
import { AccessDenied, InvalidValue } from '../../../errors.ts'
import { assertAllowedAndExisting } from '../rights/refusal.ts'
import { actionMethod, readonlyActionMethod, shownForm } from '../shown.ts'
import { assertMayActFor } from './grants.ts'
import { proveIdentity } from './proof.ts'
import { statusOf } from './second-factor.ts'
import { endAllSessions, endSessionsOf } from './users-sessions.ts'

type Users = Records<'res.users'>

const object = returns<object>('object', 'dict')

const user = extend('res.users', {
  fields: {},
  methods: {
    action_get: {
      doc: "The action that shows the caller's own preferences.",
      level: 'model',
      readonly: true,
      params: {},
      returns: object,
    },
    preference_save: readonlyActionMethod('The action that reloads the client with the new preferences.'),
    preference_change_password: readonlyActionMethod(
      'The action by which clients let users change their own password (change_password).',
    ),
    action_revoke_all_devices: actionMethod(
      'Ends every browser session of the users, that of the caller too. API keys go on working.',
    ),
    authenticate: {
      doc: 'Checks the login and password of the caller. Failures count like failed logins.',
      secret: true,
      params: {
        credential: required<unknown>('any', {
          doc: 'login, password, and the code of a second factor',
          annotation: 'dict',
        }),
        user_agent_env: required<unknown>('any', { doc: 'Not needed', annotation: 'dict | None' }),
      },
      returns: object,
    },
    get_company_currency_id: {
      doc: 'The currency of the current company.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<number>('integer', 'int'),
    },
  },
})

declare module '#models' {
  interface User extends Of<typeof user> {}
}

const reload = (tag: string) => ({ type: 'ir.actions.client', tag })

async function revoke(users: Users): Promise<object> {
  const { env, ids } = users
  const others = ids.filter((id) => id !== env.uid)
  if (others.length) {
    await assertAllowedAndExisting(users, 'write')
    await assertMayActFor(env, others)
    await endSessionsOf(env, others)
  }
  if (others.length < ids.length) await endAllSessions(env)
  return reload('reload')
}

/** Throws AccessDenied for what is not the caller's, InvalidValue for what has no login and password. */
async function authenticate({ env }: Users, credential: unknown): Promise<object> {
  const { login, password, code }: Readonly<Record<string, unknown>> = Object(credential)
  if (typeof login !== 'string' || typeof password !== 'string')
    throw new InvalidValue(
      'credential must have a login and a password, such as {"login": "anna", "password": "…"}.',
    )
  if (login !== env.user.login) throw new AccessDenied()
  await proveIdentity(env, { password, code })
  const { enabled } = await statusOf(env)
  return { uid: env.uid, auth_method: 'password', mfa: enabled ? 'skip' : 'default' }
}

export default implement(user, {
  methods: {
    action_get: ({ env }) => ({
      ...shownForm('Change My Preferences', 'res.users'),
      res_id: env.uid,
    }),
    preference_save: () => reload('reload_context'),
    preference_change_password: () => ({ ...reload('change_password'), target: 'new' }),
    action_revoke_all_devices: revoke,
    authenticate: (users, { credential }) => authenticate(users, credential),
    get_company_currency_id: async ({ env }) => {
      const { currency_id: currency } = await env
        .sudo()
        .model('res.company')
        .browse([env.companyId])
        .one(['currency_id'])
      return currency.id
    },
  },
})
