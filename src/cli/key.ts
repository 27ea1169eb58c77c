// comptoir key: API keys, made where the server runs and so without a password.
import { Command, InvalidArgumentError } from 'commander'
import { answer, withJson } from './answer.ts'
import { withDatabases } from './databases.ts'
import { withConfig } from './options.ts'

/** Keys live three months at most (spec/external-api.md, "API key"). */
const LONGEST = 90

function days(text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= LONGEST)) throw new InvalidArgumentError(`It must be a number of days up to ${LONGEST}.`)
  return value
}

/** The command `key` with its only command `create`. */
export function keyCommand(): Command {
  const create = new Command('create')
    .description('Make an API key for a user and print it, alone on the last line. It is shown this once and cannot be retrieved.')
    .requiredOption('--database <name>', 'database of the user')
    .requiredOption('--login <login>', 'login of the user who will own the key')
    .option('--scope <scope>', 'what the key opens: rpc for calls only; without a scope it opens everything')
    .option('--name <text>', 'what the key is for', 'command line')
    .option('--days <number>', `days until it expires, at most ${LONGEST}`, days, LONGEST)
    .action(async (given: { database: string; login: string; scope?: string; name: string; days: number }, command: Command) => {
      const key = await withDatabases(command, async (databases) => {
        const { createKey } = await import('../services/admin.ts')
        return createKey(databases, given.database, given.login, { scope: given.scope ?? null, name: given.name, days: given.days })
      })
      answer(command, key, { database: given.database, login: given.login, scope: given.scope ?? null, key })
    })
  return new Command('key').description('Make API keys.').addCommand(withConfig(withJson(create), 'shared'))
}
