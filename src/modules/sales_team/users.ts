// Users (res.users): the sales teams that they are in.
import { computedTogether, extend, implement, many2many, many2one, type Of, one2many } from '#models'

const users = extend('res.users', {
  fields: {
    crm_team_member_ids: one2many('crm.team.member', 'user_id', { label: 'Sales Team Members', copy: false }),
    crm_team_ids: many2many('crm.team', { label: 'Sales Teams', computed: true }),
    sale_team_id: many2one('crm.team', {
      label: 'User Sales Team',
      asStored: true,
      computed: true,
      help: 'The first of the teams that the user is in.',
    }),
  },
})

declare module '#models' {
  interface User extends Of<typeof users> {}
}

const memberships = ['crm_team_member_ids.active', 'crm_team_member_ids.crm_team_id'] as const

export default implement(users, {
  computed: {
    crm_team_ids: computedTogether(
      users,
      memberships,
      (all) => new Map(all.map((row) => [row.id, teamsOf(row.crm_team_member_ids)])),
      {
        search: (operator, value) => [['crm_team_member_ids.crm_team_id', operator, value]],
      },
    ),
    sale_team_id: computedTogether(
      users,
      memberships,
      (all) => new Map(all.map((row) => [row.id, teamsOf(row.crm_team_member_ids)[0] ?? null])),
      {
        search: (operator, value) => [['crm_team_member_ids.crm_team_id', operator, value]],
      },
    ),
  },
})

const teamsOf = (
  members: readonly { readonly active: boolean; readonly crm_team_id: { readonly id: number } }[],
) => members.filter((member) => member.active).map((member) => member.crm_team_id)
