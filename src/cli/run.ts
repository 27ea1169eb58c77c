// The command line as a function: parses arguments, runs one command, and turns failures into one line and
// an exit code.
import { readFileSync } from 'node:fs'
import { styleText } from 'node:util'
import { Command, CommanderError } from 'commander'
import { ServiceError, StartupError } from '../errors.ts'
import { auditCommand } from './audit.ts'
import { backupCommand } from './backup.ts'
import { clusterCommand } from './cluster.ts'
import { dbCommand } from './db.ts'
import { devCommand } from './dev.ts'
import { doctorCommand } from './doctor.ts'
import { keyCommand } from './key.ts'
import { moduleCommand } from './module.ts'
import { exportCommand, importCommand } from './rows.ts'
import { serveCommand } from './serve.ts'
import { typesCommand } from './types.ts'
import { userCommand } from './user.ts'
import { verifyCommand } from './verify.ts'
import { webhooksCommand } from './webhooks.ts'

/** The whole command line; every command is a file next to this one. */
function program(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const command = new Command('comptoir')
    .description('A business server for shops: models in PostgreSQL, served over the JSON-2 API.')
    .version(version)
    .showHelpAfterError('(run the command with --help for its options)')
    .addHelpText(
      'after',
      '\nEvery option of serve has an environment variable (--data-dir is COMPTOIR_DATA_DIR) and a line in the optional configuration file,\na JSON object such as {"port": 8080, "data-dir": "/var/lib/comptoir"}: --config, COMPTOIR_CONFIG or comptoir.json in the data directory.',
    )
  for (const part of [
    serveCommand(),
    devCommand(),
    dbCommand(),
    backupCommand(),
    clusterCommand(),
    userCommand(),
    keyCommand(),
    moduleCommand(),
    webhooksCommand(),
    auditCommand(),
    typesCommand(),
    importCommand(),
    exportCommand(),
    doctorCommand(),
    verifyCommand(),
  ])
    command.addCommand(part)
  return inherit(command)
}

/** Subcommands fail by exception like their parent, so that this program sets the exit code. */
function inherit(command: Command): Command {
  command.exitOverride()
  for (const part of command.commands) inherit(part.copyInheritedSettings(command))
  return command
}

/** Runs the command line; resolves to the exit code: 0 done, 1 failed, 2 wrongly called. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    // An error without a message was already printed by the failing process.
    if (error instanceof StartupError && error.message === '') return error.exitCode
    console.error(`${styleText('red', 'comptoir:', { stream: process.stderr })} ${sentence(error)}`)
    if (process.env.COMPTOIR_DEBUG) console.error(error)
    return error instanceof StartupError ? error.exitCode : 1
  }
}

/** The reason of a failure, in one line. */
function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const isExpected = error instanceof StartupError || error instanceof ServiceError
  const words = isExpected ? message : (refusedBySystem(error) ?? `unexpected failure: ${message}`)
  return words.replaceAll(/\s*\n\s*/g, ' ')
}

/** Why the system refuses a file or a folder, and PostgreSQL a table. */
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; run as the account that owns it',
  EPERM: 'permission denied; run as the account that owns it',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this account is used up',
}

/** The message for an error that an administrator can correct; null for an error of the program. */
function refusedBySystem(error: unknown): string | null {
  const { code = '', path, message } = error as NodeJS.ErrnoException
  if (code === '42501')
    return `PostgreSQL denies this to the role of --database-url: ${message}; use the role that created the database`
  return path && REFUSALS[code] ? `Cannot use ${path}: ${REFUSALS[code]}.` : null
}
