// comptoir key: creates, lists and revokes API keys on the server's machine, and so without a password.
import { Command, InvalidArgumentError } from 'commander'
import { StartupError } from '../errors.ts'
import type { KeyChanges, ListedKey } from '../services/keys.ts'
import { answer, withJson } from './answer.ts'
import { inDatabase, withDatabase } from './databases.ts'
import { withConfig } from './options.ts'
import { table } from './table.ts'

/** Keys live three months at most (spec/external-api.md, "API key"). */
const LONGEST = 90

function days(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= LONGEST))
    throw new InvalidArgumentError(`It must be a number of days up to ${LONGEST}.`)
  return value
}

/** The command `key` with its commands. */
export function keyCommand(): Command {
  const create = withDatabase(new Command('create'), 'database of the user')
    .description('Create an API key for a user and print it, alone on the last line. It is shown only once.')
    .requiredOption('--login <login>', 'login of the user who will own the key')
    .option(
      '--scope <scope>',
      'scope: rpc for calls only, see `comptoir key restrict --help` for more; without a scope the key may do everything its user may',
    )
    .option('--name <text>', 'what the key is for', 'command line')
    .option('--days <number>', `days until it expires, at most ${LONGEST}`, days, LONGEST)
    .action(
      async (options: { login: string; scope?: string; name: string; days: number }, command: Command) => {
        const { login, scope = null, name, days } = options
        const created = await inDatabase(command, async (run, database) => {
          const key = await run('createKey', database, login, { scope, name, days })
          return { database, login, scope, key }
        })
        answer(command, created.key, created)
      },
    )
  const part = new Command('key').description('Create, list, narrow and revoke API keys.')
  for (const command of [create, list(), restrict(), revoke()])
    part.addCommand(withConfig(withJson(command), 'shared'))
  return part
}

function list(): Command {
  return withDatabase(new Command('list'), 'database of the keys')
    .description('List API keys with their ids, by expiry; with --json as an array of objects.')
    .option('--login <login>', 'keys of this user only')
    .action(async (options: { login?: string; json?: true }, self: Command) => {
      const keys = await inDatabase(self, (run, database) => run('listKeys', database, options.login ?? null))
      if (options.json) return console.log(JSON.stringify(keys))
      const rows = keys.map((key) => {
        const { id, login, name, scope, addresses, expires, last_used, valid } = key
        return [
          id,
          login,
          name,
          scope ?? 'everything',
          addresses ?? 'everywhere',
          limitsOf(key),
          `${expires ?? 'never'}${valid ? '' : ' (opens nothing)'}`,
          last_used ?? 'never',
        ]
      })
      if (rows.length)
        console.log(
          table(['id', 'login', 'name', 'scope', 'from', 'limits', 'ends (UTC)', 'last used (UTC)'], rows),
        )
      else console.error('There are no API keys. `comptoir key create` creates one.')
    })
}

/** Limits of a key, in a few words. */
function limitsOf({ rate, burst, concurrency, idempotency_required, replica, budget }: ListedKey): string {
  const parts = [
    rate,
    burst && `${burst} a second`,
    concurrency && `${concurrency} at a time`,
    idempotency_required && 'Idempotency-Key',
    replica && 'replica',
    budget && `${budget} kB to agents`,
  ]
  return parts.filter(Boolean).join(', ') || 'none'
}

const scopes = `
A scope is rpc, followed by tokens that each restrict it, separated by spaces:
  read                        only methods that read
  dry                         every call is a dry run
  model:sale.*:rw             only these models; letters: read, write, create, delete; may be repeated
  method:sale.order/read      these methods only
  company:3                   only records of this company
  batch changes webhooks jobs mcp mcp:write   besides calls, only these APIs`

