// Groups of users (res.groups): rights are granted to them; a group implies others, transitively
// (spec/wire.md section 9).
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  float,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  required,
  returns,
  text,
} from '#models'
import { type Sql, sql } from '../../../sql/index.ts'
import { givenIds, givenVals } from '../caller-arguments.ts'
import { auditWraps } from '../rights/rights-audit.ts'
import { changingRights, writingRights } from '../rights/rights-changes.ts'
import { granting } from './grants.ts'
import {
  assertOneKind,
  impliedBy,
  impliedClosure,
  makeClosures,
  refreshShare,
  usersClosure,
  usersOf,
  withImplyingGroups,
} from './groups-closure.ts'

const group = model('res.groups', {
  label: 'Access Groups',
  order: 'privilege_id, sequence, name, id',
  rules: {
    name_uniq: {
      unique: ['privilege_id', 'name'],
      message: 'The name of the group must be unique within a privilege!',
    },
    key_duration: {
      check: 'api_key_duration >= 0',
      message: 'The API key duration cannot be a negative value.',
    },
  },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    full_name: char({ label: 'Group Name', computed: true }),
    comment: text({ label: 'Comment', translate: true }),
    sequence: integer({ label: 'Sequence' }),
    color: integer({ label: 'Color Index' }),
    privilege_id: many2one('res.groups.privilege', { label: 'Privilege', index: true }),
    share: boolean({
      label: 'Share Group',
      help: 'Group created to set access rights for sharing data with some users.',
    }),
    api_key_duration: float({
      label: 'API Keys maximum duration days',
      help: 'Longest life of API keys of its members, in days; 0: not limited by this group.',
    }),
    user_ids: many2many('res.users', {
      label: 'Users',
      relation: { table: 'res_groups_users_rel', column: 'gid', other: 'uid' },
    }),
    all_user_ids: many2many('res.users', {
      label: 'Users and implied users',
      computed: true,
      relation: { table: usersClosure, column: 'gid', other: 'uid' },
    }),
    all_users_count: integer({ label: '# Users', computed: true }),
    implied_ids: many2many('res.groups', {
      label: 'Implied Groups',
      help: 'Groups that users of this group also have.',
      relation: { table: 'res_groups_implied_rel', column: 'gid', other: 'hid' },
    }),
    implied_by_ids: many2many('res.groups', {
      label: 'Implying Groups',
      relation: { table: 'res_groups_implied_rel', column: 'hid', other: 'gid' },
      copy: false,
    }),
    all_implied_ids: many2many('res.groups', {
      label: 'Transitively Implied Groups',
      computed: true,
      relation: { table: impliedClosure, column: 'gid', other: 'hid' },
    }),
    all_implied_by_ids: many2many('res.groups', {
      label: 'Transitively Implying Groups',
      computed: true,
      relation: { table: impliedClosure, column: 'hid', other: 'gid' },
    }),
    model_access: one2many('ir.model.access', 'group_id', { label: 'Access Controls' }),
    menu_access: many2many('ir.ui.menu', {
      label: 'Access Menu',
      relation: { table: 'ir_ui_menu_group_rel', column: 'gid', other: 'menu_id' },
    }),
    view_access: many2many('ir.ui.view', {
      label: 'Views',
      relation: { table: 'ir_ui_view_group_rel', column: 'group_id', other: 'view_id' },
    }),
    rule_groups: many2many('ir.rule', {
      label: 'Rules',
      relation: { table: 'rule_group_rel', column: 'group_id', other: 'rule_group_id' },
    }),
  },
  methods: {
    get_application_groups: {
      doc: 'Groups that satisfy a domain, without those for people of other companies.',
      level: 'model',
      readonly: true,
      params: { domain: required<unknown[]>('domain', { annotation: 'DomainType' }) },
      returns: returns<readonly number[]>('ids', 'list[int]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'res.groups': Group
  }
  interface Group extends Of<typeof group> {}
}

const audited = auditWraps<Records<'res.groups'>>('res.groups')

type Named = { readonly name: string; readonly privilege_id: { readonly name: string } | null }
const fullName = (g: Named) => (g.privilege_id ? `${g.privilege_id.name} / ${g.name}` : g.name)

/** "Privilege / Name", in the language of the query. */
const fullNameSql: NonNullable<Parameters<typeof computed>[3]>['sql'] = (scope): Sql | null => {
  const [name, privilege] = [scope.model.fields.get('name'), scope.model.fields.get('privilege_id')]
  const heading = privilege?.comodel?.fields.get('name')
  if (!name || !privilege || !heading) return null
  return sql`concat_ws(' / ', ${scope.join(privilege).value(heading)}, ${scope.value(name)})`
}

/** A condition on the full name: one half may hold what is looked for, "A / B" both. */
function searchFullName(operator: string, value: unknown): readonly unknown[] {
  const parts = typeof value === 'string' ? value.split(' / ') : []
  if (parts.length === 2 && !operator.startsWith('not') && operator !== '!=') {
    return ['&', ['privilege_id.name', operator, parts[0]], ['name', operator, parts[1]]]
  }
  const negative = operator.startsWith('not') || operator === '!='
  return negative
    ? [
        '&',
        ['name', operator, value],
        '|',
        ['privilege_id', '=', false],
        ['privilege_id.name', operator, value],
      ]
    : ['|', ['name', operator, value], ['privilege_id.name', operator, value]]
}

/**
 * Checks changes of members and implications: every user keeps one type, and no user gets rights that
 * the caller does not hold.
 */
async function changingMembers<T>(
  env: Environment,
  list: readonly object[],
  change: () => Promise<T>,
): Promise<T> {
  const names = ['user_ids', 'implied_ids', 'implied_by_ids']
  if (!list.some((vals) => names.some((name) => name in vals))) return change()
  const changed = await granting(env, null, change)
  await assertOneKind(env, null)
  await refreshShare(env)
  return changed
}

export default implement(group, {
  // A group without its rules reads every record, and another one reads what its rules allow.
  writable: { only: { 'base.group_system': ['rule_groups'] } },
  displayName: computed(group, ['name', 'privilege_id.name'], fullName, {
    sql: fullNameSql,
    search: searchFullName,
  }),
  methods: {
    get_application_groups: async (groups, { domain }) =>
      givenIds(await groups.invoke('search', { domain: [['share', '=', false], ...domain] })),
  },
  computed: {
    full_name: computed(group, ['name', 'privilege_id.name'], fullName, {
      sql: fullNameSql,
      search: searchFullName,
    }),
    all_implied_ids: computedTogether(
      group,
      ['implied_ids'],
      (groups, env) =>
        impliedBy(
          env,
          groups.map((g) => g.id),
        ),
      {
        search: async (operator, value, env) => [
          ['id', ...(await reaching(env, operator, value, withImplyingGroups))],
        ],
      },
    ),
    all_implied_by_ids: computedTogether(
      group,
      ['implied_by_ids'],
      (groups, env) =>
        withImplyingGroups(
          env,
          groups.map((g) => g.id),
        ),
      {
        search: async (operator, value, env) => [
          ['id', ...(await reaching(env, operator, value, impliedBy))],
        ],
      },
    ),
    all_user_ids: computedTogether(
      group,
      ['user_ids', 'implied_by_ids'],
      (groups, env) =>
        usersOf(
          env,
          groups.map((g) => g.id),
        ),
      {
        search: (operator, value) => [['all_implied_by_ids.user_ids', operator, value]],
      },
    ),
    all_users_count: computedTogether(group, ['user_ids', 'implied_by_ids'], async (groups, env) => {
      const users = await usersOf(
        env,
        groups.map((g) => g.id),
      )
      return new Map([...users].map(([id, found]) => [id, found.length]))
    }),
  },
  wrapWrite: (next) =>
    audited.write(
      writingRights((records, changes) =>
        changingMembers(
          records.env,
          changes.map(({ vals }) => vals),
          () => next(records, changes),
        ),
      ),
    ),
  wrapGeneric: {
    create: (next) =>
      audited.create(
        changingRights((records, params) =>
          changingMembers(records.env, givenVals(params.vals_list), () => next(records, params)),
        ),
      ),
    unlink: (next) =>
      audited.unlink(
        changingRights(async (records, params) => {
          const result = await granting(records.env, null, () => Promise.resolve(next(records, params)))
          await refreshShare(records.env)
          return result
        }),
      ),
  },
  init: makeClosures,
})

/**
 * The condition on `id` for one on a transitive relation: groups that reach, or are reached from, the given
 * ones.
 */
async function reaching(
  env: Parameters<typeof impliedBy>[0],
  operator: string,
  value: unknown,
  follow: typeof impliedBy,
): Promise<readonly [string, number[]]> {
  // Whether there is any: a group reaches itself.
  if (operator === 'ilike') return ['not in', []]
  const ids = [value].flat().filter((id): id is number => typeof id === 'number')
  const groups = [...(await follow(env, ids)).values()].flat()
  return [operator === 'not in' || operator === '!=' ? 'not in' : 'in', groups]
}
