// Memberships of sales teams (crm.team.member): somebody is in one team at a time, unless the setting lets
// them be in several.
import {
  boolean,
  computed,
  computedTogether,
  type Environment,
  idsWhere,
  implement,
  many2one,
  model,
  type Of,
  type Records,
} from '#models'
import { givenVals } from '../base/index.ts'

/** Parameter that lets people be in several teams. */
const SEVERAL = 'sales_team.membership_multi'

const member = model('crm.team.member', {
  label: 'Sales Team Member',
  order: 'create_date asc, id',
  recName: 'user_id',
  fields: {
    crm_team_id: many2one('crm.team', {
      label: 'Sales Team',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    user_id: many2one('res.users', {
      label: 'Salesperson',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    active: boolean({ label: 'Active', default: true }),
    is_membership_multi: boolean({ label: 'Multiple Memberships Allowed', computed: true }),
    company_id: many2one('res.company', { label: 'Company', related: 'user_id.company_id' }),
  },
})

declare module '#models' {
  interface Models {
    'crm.team.member': CrmTeamMember
  }
  interface CrmTeamMember extends Of<typeof member> {}
}

/** People may be in several teams at a time: a setting of the database. */
export async function mayBeInSeveral(env: Environment): Promise<boolean> {
  const text = await env.sudo().model('ir.config_parameter').get_param({ key: SEVERAL, default: false })
  return !['', '0', 'false', 'False'].includes(String(text || ''))
}

/** Users who join a team leave the others. */
async function leaveOthers(members: Records<'crm.team.member'>): Promise<void> {
  if (members.length === 0 || (await mayBeInSeveral(members.env))) return
  const joined = await members.sudo().load(['user_id', 'active'])
  const users = joined.filter((member) => member.active).map((member) => member.user_id.id)
  const others = await members.sudo().search([
    ['user_id', 'in', users],
    ['id', 'not in', members.ids],
  ])
  if (others.length) await others.write({ active: false })
}

export default implement(member, {
  displayName: computed(member, ['user_id.display_name'], (member) => member.user_id.display_name, {
    sql: (scope) => scope.path('user_id.display_name'),
  }),
  computed: {
    is_membership_multi: computedTogether(member, [], async (members, env) => {
      const several = await mayBeInSeveral(env)
      return new Map(members.map(({ id }) => [id, several]))
    }),
  },
  checks: {
    'Somebody is in a sales team only once.': computedTogether(
      member,
      ['crm_team_id', 'user_id', 'active'],
      async (members, env) => {
        const teams = members.map((member) => member.crm_team_id.id)
        const all = await env
          .sudo()
          .model('crm.team.member')
          .search([['crm_team_id', 'in', teams]])
        const seen = Map.groupBy(
          await all.load(['crm_team_id', 'user_id']),
          (row) => `${row.crm_team_id.id}/${row.user_id.id}`,
        )
        return new Map(
          members.map((member) => [
            member.id,
            !member.active || (seen.get(`${member.crm_team_id.id}/${member.user_id.id}`)?.length ?? 0) <= 1,
          ]),
        )
      },
    ),
  },
  wrapWrite: (next) => async (members, changes) => {
    await next(members, changes)
    await leaveOthers(members.browse(idsWhere(changes, (vals) => vals.active === true || 'user_id' in vals)))
  },
  wrapCreate: (next) => async (members, list) => {
    givenVals(list)
    const createdMembers = await next(members, list)
    await leaveOthers(createdMembers)
    return createdMembers
  },
})
