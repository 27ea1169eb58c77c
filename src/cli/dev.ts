// comptoir dev: the command; what it does is in dev/, which is loaded when it runs.
import { Command } from 'commander'
import { StartupError } from '../errors.ts'
import { configOf, withConfig } from './options.ts'

const help = `
It takes the options of serve; --addons names the modules to work on. Their database is created if it does not exist: with the modules of --addons
installed, the administrator admin with the password admin, and a key that is printed once.

  $ npx comptoir dev --addons ./loyalty --demo

Whenever a file of these modules changes (programs, data, translations; not tests), it loads them in a new process, installs and upgrades them in the
database, and hands the port over. If that fails it says why, and the previous server goes on answering. Where the project has TypeScript and a
tsconfig.json, it also runs the compiler and prints its errors, which do not stop the server.`

/** The command `dev`. */
export function devCommand(): Command {
  const command = new Command('dev')
    .description(
      'Serve while you write modules: restarts, and upgrades the database, when one of their files changes.',
    )
    .option('--database <name>', 'database to work in', 'dev')
    .option('--demo', 'create the database with sample records')
    .option('--watch <paths>', 'further files and folders to watch, separated by commas')
    .option('--no-types', 'do not run the compiler')
    .addHelpText('after', help)
    .action(
      async (
        {
          database,
          demo = false,
          watch = '',
          types,
        }: { database: string; demo?: boolean; watch?: string; types: boolean },
        self: Command,
      ) => {
        const config = configOf(self)
        if (config.addons.length === 0)
          throw new StartupError('Set the modules to work on with --addons, such as --addons ./loyalty.', {
            exitCode: 2,
          })
        const { develop } = await import('./dev/develop.ts')
        const paths = watch
          .split(',')
          .map((path) => path.trim())
          .filter(Boolean)
        await develop({ config, database, demo, watch: paths, types })
      },
    )
  return withConfig(command, 'all')
}
