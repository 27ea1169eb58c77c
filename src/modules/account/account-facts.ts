// Further fields of accounts that clients read, apart from their type (account.account): group and root,
// use, balance; groups by the beginning of codes (account.group), roots by its first two characters.
import {
  boolean,
  char,
  computed,
  computedFields,
  computedTogether,
  type Environment,
  extend,
  float,
  implement,
  many2one,
  model,
  type Of,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { BOOKKEEPERS } from './account-types.ts'

const group = model('account.group', {
  label: 'Account Group',
  order: 'code_prefix_start, id',
  rules: {
    prefixes: {
      check: 'char_length(code_prefix_start) = char_length(code_prefix_end)',
      message: 'The first and the last prefix of a group must have the same length: correct one of them.',
    },
  },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    code_prefix_start: char({
      label: 'Code Prefix Start',
      help: 'First prefix of the codes of its accounts.',
    }),
    code_prefix_end: char({ label: 'Code Prefix End', help: 'Last prefix of the codes of its accounts.' }),
    company_id: many2one('res.company', { label: 'Company', required: true, index: true }),
    parent_id: many2one('account.group', {
      label: 'Parent',
      computed: true,
      help: 'The group whose prefixes include those of this group.',
    }),
  },
})

const root = model('account.root', {
  label: 'Account codes first 2 digits',
  logAccess: false,
  query: `SELECT DISTINCT ascii(code) * 1000 + ascii(substr(code, 2)) AS id, left(code, 2)::text AS name FROM account_account`,
  fields: { name: char({ label: 'Name' }) },
})

const account = extend('account.account', {
  fields: {
    group_id: many2one('account.group', { label: 'Group', computed: true }),
    root_id: many2one('account.root', { label: 'Root', computed: true }),
    include_initial_balance: boolean({
      label: 'Bring Accounts Balance Forward',
      computed: true,
      help: 'Its balance is carried over to the next year. Income and expense accounts start at zero.',
    }),
    non_trade: boolean({
      label: 'Non Trade',
      help: 'For receivables and payables that do not come from sales or purchases.',
    }),
    used: boolean({ label: 'Used', computed: true }),
    current_balance: float({ label: 'Current Balance', computed: true, groups: BOOKKEEPERS }),
  },
})

declare module '#models' {
  interface Models {
    'account.group': AccountGroup
    'account.root': AccountRoot
  }
  interface AccountGroup extends Of<typeof group> {}
  interface AccountRoot extends Of<typeof root> {}
  interface Account extends Of<typeof account> {}
}

/** Groups of the caller's company and those above it, longer prefixes before shorter ones. */
async function groupsOf(env: Environment) {
  const groups = await env
    .sudo()
    .model('account.group')
    .search([['company_id', 'parent_of', [env.companyId]]])
  const rows = await groups.load(['code_prefix_start', 'code_prefix_end'])
  return rows
    .flatMap(({ id, code_prefix_start: start, code_prefix_end: end }) =>
      start ? [{ id, start, end: end ?? start }] : [],
    )
    .sort((a, b) => b.start.length - a.start.length)
}

type Group = Awaited<ReturnType<typeof groupsOf>>[number]

/** Whether codes that begin with a text may lie in a group. */
const holds = ({ start, end }: Group, code: string): boolean => {
  const head = code.slice(0, start.length)
  return head.length === start.length && head >= start && head <= end
}

const parents = computedTogether(group, ['code_prefix_start', 'code_prefix_end'], async (groups, env) => {
  const candidates = await groupsOf(env)
  return new Map(
    groups.map(({ id, code_prefix_start: start, code_prefix_end: end }) => {
      const parent = candidates.find(
        (wider) =>
          start && wider.start.length < start.length && holds(wider, start) && holds(wider, end ?? start),
      )
      return [id, parent?.id ?? null]
    }),
  )
})

const placed = computedTogether(account, ['code'], async (accounts, env) => {
  const groups = await groupsOf(env)
  return new Map(accounts.map(({ id, code }) => [id, groups.find((group) => holds(group, code))?.id ?? null]))
})

/** As `account.root` numbers them. */
const rootOf = (code: string): number =>
  (code.codePointAt(0) ?? 0) * 1000 + (code.length > 1 ? (code.codePointAt(1) ?? 0) : 0)

const figures = computedFields(account, ['used', 'current_balance'], [], async (accounts, env) => {
  const rows = await env.rows(
    sql`SELECT a.id, EXISTS (SELECT FROM account_move_line l WHERE l.account_id = a.id),
      COALESCE((SELECT sum(l.debit) - sum(l.credit) FROM account_move_line l
        WHERE l.account_id = a.id AND l.company_id = ${env.companyId}::int AND l.parent_state = 'posted'), 0)::float8
    FROM account_account a WHERE a.id = ANY(${idList(accounts.map(({ id }) => id))})`,
    { reads: ['account.account', 'account.move.line'], row: ['int', 'bool', 'float'] },
  )
  return new Map(
    rows.map(([id, used, balance]) => [id, { used, current_balance: Number(balance.toFixed(6)) }]),
  )
})

export const accountGroup = implement(group, {
  defaults: { company_id: (env) => env.companyId },
  computed: { parent_id: parents },
})
export const accountRoot = implement(root)
export const accountFacts = implement(account, {
  computed: {
    group_id: placed,
    root_id: computed(account, ['code'], ({ code }) => rootOf(code)),
    include_initial_balance: computed(
      account,
      ['internal_group', 'account_type'],
      (account) =>
        !['income', 'expense'].includes(account.internal_group ?? '') &&
        account.account_type !== 'equity_unaffected',
    ),
    ...figures,
  },
})
