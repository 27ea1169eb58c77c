// Implementation of users (res.users). Own records and built-in users: users-access.ts; passwords:
// users-password.ts; groups: groups-closure.ts.

import { extensionTables, raiseRightsVersion, rightsTables } from '#engine'
import {
  computed,
  computedTogether,
  type Environment,
  idsWhere,
  implement,
  lineCount,
  type Records,
  set,
} from '#models'
import { InvalidValue } from '../../../errors.ts'
import { raw } from '../../../sql/index.ts'
import { givenVals } from '../caller-arguments.ts'
import { auditWraps } from '../rights/rights-audit.ts'
import { shownWindow } from '../shown.ts'
import { assertMayActFor, assertMayEnd, assertOwnContacts, granting } from './grants.ts'
import { assertOneKind, groupsOf, withImplyingGroups } from './groups-closure.ts'
import { proveIdentity } from './proof.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  renewCodes,
  resetSecondFactors,
  statusOf,
} from './second-factor.ts'
import { user } from './users.contract.ts'
import {
  assertNoKeys,
  assertRemovable,
  groupsOfUser,
  readingOwn,
  satisfies,
  writingOwn,
} from './users-access.ts'
import { searchUserName, userNameSql } from './users-name.ts'
import { changeOwnPassword, changePasswords, makePasswordColumn } from './users-password.ts'
import { loginDate, userState } from './users-seen.ts'
import { endAllSessions, endSessions, endSessionsOf, sessionsOf } from './users-sessions.ts'

/** Fields whose change may change what somebody is allowed. */
const rightsFields = [
  'group_ids',
  'company_ids',
  'company_id',
  'active',
  'login',
  'password',
  'new_password',
  'role',
  'partner_id',
]
/** Fields that give groups, and those that open a login. */
const groupFields = ['group_ids', 'role']
const loginFields = ['login', 'password', 'new_password']
const audited = auditWraps<Records<'res.users'>>('res.users')
const touches = (vals: object, names: readonly string[]) => names.some((name) => name in vals)

