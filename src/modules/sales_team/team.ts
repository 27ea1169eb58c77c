// Sales teams (crm.team): who leads them, who is in them, for which company.

import {
  boolean,
  char,
  computed,
  type Environment,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { InvalidValue } from '../../errors.ts'
import { isInteger } from '../../kit/present.ts'
import { markCopies } from '../base/index.ts'

const team = model('crm.team', {
  label: 'Sales Team',
  dictionary: true,
  order: 'sequence, create_date desc, id desc',
  fields: {
    name: char({ label: 'Sales Team', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    active: boolean({ label: 'Active', default: true, help: 'Archived teams are kept and offered no more.' }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    currency_id: many2one('res.currency', { label: 'Currency', related: 'company_id.currency_id' }),
    user_id: many2one('res.users', { label: 'Team Leader', checkCompany: true }),
    crm_team_member_ids: one2many('crm.team.member', 'crm_team_id', { label: 'Sales Team Members' }),
    member_ids: many2many('res.users', {
      label: 'Salespersons',
      computed: true,
      help: 'Somebody is in one team at a time.',
    }),
    color: integer({ label: 'Color Index' }),
  },
})

declare module '#models' {
  interface Models {
    'crm.team': CrmTeam
  }
  interface CrmTeam extends Of<typeof team> {}
}

/** Turns values of the members field into memberships: link commands, or a list of users. */
async function writeMembers(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  const memberships = env.withContext({ active_test: false }).model('crm.team.member')
  for (const [id, value] of values) {
    const memberRows = await (await memberships.search([['crm_team_id', '=', id]])).load([
      'user_id',
      'active',
    ])
    const memberOf = new Map(memberRows.map((row) => [row.user_id.id, row]))
    const before = memberRows.filter((row) => row.active).map((row) => row.user_id.id)
    const wanted = linkedAfter(value, before)
    const gone = before.filter((user) => !wanted.has(user)).flatMap((user) => memberOf.get(user)?.id ?? [])
    if (gone.length) await memberships.browse(gone).unlink()
    const joining = [...wanted].filter((user) => !before.includes(user))
    // Former members come back.
    const back = joining.flatMap((user) => memberOf.get(user)?.id ?? [])
    if (back.length) await memberships.browse(back).write({ active: true })
    const fresh = joining.filter((user) => !memberOf.has(user))
    if (fresh.length) await memberships.create(fresh.map((user_id) => ({ crm_team_id: id, user_id })))
  }
}

/**
 * Users linked after a list of ids, or after commands 2 to 6. Throws InvalidValue for anything else: users
 * are made elsewhere.
 */
function linkedAfter(value: unknown, before: readonly number[]): Set<number> {
  if (value === false || value === null) return new Set()
  if (!Array.isArray(value)) throw wrong(value)
  if (value.length && value.every((item) => Number.isInteger(item))) return new Set(value as number[])
  const linked = new Set(before)
  for (const command of value as readonly unknown[]) {
    const [code, user, users] = Array.isArray(command) ? command : []
    if (code === 5 || (code === 6 && Array.isArray(users) && users.every((user) => Number.isInteger(user)))) {
      linked.clear()
      if (code === 6) for (const user of users as number[]) linked.add(user)
    } else if (code === 4 && isInteger(user)) linked.add(user)
    else if ((code === 2 || code === 3) && isInteger(user)) linked.delete(user)
    else throw wrong(command)
  }
  return linked
}

const wrong = (value: unknown) =>
  new InvalidValue(
    `Members of a team are given as ids or as commands that link users, not as ${JSON.stringify(value)?.slice(0, 80)}.`,
  )

export default implement(team, {
  computed: {
    member_ids: computed(
      team,
      ['crm_team_member_ids.user_id', 'crm_team_member_ids.active'],
      (team) => team.crm_team_member_ids.filter((member) => member.active).map((member) => member.user_id),
      {
        inverse: writeMembers,
        search: (operator, value) => [['crm_team_member_ids.user_id', operator, value]],
      },
    ),
  },
  wrapGeneric: {
    copy_data: markCopies,
  },
})
