// Further fields of teams and their people that clients read: favourites, targets, names of members.
import {
  binary,
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  extend,
  implement,
  many2many,
  type Of,
  one2many,
  text,
} from '#models'
import { mayBeInSeveral } from './member.ts'

const team = extend('crm.team', {
  fields: {
    crm_team_member_all_ids: one2many('crm.team.member', 'crm_team_id', {
      label: 'Sales Team Members (incl. inactive)',
      context: { active_test: false },
    }),
    favorite_user_ids: many2many('res.users', {
      label: 'Favorite Members',
      copy: false,
      relation: { table: 'team_favorite_user_rel', column: 'team_id', other: 'user_id' },
    }),
    is_membership_multi: boolean({ label: 'Multiple Memberships Allowed', computed: true }),
    is_favorite: boolean({
      label: 'Show on dashboard',
      computed: true,
      readonly: false,
      help: 'The caller marked the team.',
    }),
  },
})

const member = extend('crm.team.member', {
  fields: {
    name: char({ label: 'Name', related: 'user_id.partner_id.name' }),
    email: char({ label: 'Email', related: 'user_id.partner_id.email' }),
    phone: char({ label: 'Phone', related: 'user_id.partner_id.phone' }),
    image_128: binary({ label: 'Image (128)', related: 'user_id.partner_id.image_128' }),
    image_1920: binary({ label: 'Image', related: 'user_id.partner_id.image_1920' }),
    user_in_teams_ids: many2many('res.users', {
      label: 'User In Teams',
      computed: true,
      help: 'Forms do not offer them: they are in a team, or in this team where people may be in several.',
    }),
    member_warning: text({
      label: 'Member Warning',
      computed: true,
      help: 'The teams that the user leaves by joining this team.',
    }),
  },
})

declare module '#models' {
  interface CrmTeam extends Of<typeof team> {}
  interface CrmTeamMember extends Of<typeof member> {}
}

export const teamFacts = implement(team, {
  // A team is on the dashboard of its maker.
  defaults: { favorite_user_ids: (env) => [env.uid] },
  computed: {
    is_membership_multi: computedTogether(team, [], async (teams, env) => {
      const several = await mayBeInSeveral(env)
      return new Map(teams.map(({ id }) => [id, several]))
    }),
    is_favorite: computed(
      team,
      ['favorite_user_ids'],
      (team, env) => team.favorite_user_ids.some(({ id }) => id === env.uid),
      {
        search: (_operator, value, env) => {
          const sides = new Set([value].flat().map(Boolean))
          if (sides.size !== 1) return [['id', sides.size ? '!=' : '=', 0]]
          return [['favorite_user_ids', sides.has(true) ? 'in' : 'not in', [env.uid]]]
        },
        // Everybody marks teams for themselves.
        inverse: async (env, values) => {
          const teams = env.sudo().model('crm.team')
          const changes = [...values].map(
            ([id, isMarked]) => [id, { favorite_user_ids: [[isMarked ? 4 : 3, env.uid]] as const }] as const,
          )
          await teams.browse([...values.keys()]).writeEach(new Map(changes))
        },
      },
    ),
  },
})
export const memberFacts = implement(member, {
  computed: computedFields(
    member,
    ['user_in_teams_ids', 'member_warning'],
    ['crm_team_id', 'user_id', 'name'],
    async (members, env) => {
      const several = await mayBeInSeveral(env)
      // Teams of companies that the caller may not see are left out.
      const teams = await env.model('crm.team').search([])
      const memberships = await env.model('crm.team.member').search([
        ['crm_team_id', 'in', teams.ids],
        ['active', '=', true],
      ])
      const rows = await memberships.load(['crm_team_id.name', 'user_id'])
      return new Map(
        members.map((member) => {
          const isHere = (row: (typeof rows)[number]) => row.crm_team_id.id === member.crm_team_id.id
          const others = rows.filter((row) => row.id !== member.id && (!several || isHere(row)))
          const left = others.filter((row) => !isHere(row) && row.user_id.id === member.user_id.id)
          return [
            member.id,
            {
              user_in_teams_ids: [...new Map(others.map((row) => [row.user_id.id, row.user_id])).values()],
              member_warning: left.length
                ? `${member.name} leaves ${left.map((row) => row.crm_team_id.name).join(', ')} by joining.`
                : null,
            },
          ]
        }),
      )
    },
  ),
})
