// comptoir user: lists, creates, unlocks and archives users of a database on the server's machine, and so
// without a password.
import { Command, InvalidArgumentError } from 'commander'
import type { Person } from '../services/people.ts'
import { groupOfRole, isRole, type RoleName } from '../services/roles.ts'
import { answer, type Facts, withJson } from './answer.ts'
import { inDatabase, withDatabase } from './databases.ts'
import { withConfig } from './options.ts'
import { type PasswordOptions, passwordOf, withPassword } from './password.ts'
import { table } from './table.ts'

const command = (name: string, description: string): Command =>
  withDatabase(new Command(name).description(description), 'database of the user')

const ofUser = (name: string, description: string): Command =>
  command(name, description).requiredOption('--login <login>', 'login of the user')

interface Given {
  login: string
}

function list(): Command {
  return command('list', 'List the users of a database; with --json as an array of objects.')
    .option('--all', 'archived users too')
    .action(async (options: { all?: true; json?: true }, self: Command) => {
      const users = await inDatabase(self, (run, database) =>
        run('listUsers', database, options.all ?? false),
      )
      if (options.json) return console.log(JSON.stringify(users))
      const rows = users.map((user) => {
        const { login, name, active, password, second_factor, keys, last_login } = user
        return [
          login,
          name,
          `${rolesOf(user)}${active ? '' : ' (archived)'}`,
          password ? (second_factor ? 'and code' : 'yes') : 'none',
          keys,
          last_login ?? 'never',
        ]
      })
      console.log(table(['login', 'name', 'role', 'password', 'keys', 'last login (UTC)'], rows))
    })
}

/** An administrator may do everything anyway. */
const rolesOf = ({ role, roles }: Person): string =>
  role === 'administrator' ? role : roles.join(', ') || role

function listRoles(): Command {
  return command(
    'roles',
    'List the roles that users of a database can have; with --json as an array of objects.',
  ).action(async (options: { json?: true }, self: Command) => {
    const listed = await inDatabase(self, (run, database) => run('listRoles', database))
    if (options.json) return console.log(JSON.stringify(listed))
    const rows = listed.map(({ role, group, description }) => [role, group, description ?? ''])
    console.log(table(['role', 'group', 'what for'], rows))
  })
}

/** Roles as they are typed, separated by commas. */
function readRoles(text: string): RoleName[] {
  const names = text.split(',').map((part) => part.trim())
  const unknown = names.filter((name) => !isRole(name))
  if (unknown.length)
    throw new InvalidArgumentError(
      `Unknown role ${unknown.join(', ')}. Use one or more of ${Object.keys(groupOfRole).join(', ')}.`,
    )
  return names.filter(isRole)
}

interface CreateOptions extends Given, PasswordOptions {
  name: string
  role?: RoleName[]
  email?: string
  lang?: string
  tz?: string
}

function create(): Command {
  return withPassword(ofUser('create', 'Create a user.'), 'the user')
    .option('--name <text>', 'name (default: the login)')
    .option(
      '--role <roles>',
      'roles, such as cashier or sales,stock: `comptoir user roles` lists them (default user)',
      readRoles,
    )
    .option('--email <address>', 'mail address')
    .option('--lang <code>', 'language, must be active in the database')
    .option('--tz <zone>', 'time zone, such as Europe/Brussels')
    .action(async (options: CreateOptions, self: Command) => {
      const { password, invented } = passwordOf(options)
      const { login, name = login, role: roles = ['user'], email, lang, tz } = options
      const created = await inDatabase(self, async (run, database) => {
        const user = { login, name, roles, password, email, lang, tz }
        return { database, login, id: await run('createUser', database, user) }
      })
      shown(self, `created user ${login}`, created, invented ? password : null)
    })
}

/** Prints the result, with a generated password: it is shown only here. */
function shown(self: Command, line: string, facts: Facts, password: string | null): void {
  if (password === null) answer(self, line, facts)
  else answer(self, `${line}\npassword  ${password}  (not shown again)`, { ...facts, password })
}

function password(): Command {
  const description =
    'Set a new password for a user. Ends the sessions of the user and any delay after failed logins; API keys stay valid.'
  return withPassword(ofUser('password', description), 'the user')
    .option('--revoke-keys', 'revoke all API keys of the user as well')
    .action(async (options: Given & PasswordOptions & { revokeKeys?: true }, self: Command) => {
      const { password, invented } = passwordOf(options)
      const { login, revokeKeys = false } = options
      const { database, keys } = await inDatabase(self, async (run, database) => {
        const { keys } = await run('setPassword', database, login, { password, revokeKeys })
        return { database, keys }
      })
      const line = `changed the password of ${login}${revokeKeys ? `, and revoked ${keys} of their keys` : ''}`
      const facts = { database, login, ...(revokeKeys ? { revoked: keys } : {}) }
      shown(self, line, facts, invented ? password : null)
    })
}

function setting(active: boolean): Command {
  const description = active
    ? 'Restore an archived user.'
    : 'Archive a user: from the next call on, the password, sessions and API keys are refused. Records of the user stay. The last administrator cannot be archived.'
  const [word, done] = active ? ['enable', 'enabled'] : ['disable', 'disabled']
  return ofUser(word, description).action(async ({ login }: Given, self: Command) => {
    const facts = await inDatabase(self, async (run, database) => {
      const changed = await run('setActive', database, login, active)
      return { database, login, changed }
    })
    answer(self, facts.changed ? `${done} ${login}` : `${login} was ${done} already`, facts)
  })
}

function resetSecondFactor(): Command {
  const description =
    'Remove the second factor of a user who lost phone and recovery codes. Their sessions end; API keys stay valid.'
  return ofUser('reset-second-factor', description).action(async ({ login }: Given, self: Command) => {
    const facts = await inDatabase(self, async (run, database) => {
      const changed = await run('resetSecondFactor', database, login)
      return { database, login, changed }
    })
    const line = facts.changed
      ? `reset the second factor of ${login}: if one is required, the user sets up another at the next login`
      : `${login} has no second factor`
    answer(self, line, facts)
  })
}

/** The command `user` with its commands. */
export function userCommand(): Command {
  const part = new Command('user').description(
    'Create and list users, list roles, set passwords, reset second factors, archive and restore users.',
  )
  for (const each of [
    list(),
    listRoles(),
    create(),
    password(),
    resetSecondFactor(),
    setting(false),
    setting(true),
  ])
    part.addCommand(withConfig(withJson(each), 'shared'))
  return part
}
