// Contract of users (res.users). A user is a contact (delegation to res.partner) who may sign in and has
// groups and companies.
import {
  boolean,
  char,
  datetime,
  html,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  required,
  returns,
  selection,
} from '#models'
import { actionMethod } from '../shown.ts'
import { usersClosure } from './groups-closure.ts'
import { proof, secondFactorMethods } from './second-factor.contract.ts'
import type { SessionOverview } from './users-sessions.ts'

export const user = model('res.users', {
  label: 'User',
  inherits: { 'res.partner': 'partner_id' },
  makesDelegates: true,
  order: 'name, login',
  recName: 'name',
  rules: { login_key: { unique: ['login'], message: 'You can not have two users with the same login!' } },
  fields: {
    partner_id: many2one('res.partner', {
      label: 'Related Partner',
      required: true,
      ondelete: 'restrict',
      index: true,
      copy: false,
    }),
    login: char({ label: 'Login', required: true, help: 'Used to log into the system' }),
    password: char({
      label: 'Password',
      computed: true,
      readonly: false,
      copy: false,
      help: 'Leave empty for a user who should not be able to sign in.',
    }),
    new_password: char({ label: 'Set Password', computed: true, readonly: false, copy: false }),
    active: boolean({ label: 'Active', default: true }),
    active_partner: boolean({ label: 'Partner is Active', related: 'partner_id.active' }),
    signature: html({ label: 'Email Signature' }),
    action_id: many2one('ir.actions.actions', { label: 'Home Action', ondelete: 'set null' }),
    group_ids: many2many('res.groups', {
      label: 'Groups',
      relation: { table: 'res_groups_users_rel', column: 'uid', other: 'gid' },
    }),
    all_group_ids: many2many('res.groups', {
      label: 'Groups and implied groups',
      computed: true,
      relation: { table: usersClosure, column: 'uid', other: 'gid' },
    }),
    groups_count: integer({ label: '# Groups', computed: true }),
    role: selection(
      { group_user: 'User', group_system: 'Administrator' },
      { label: 'Role', computed: true, readonly: false },
    ),
    share: boolean({
      label: 'Share User',
      computed: true,
      stored: true,
      readonly: true,
      help: 'External user with limited access.',
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      required: true,
      help: 'The default company for this user.',
    }),
    company_ids: many2many('res.company', {
      label: 'Companies',
      relation: { table: 'res_company_users_rel', column: 'user_id', other: 'cid' },
    }),
    companies_count: integer({ label: 'Number of Companies', computed: true }),
    log_ids: one2many('res.users.log', 'create_uid', { label: 'User log entries' }),
    login_date: datetime({
      label: 'Latest Login',
      computed: true,
      help: 'When the user signed in last, by a form or over RPC.',
    }),
    state: selection(
      { new: 'Invited', active: 'Confirmed' },
      { label: 'Status', computed: true, help: 'Confirmed once the user has signed in.' },
    ),
    api_key_ids: one2many('res.users.apikeys', 'user_id', { label: 'API Keys' }),
  },
  methods: {
    context_get: {
      doc: 'The context that the caller prefers: language, time zone, and the id of the user.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<{ lang: string | false; tz: string | false; uid: number }>(
        'object',
        'dict',
        'lang, tz (false when unset) and uid',
      ),
    },
    has_group: {
      doc: 'Whether the user is in the group, directly or by implication. Internal users may ask about other users.',
      readonly: true,
      params: {
        group_ext_id: required<string>('string', {
          doc: 'External id of the group, such as base.group_user',
          annotation: 'str',
        }),
      },
      returns: returns<boolean>('boolean', 'bool'),
    },
    has_groups: {
      doc: 'Whether the user is in any of the groups and in none of those after an exclamation mark.',
      readonly: true,
      params: {
        group_spec: required<string>('string', {
          doc: 'External ids separated by commas, "!" before a forbidden one',
          annotation: 'str',
        }),
      },
      returns: returns<boolean>('boolean', 'bool'),
    },
    change_password: {
      doc: "Changes the caller's own password.",
      level: 'model',
      params: {
        old_passwd: required<unknown>('any', { doc: 'The current password', annotation: 'str' }),
        new_passwd: required<unknown>('any', {
          doc: 'The new password; leading and trailing blanks are removed',
          annotation: 'str',
        }),
      },
      returns: returns<true>('boolean', 'bool'),
    },
    prove_identity: {
      doc: 'Proves by the password, or a code of the second factor where there is one, that the caller uses their browser session: calls that ask for it go on for the minutes of comptoir.step_up_minutes.',
      level: 'model',
      secret: true,
      params: proof,
      returns: returns<true>('boolean', 'bool'),
    },
    logout_everywhere: {
      doc: 'Ends every browser session of the caller, this one too. API keys go on working.',
      level: 'model',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    sessions: {
      doc: "The caller's browser sessions, the one used last first.",
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<readonly SessionOverview[]>(
        'array',
        'list[dict]',
        'id, began, used, address, user_agent, current',
      ),
    },
    end_sessions: {
      doc: "Ends the caller's browser sessions: those named, or all but the one that calls.",
      level: 'model',
      params: {
        sessions: optional<unknown>('any', null, {
          doc: 'Ids from sessions(); null for all other sessions',
          annotation: 'list[str] | None',
        }),
      },
      returns: returns<number>('integer', 'int', 'How many ended'),
    },
    ...secondFactorMethods,
    api_key_wizard: actionMethod('The action that opens the wizard for a new API key.'),
  },
})

declare module '#models' {
  interface Models {
    'res.users': User
  }
  interface User extends Of<typeof user> {}
  interface Delegates {
    'res.users': 'res.partner'
  }
}
