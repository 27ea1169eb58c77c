// Facts about teams and their people that clients read beside who is in them: favourites, targets, names
// of members.
import { binary, boolean, char, computed, extend, implement, many2many, type Of, one2many } from '#models'

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
  },
})

declare module '#models' {
  interface CrmTeam extends Of<typeof team> {}
  interface CrmTeamMember extends Of<typeof member> {}
}

export const teamFacts = implement(team, {
  computed: {
    is_favorite: computed(
      team,
      ['favorite_user_ids'],
      (one, env) => one.favorite_user_ids.some(({ id }) => id === env.uid),
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
export const memberFacts = implement(member)
