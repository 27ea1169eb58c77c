// comptoir verify: checks the chains of sealed entries, till orders and sessions.
import { styleText } from 'node:util'
import { Command } from 'commander'
import { StartupError } from '../errors.ts'
import type { Verified } from '../services/verify.ts'
import { withJson } from './answer.ts'
import { withDatabases } from './databases.ts'
import { withConfig } from './options.ts'
import { withProgress } from './progress.ts'
import { table } from './table.ts'

const help = `
Posted entries of sealed journals, paid till orders with their lines and payments, and closed sessions are sealed in chains: each has the SHA-256 of the one before
it and of its own content. The command reads all of them, and names of each chain the first record that was changed, is missing or was inserted. Nothing is
changed, and the server may run meanwhile. It ends with 1 when a chain is broken.

It cannot see records that were never sealed (the column "not sealed" counts them), nor a chain that a superuser of PostgreSQL
rewrote to its end, or removed as a whole. To detect that too, keep the number of sealed records and the last hash elsewhere once a month.

  $ npx comptoir verify --database shop
  $ npx comptoir verify --all --json`

interface VerifyOptions {
  database?: string
  all?: true
  json?: true
}

/** The command `verify`. */
export function verifyCommand(): Command {
  const command = new Command('verify')
    .description('Check the chains of sealed entries, till orders and sessions.')
    .option('--database <name>', 'database to check')
    .option('--all', 'check all databases')
    .addHelpText('after', help)
    .action(async ({ database, all, json }: VerifyOptions, self: Command) => {
      if (!database === !all) self.error('error: use either --database NAME or --all')
      const verified = await withDatabases(self, async (databases) => {
        const { verifyDatabase } = await import('../services/verify.ts')
        const names = database ? [database] : await databases.list()
        return withProgress('Checking', async (progress) => {
          const results: Verified[] = []
          for (const [i, name] of names.entries()) {
            progress(name, i / names.length)
            results.push(await verifyDatabase(databases, name))
          }
          return results
        })
      })
      const ok = verified.every((result) => result.ok)
      if (json) console.log(JSON.stringify({ command: 'verify', ok, databases: verified }))
      else console.log(verified.map(shown).join('\n\n'))
      // The breaks have been printed.
      if (!ok) throw new StartupError('', { exitCode: 1 })
    })
  return withConfig(withJson(command), 'shared')
}

function shown({ database, chains }: Verified): string {
  const rows = chains.map(({ name, sealed, unsealed, hash, break: broken }) => [
    broken ? 'broken' : 'whole',
    ...[name, sealed, unsealed, hash],
  ])
  const breaks = chains.flatMap(({ name, break: broken }) => (broken ? `${name}: ${broken.message}` : []))
  return [
    `${database}: ${chains.length} ${chains.length === 1 ? 'chain' : 'chains'}, ${breaks.length} broken`,
    ...(rows.length ? [table(['chain', 'of', 'sealed', 'not sealed', 'last hash'], rows)] : []),
    // Names are texts of users: nothing in them moves the cursor.
    ...breaks.map((line) => styleText('red', line.replaceAll(/\p{C}+/gu, ' '))),
  ].join('\n')
}