function restrict(): Command {
  return withDatabase(new Command('restrict'), 'database of the key')
    .description('Change scope, addresses and limits of an API key, from the next call on, on every node.')
    .argument('<id>', 'id of the key, as `comptoir key list` shows it', keyId)
    .option('--scope <scope>', 'new scope, see below')
    .option(
      '--addresses <ranges>',
      "address ranges that may use the key, such as '10.0.0.0/8 2001:db8::/32'; '' for all",
    )
    .option('--rate <calls/time>', "rate limit, such as 600/60s; '' for none")
    .option('--burst <number>', 'calls per second; 0 for no limit', Number)
    .option('--concurrency <number>', 'concurrent calls; 0 for no limit', Number)
    .option('--idempotency-required <yes|no>', 'whether its writes need the header Idempotency-Key')
    .option('--replica <yes|no>', 'whether calls that only read may be answered by a replica (--replica-url)')
    .option(
      '--budget <kB>',
      'size of responses to agents in kilobytes, at most 200; 0 for the default of 40',
      Number,
    )
    .addHelpText('after', scopes)
    .action(async (id: number, options: Restricted, self: Command) => {
      const { idempotencyRequired, replica } = options
      const wanted = {
        ...chosen(options),
        ...(idempotencyRequired === undefined
          ? {}
          : { idempotency_required: flag('--idempotency-required', idempotencyRequired) }),
        ...(replica === undefined ? {} : { replica: flag('--replica', replica) }),
      }
      if (Object.keys(wanted).length === 0)
        throw new StartupError(
          'Nothing to change: use at least one of --scope, --addresses, --rate, --burst, --concurrency, --idempotency-required, --replica, --budget.',
          { exitCode: 2 },
        )
      const database = await inDatabase(self, async (run, name) => {
        await run('restrictKey', name, id, wanted)
        return name
      })
      answer(self, `restricted key ${id}`, { database, key: id, ...wanted })
    })
}

interface Restricted extends Omit<KeyChanges, 'idempotency_required' | 'replica'> {
  readonly json?: true
  readonly idempotencyRequired?: string
  readonly replica?: string
}

/** Of all options that the command has, those about the key. */
const chosen = ({ scope, addresses, rate, burst, concurrency, budget }: Restricted): KeyChanges =>
  Object.fromEntries(
    Object.entries({ scope, addresses, rate, burst, concurrency, budget }).filter(
      ([, value]) => value !== undefined,
    ),
  )

function flag(option: string, text: string): boolean {
  if (text === 'yes' || text === 'no') return text === 'yes'
  throw new StartupError(`${option} must be yes or no.`, { exitCode: 2 })
}

function revoke(): Command {
  return withDatabase(new Command('revoke'), 'database of the keys')
    .description('Revoke API keys: from the next call on, every node refuses them.')
    .argument(
      '[ids...]',
      'ids of the keys, as `comptoir key list` shows them',
      (id: string, before: number[] | undefined) => [...(before ?? []), keyId(id)],
    )
    .option('--login <login>', 'all keys of this user instead')
    .action(async (ids: number[] | undefined, { login }: { login?: string }, self: Command) => {
      const chosen = ids ?? []
      if ((login === undefined) === (chosen.length === 0))
        throw new StartupError('Specify the keys to revoke: their ids, or --login for all keys of a user.', {
          exitCode: 2,
        })
      const { database, gone } = await inDatabase(self, async (run, name) => {
        const which = login === undefined ? { ids: chosen } : { login }
        return { database: name, gone: await run('revokeKeys', name, which) }
      })
      const line =
        gone.length === 0
          ? 'no API key was revoked: the user has none'
          : `revoked ${gone.length === 1 ? 'key' : 'keys'} ${gone.join(', ')}`
      answer(self, line, { database, keys: gone })
    })
}

/** The id of an argument. */
export function keyId(text: string): number {
  const id = Number(text)
  if (!(/^\d{1,10}$/.test(text) && id > 0 && id < 2 ** 31))
    throw new InvalidArgumentError('It must be the id of a key.')
  return id
}
