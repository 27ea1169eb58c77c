// comptoir audit: writes the audit log of a database out, to be kept elsewhere, and checks what was kept.
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { StartupError } from '../errors.ts'
import type { KeptChain, KeptLines } from '../services/audit/exported-lines.ts'
import { withJson } from './answer.ts'
import { withDatabases } from './databases.ts'
import { withConfig } from './options.ts'
import { table } from './table.ts'

interface ExportOptions {
  readonly database: string
  readonly since?: string
  readonly until?: string
  readonly after?: string
  readonly follow?: true
}

const wrong = (message: string): StartupError => new StartupError(message, { exitCode: 2 })

/** The command `audit` with its subcommands. */
export function auditCommand(): Command {
  return new Command('audit')
    .description('Export and verify the audit log of a database.')
    .addCommand(withConfig(exporting(), 'shared'))
    .addCommand(withConfig(verifying(), 'shared'))
}

function exporting(): Command {
  return new Command('export')
    .description('Write entries to standard output in the order of the chain, one line of JSON each.')
    .requiredOption('--database <name>', 'database of the log')
    .option('--since <time>', 'entries from this time on, such as 2026-01-31T00:00:00Z')
    .option('--until <time>', 'entries before this time')
    .option('--after <position>', 'entries after this position of the chain: that of the last exported line')
    .option('--follow', 'continue with new entries until stopped')
    .addHelpText(
      'after',
      '\nEach line has its place in the chain (position) and its hash. The command may run while the server runs, and uses little memory.\n\n  $ npx comptoir audit export --database shop --since 2026-01-01T00:00:00Z > audit.ndjson\n  $ npx comptoir audit export --database shop --after 4711 --follow | vector',
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
              'The database was created by an earlier build: upgrade it first (comptoir module upgrade).',
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

const verifyHelp = `
The files are what "audit export", --audit-log or a collector wrote, from the oldest to the newest; - is the standard input. Each line is hashed with the hash of the line before
it: one that was changed, removed or put in is named. No database is needed. With --database the last line is compared with the chain of the database besides: a chain that was
written anew there, or a database that was put back to an earlier backup, has another hash at its place. It ends with 1 when something is wrong.

Where the files do not begin at place 1, the hash of their first line is taken as it is. Lines about whole databases are in no chain.

  $ npx comptoir audit verify audit-2025.ndjson audit-2026.ndjson
  $ npx comptoir audit verify audit.ndjson --database shop`

interface VerifyOptions {
  readonly database?: string
  readonly json?: true
}

function verifying(): Command {
  return withJson(new Command('verify'))
    .description('Verify exported lines of an audit log.')
    .argument('<file...>', 'files of lines, from the oldest to the newest')
    .option('--database <name>', 'database to compare the last of its lines with')
    .addHelpText('after', verifyHelp)
    .action(async (files: string[], { database, json }: VerifyOptions, self: Command) => {
      const { KeptLines } = await import('../services/audit/exported-lines.ts')
      const kept = new KeptLines()
      for (const file of files) await readLines(file, kept)
      const { chains, outside, unreadable } = kept
      const problems = [
        ...(unreadable ? [unreadable.message] : []),
        ...chains.flatMap(({ database, problem }) => (problem ? [`${database}: ${problem.message}`] : [])),
        ...(database === undefined ? [] : await compared(self, database, chains)),
      ]
      const ok = problems.length === 0
      if (json) console.log(JSON.stringify({ command: 'audit verify', ok, chains, outside, problems }))
      else console.log(shown(chains, outside, problems))
      // The problems have been printed.
      if (!ok) throw new StartupError('', { exitCode: 1 })
    })
}

/** Lines end with a line feed and nothing else: texts in JSON may have other ends of lines. */
async function readLines(file: string, kept: KeptLines): Promise<void> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  let rest = ''
  try {
    for await (const piece of input.setEncoding('utf8')) {
      const lines = `${rest}${piece}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) kept.take(line)
    }
  } catch (error) {
    throw wrong(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (rest) kept.take(rest)
}

/** Differences between the database and the last of its lines. */
async function compared(self: Command, name: string, chains: readonly KeptChain[]): Promise<string[]> {
  const chain = chains.find(({ database }) => database === name)
  if (!chain) return [`${name}: the files have no line of this database.`]
  const hash = await withDatabases(self, async (databases) => {
    const { hashAt } = await import('../services/audit/lines.ts')
    return hashAt(await databases.database(name), chain.to)
  })
  if (hash === chain.hash) return []
  return [
    hash === null
      ? `${name}: the database has no entry at position ${chain.to}: entries were removed, or an earlier backup was restored.`
      : `${name}: the database has another hash at position ${chain.to}: its chain or the lines were rewritten.`,
  ]
}

function shown(chains: readonly KeptChain[], outside: number, problems: readonly string[]): string {
  const rows = chains.map(({ database, from, to, lines, hash, problem }) => [
    problem ? 'broken' : 'whole',
    ...[database, `${from} to ${to}`, lines, hash],
  ])
  return [
    ...(rows.length
      ? [table(['lines', 'of', 'places', 'number', 'last hash'], rows)]
      : ['The files contain no line of a chain: check which files were given.']),
    ...(outside ? [`${outside} about whole databases, in no chain`] : []),
    // Names are texts of users: nothing in them moves the cursor.
    ...problems.map((line) => styleText('red', line.replaceAll(/\p{C}+/gu, ' '))),
  ].join('\n')
}

/** Throws StartupError for a text that is no place. */
function positionOf(text = '0'): number {
  if (!/^\d{1,15}$/.test(text)) throw wrong('--after must be a position in the chain, such as 4711.')
  return Number(text)
}

/** Throws StartupError for a text that is no moment. */
function momentOf(name: 'since' | 'until', text: string | undefined): string | null {
  if (text === undefined) return null
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(moment)) throw wrong(`--${name} must be a date and time, such as 2026-01-31T00:00:00Z.`)
  return new Date(moment).toISOString()
}