export default implement(user, {
  displayName: computed(user, ['partner_id.name'], (u) => u.partner_id.name ?? '', {
    sql: userNameSql,
    search: searchUserName,
  }),
  defaults: {
    company_id: (env) => env.companyId,
    company_ids: (env) => set([env.companyId]),
    group_ids: async (env) => {
      const internal = await env.find('base.group_user')
      return internal === null ? undefined : set([internal])
    },
  },
  computed: {
    password: computed(user, [], () => '', { inverse: changePasswords }),
    new_password: computed(user, [], () => '', {
      // An empty one is a form left alone.
      inverse: (env, values) => changePasswords(env, new Map([...values].filter(([, password]) => password))),
    }),
    all_group_ids: computedTogether(
      user,
      ['group_ids'],
      (users, env) =>
        groupsOf(
          env,
          users.map((u) => u.id),
        ),
      {
        search: async (operator, value, env) => {
          if (!Array.isArray(value) && typeof value !== 'number') return [['group_ids', operator, value]]
          const ids = [value].flat().filter((id): id is number => typeof id === 'number')
          return [['group_ids', operator, [...(await withImplyingGroups(env, ids)).values()].flat()]]
        },
      },
    ),
    groups_count: computedTogether(user, ['group_ids'], async (users, env) => {
      const groups = await groupsOf(
        env,
        users.map((u) => u.id),
      )
      return new Map([...groups].map(([id, ids]) => [id, ids.length]))
    }),
    companies_count: computed(user, ['company_ids'], (u) => u.company_ids.length, {
      searchable: false,
      sql: (scope) => lineCount(scope, 'company_ids'),
    }),
    login_date: loginDate,
    state: userState,
    share: computedTogether(user, ['group_ids'], async (users, env) => {
      const internal = await env.find('base.group_user')
      const groups = await groupsOf(
        env,
        users.map((u) => u.id),
      )
      return new Map(users.map((u) => [u.id, internal === null || !groups.get(u.id)?.includes(internal)]))
    }),
    role: computedTogether(
      user,
      ['group_ids'],
      async (users, env) => {
        const [internal, system] = [await env.find('base.group_user'), await env.find('base.group_system')]
        const groups = await groupsOf(
          env,
          users.map((u) => u.id),
        )
        return new Map(users.map((u) => [u.id, roleOf(groups.get(u.id) ?? [], internal, system)]))
      },
      { inverse: assignRoles },
    ),
  },
  checks: {
    "The user's company is not in the allowed companies of the user.": computed(
      user,
      ['active', 'company_id', 'company_ids'],
      (u) => !u.active || u.company_ids.some((company) => company.id === u.company_id.id),
    ),
  },
  methods: {
    context_get: ({ env }) => ({ lang: orFalse(env.user.lang), tz: orFalse(env.user.tz), uid: env.uid }),
    has_group: async (users, { group_ext_id }) => (await groupsOfUser(users)).has(group_ext_id),
    has_groups: async (users, { group_spec }) => satisfies(await groupsOfUser(users), group_spec),
    change_password: async ({ env }, { old_passwd, new_passwd }) => {
      await changeOwnPassword(env, old_passwd, new_passwd)
      raiseRightsVersion(env)
      return true as const
    },
    prove_identity: async ({ env }, proof) => {
      await proveIdentity(env, proof)
      return true as const
    },
    second_factor: ({ env }) => statusOf(env),
    begin_second_factor: ({ env }, proof) => beginSecondFactor(env, proof),
    confirm_second_factor: ({ env }, { code }) => confirmSecondFactor(env, code),
    disable_second_factor: ({ env }, { code }) => disableSecondFactor(env, code),
    renew_recovery_codes: ({ env }, { code }) => renewCodes(env, code),
    reset_second_factor: (users) => resetSecondFactors(users),
    logout_everywhere: async ({ env }) => {
      await endAllSessions(env)
      return true as const
    },
    sessions: ({ env }) => sessionsOf(env),
    end_sessions: ({ env }, { sessions }) => endSessions(env, sessions),
    api_key_wizard: () =>
      shownWindow({
        name: 'New API Key',
        res_model: 'res.users.apikeys.description',
        target: 'new',
        views: [[false, 'form']],
      }),
  },
  wrapWrite: (next) =>
    audited.write(
      writingOwn(async (users, changes) => {
        const grouped = idsWhere(changes, (vals) => touches(vals, groupFields))
        await assertMayActFor(
          users.env,
          idsWhere(changes, (vals) => touches(vals, loginFields)),
        )
        await assertMayEnd(
          users.env,
          idsWhere(changes, (vals) => 'active' in vals),
        )
        if (grouped.length === 0) await next(users, changes)
        else {
          await granting(users.env, grouped, () => next(users, changes))
          await assertOneKind(users.env, grouped)
        }
        await assertOwnContacts(
          users.env,
          idsWhere(changes, (vals) => 'partner_id' in vals),
        )
        await endSessionsOf(
          users.env,
          idsWhere(changes, (vals) => 'active' in vals && !vals.active),
        )
        if (changes.some(({ vals }) => touches(vals, rightsFields))) raiseRightsVersion(users.env)
      }),
    ),
  wrapGeneric: {
    read: readingOwn,
    create: (next) =>
      audited.create(async (users, params) => {
        const list = givenVals(params.vals_list)
        assertNoKeys(users.env, list)
        const vals_list = list.map((vals) => inCallersLanguage(vals, users.env))
        const newUsers = await granting(
          users.env,
          [],
          () => next(users, { ...params, vals_list }) as Promise<Records<'res.users'>>,
          ({ ids }) => ids,
        )
        await assertOneKind(users.env, newUsers.ids)
        await assertOwnContacts(users.env, newUsers.ids)
        return newUsers
      }),
    unlink: (next) =>
      audited.unlink(async (users, params) => {
        if (
          users.env.su ||
          users.env.unit.rights.mayModel(users.env.user, users.env.def('res.users'), 'unlink')
        )
          await assertRemovable(users)
        await assertMayEnd(users.env, users.ids)
        const result = await next(users, params)
        raiseRightsVersion(users.env)
        return result
      }),
    copy_data: (next) => async (users, params) => {
      const defaults = (params.default ?? {}) as object
      const rows = (await next(users, params)) as Record<string, unknown>[]
      return rows.map(({ email: _email, phone: _phone, ...row }) => ({
        ...row,
        ...('name' in defaults ? {} : { name: `${row.name} (copy)` }),
        ...('login' in defaults ? {} : { login: `${row.login} (copy)` }),
        ...Object.fromEntries(Object.entries(defaults)),
      }))
    },
  },
  init: async (env) => {
    await makePasswordColumn(env)
    for (const statement of [...rightsTables, ...extensionTables]) await env.execute(raw(statement))
  },
})

const orFalse = (text: string | null): string | false => text || false

/** Values of a new user, whose contact gets the caller's language unless they name one. */
function inCallersLanguage(vals: Record<string, unknown>, env: Environment): Record<string, unknown> {
  const hasLanguage = vals.partner_id || vals.lang !== undefined || env.context.default_lang !== undefined
  return hasLanguage ? vals : { ...vals, lang: env.user.lang ?? env.lang }
}

function roleOf(
  groups: readonly number[],
  internal: number | null,
  system: number | null,
): 'group_user' | 'group_system' | null {
  if (system !== null && groups.includes(system)) return 'group_system'
  return internal !== null && groups.includes(internal) ? 'group_user' : null
}

/** Gives users the group of a role and takes the other one away. */
async function assignRoles(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  const [internal, system] = [await env.ref('base.group_user'), await env.ref('base.group_system')]
  for (const role of new Set(values.values())) {
    if (role !== 'group_user' && role !== 'group_system')
      throw new InvalidValue(`Invalid role ${JSON.stringify(role)}`)
    const [wanted, other] = role === 'group_system' ? [system, internal] : [internal, system]
    const users = [...values].filter(([, value]) => value === role).map(([id]) => id)
    await env
      .model('res.users')
      .browse(users)
      .write({
        group_ids: [
          [3, other],
          [4, wanted],
        ],
      })
  }
}
