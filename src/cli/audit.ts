// comptoir audit: writes the audit log of a database out, to be kept elsewhere.
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { StartupError } from '../errors.ts'
import { withDatabases } from './databases.ts'
import { withConfig } from './options.ts'

interface ExportOptions {
  readonly database: string
  readonly since?: string
  readonly until?: string
  readonly after?: string
  readonly follow?: true
}

const wrong = (message: string): StartupError => new StartupError(message, { exitCode: 2 })

/** The command `audit` with its one subcommand. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('Give the audit log of a database to those who keep it elsewhere.')
    .addCommand(withConfig(exporting(), 'shared'))
}

function exporting(): Command {
  return new Command('export')
    .description('Write entries to the standard output, in the order of the chain, a line of JSON each.')
    .requiredOption('--database <name>', 'database to look into')
    .option('--since <time>', 'entries from this moment on, such as 2026-01-31T00:00:00Z')
    .option('--until <time>', 'entries before this moment')
    .option('--after <position>', 'entries behind this place of the chain: that of the last line one has')
    .option('--follow', 'go on with entries as they come, until it is stopped')
    .addHelpText(
      'after',
      '\nEach line has its place in the chain (position) and its hash. The command runs beside a server that serves, and holds few lines at a time.\n\n  $ npx comptoir audit export --database shop --since 2026-01-01T00:00:00Z > audit.ndjson\n  $ npx comptoir audit export --database shop --after 4711 --follow | vector',
    )
    .action(async (options: ExportOptions, self: Command) => {
      const span = {
        after: positionOf(options.after),
        since: momentOf('since', options.since),
        until: momentOf('until', options.until),
      }
      await withDatabases(self, async (databases) => {
        const { auditLines, sealDatabase } = await import('../services/audit/lines.ts')
        const database = await databases.database(options.database)
        const stopping = new AbortController()
        if (options.follow)
          for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
        for (let { after } = span; ; ) {
          if (!(await sealDatabase(database)))
            throw new StartupError(
              'The database is of an earlier build: upgrade it first (comptoir module upgrade).',
            )
          for await (const { lines, position } of auditLines(database, { ...span, after })) {
            after = position
            if (!process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain')
          }
          if (!options.follow || stopping.signal.aborted) return
          await sleep(1000, undefined, { signal: stopping.signal }).catch(() => undefined)
        }
      })
    })
}

/** Throws StartupError for a text that is no place. */
function positionOf(text = '0'): number {
  if (!/^\d{1,15}$/.test(text)) throw wrong('--after must be a place in the chain, such as 4711.')
  return Number(text)
}

/** Throws StartupError for a text that is no moment. */
function momentOf(name: 'since' | 'until', text: string | undefined): string | null {
  if (text === undefined) return null
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(moment)) throw wrong(`--${name} must be a moment, such as 2026-01-31T00:00:00Z.`)
  return new Date(moment).toISOString()
}
