// comptoir doctor: checks a set-up, and suggests changes.
import { styleText } from 'node:util'
import { Command, InvalidArgumentError } from 'commander'
import { StartupError } from '../errors.ts'
import { createLog } from '../http/log.ts'
import type { Finding } from '../services/doctor/index.ts'
import { withJson } from './answer.ts'
import { keepingArchive } from './databases.ts'
import { configOf, withConfig } from './options.ts'
import { withProgress } from './progress.ts'

const help = `
It checks the machine, the connection to PostgreSQL (or its pooler), the server's version and settings, clocks, latency, commits, each database and a sample of its contents, with the
same settings as serve, which may be running or not. Nothing is changed.
Each line says good, advice (slower or less safe than it could be) or wrong, and what to change. It ends with 1 when something is wrong.

  $ npx comptoir doctor --database-url postgres://comptoir@db.internal/ --nodes 3 --workers 2`

function nodes(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a number of nodes.')
  return Number(text)
}

/** The command `doctor`. */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('Check a set-up, and suggest changes.')
    .option('--nodes <number>', 'nodes that use the same PostgreSQL, for the sum of connections', nodes, 1)
    .option('--all', 'show passed checks too')
    .option('--every-content', 'compare every content of attachments with its hash, not a sample')
    .addHelpText('after', help)
    .action(
      async (options: { nodes: number; all?: true; everyContent?: true; json?: true }, self: Command) => {
        const config = configOf(self)
        const [{ openDatabases }, { examineServer: examine }] = await Promise.all([
          import('../opening.ts'),
          import('../services/doctor/index.ts'),
        ])
        const open = () =>
          openDatabases(keepingArchive(config), { ...createLog(config.log), info: () => undefined })
        const findings = await withProgress('Checking', (progress) =>
          examine(
            { config, nodes: options.nodes, everyContent: options.everyContent ?? false, open },
            progress,
          ),
        )
        const wrong = findings.filter(({ verdict }) => verdict === 'wrong').length
        if (options.json) console.log(JSON.stringify({ command: 'doctor', ok: wrong === 0, findings }))
        else console.log(shown(findings, options.all ?? false))
        // The findings were printed above.
        if (wrong) throw new StartupError('', { exitCode: 1 })
      },
    )
  return withConfig(withJson(command), 'all')
}

const COLORS = { good: 'green', advice: 'yellow', wrong: 'red' } as const

function shown(findings: readonly Finding[], all: boolean): string {
  const count = (which: Finding['verdict']) => findings.filter(({ verdict }) => verdict === which).length
  const listed = findings.filter(({ verdict }) => all || verdict !== 'good')
  const width = Math.max(0, ...listed.map(({ check }) => check.length))
  const lines = listed.map(({ check, verdict, found: measured, change }) =>
    [
      `${styleText(COLORS[verdict], verdict.padEnd(6))}  ${check.padEnd(width)}  ${measured}`,
      ...(change ? [`${' '.repeat(10 + width)}${change}`] : []),
    ].join('\n'),
  )
  return [...lines, `${count('good')} good, ${count('advice')} to consider, ${count('wrong')} wrong`].join(
    '\n',
  )
}
