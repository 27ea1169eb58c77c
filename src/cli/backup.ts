// comptoir backup: recovery of the embedded server to any moment. Archiving begins, base backups, restore
// points, and restores into a new data directory.
import { resolve } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { StartupError } from '../errors.ts'
import type { Target } from '../postgres/embedded/index.ts'
import { answer, withJson } from './answer.ts'
import { withServerFiles } from './databases.ts'
import { configOf, withConfig } from './options.ts'
import { withProgress } from './progress.ts'
import { table } from './table.ts'

const help = `
Covers all databases of the embedded server, to the second, as far as the archived log reaches; \`comptoir db backup\` writes a portable backup of one database.

  $ npx comptoir backup init --backup-dir /mnt/backups/shop
  $ npx comptoir backup restore /var/lib/comptoir-new --backup-dir /mnt/backups/shop --to '2026-11-23 09:14:00'`

/** The command \`backup\` with its commands. */
export function backupCommand(): Command {
  const part = new Command('backup')
    .description('Archive the embedded server, and restore it to a point in time.')
    .addHelpText('after', help)
  for (const command of [init(), base(), point(), list(), checked(), restore(), prune(), off()])
    part.addCommand(withConfig(withJson(command), 'shared'))
  return part
}

const rooms = () => import('../databases/index.ts')

/** The folder of the settings, or else of the data directory. Throws StartupError where there is neither. */
async function folderOf(command: Command): Promise<string> {
  const { backupDir, dataDir } = configOf(command)
  const { archiveNoted } = await import('../postgres/embedded/index.ts')
  const folder = backupDir ?? (await archiveNoted(dataDir))?.folder
  if (!folder)
    throw new StartupError('There are no archived backups: set the backup folder with --backup-dir.')
  return folder
}

/** Runs work with the backups of the data directory, whose server runs meanwhile. */
async function withBackups<T>(
  command: Command,
  work: (backups: InstanceType<Awaited<ReturnType<typeof rooms>>['Backups']>) => Promise<T>,
  options?: { readonly setsArchive: boolean },
): Promise<T> {
  const { Backups } = await rooms()
  const { backupDir } = configOf(command)
  return withServerFiles(
    command,
    ({ archive, options: { dataDir } }) => {
      if (!archive)
        throw new StartupError(
          'There are no archived backups. Start with `comptoir backup init --backup-dir DIRECTORY`.',
        )
      if (backupDir && backupDir !== archive.folder)
        throw new StartupError(
          `The server archives into ${archive.folder}, not into ${backupDir}. Leave --backup-dir out, or start serve with it first.`,
        )
      return work(new Backups(dataDir, archive))
    },
    options,
  )
}

function init(): Command {
  return new Command('init')
    .description('Start archiving into --backup-dir, and take a first base backup.')
    .action(async (_given: object, self: Command) => {
      if (!configOf(self).backupDir)
        throw new StartupError('Set the backup folder with --backup-dir, preferably on another disk.', {
          exitCode: 2,
        })
      const { label } = await withBackups(
        self,
        (backups) => withProgress('Base backup', (progress) => backups.base(progress)),
        { setsArchive: true },
      )
      answer(self, `archiving; base backup ${label}`, { base: label })
    })
}

function base(): Command {
  return new Command('base')
    .description('Take a base backup now; serve takes one every --backup-every.')
    .action(async (_given: object, self: Command) => {
      const taken = await withBackups(self, (backups) =>
        withProgress('Base backup', (progress) => backups.base(progress)),
      )
      answer(self, `base backup ${taken.label}, ${megabytes(taken.bytes)}`, { ...taken })
    })
}

function point(): Command {
  return new Command('point')
    .description('Create a restore point with a name, such as before-the-import.')
    .argument('<name>', 'name: letters, digits, dots, dashes and underscores')
    .action(async (name: string, _given: object, self: Command) => {
      const { namePoint } = await rooms()
      const { at } = await withBackups(self, ({ dataDir, archive }) =>
        namePoint(dataDir, archive.folder, name),
      )
      answer(self, `restore point ${name} at ${at}`, { name, at })
    })
}

function list(): Command {
  return new Command('list')
    .description('List base backups, and the times to which each can be restored.')
    .action(async (options: { json?: true }, self: Command) => {
      const { backupsIn, restorePoints } = await rooms()
      const folder = await folderOf(self)
      const [all, named] = [await backupsIn(folder), await restorePoints(folder)]
      if (options.json) return console.log(JSON.stringify({ folder, bases: all, points: named }))
      if (all.length === 0)
        return console.error('There are no base backups. `comptoir backup base` takes one.')
      const rows = all.map(({ label, bytes, ended, reach }) => [
        label,
        megabytes(bytes),
        ended,
        reach.until?.toISOString() ?? 'nothing',
        reach.gap ? `${reach.gap} is missing` : 'whole',
      ])
      console.log(table(['base', 'size', 'restores from', 'archived until', 'log'], rows))
      if (named.length)
        console.log(
          `\n${table(
            ['point', 'at'],
            named.map(({ name, at }) => [name, at]),
          )}`,
        )
    })
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`

function checked(): Command {
  return new Command('verify')
    .description('Restore into a temporary folder, check every page, index and file, and remove it.')
    .argument('[base]', 'label of a base backup; the newest by default')
    .option('--in <directory>', 'folder with room for it (default: the folder for temporary files)')
    .action(async (label: string | undefined, options: { in?: string }, self: Command) => {
      const { verify } = await rooms()
      const folder = await folderOf(self)
      const { wrong, ...report } = await withProgress('Verifying', (progress) =>
        verify({ folder, label, target: null, progress }, options.in && resolve(options.in)),
      )
      const rows = report.databases.map((database) => [
        database.name,
        database.tables,
        database.indexes,
        database.contents,
      ])
      const last = report.last ? `, up to ${report.last}` : ''
      const lines = [
        table(['database', 'tables', 'indexes', 'contents'], rows),
        ...wrong,
        wrong.length ? `${wrong.length} things are wrong` : `base backup ${report.base} is good${last}`,
      ]
      answer(self, lines.join('\n'), { ...report, wrong })
      // The message was printed above.
      if (wrong.length) throw new StartupError('', { exitCode: 1 })
    })
}

interface RestoreGiven {
  to?: Date
  toPoint?: string
  base?: string
  timeline?: number
}

function restore(): Command {
  return new Command('restore')
    .description('Restore into a new data directory, as of a point in time; the running one is not changed.')
    .argument('<directory>', 'the new data directory')
    .option(
      '--to <time>',
      "time to restore to, such as '2026-11-23 09:14:00' (local time) or 2026-11-23T08:14:00Z; default: the end of the archive",
      moment,
    )
    .option('--to-point <name>', 'restore point to restore to, instead of a time')
    .option('--base <label>', 'base backup to start from; default: the newest before that time')
    .option('--timeline <number>', 'timeline to follow, after several restores; the newest by default', whole)
    .action(async (directory: string, options: RestoreGiven, self: Command) => {
      const { to, toPoint, base: label, timeline } = options
      if (to && toPoint) throw new StartupError('--to and --to-point exclude each other.', { exitCode: 2 })
      const { restoreTo } = await rooms()
      const folder = await folderOf(self)
      const target: Target = to ? { time: to } : toPoint ? { point: toPoint } : null
      const restored = await withProgress('Restoring', (progress) =>
        restoreTo(resolve(directory), { folder, target, label, timeline, progress }),
      )
      const rows = restored.databases.map(({ name, contents, missing }) => [name, contents, missing])
      const lines = [
        table(['database', 'contents', 'missing'], rows),
        `restored from ${restored.base}, up to ${restored.last ?? 'the base backup itself'}`,
        `Start the server with --data-dir ${directory}. To archive it, set another folder with --backup-dir.`,
      ]
      answer(self, lines.join('\n'), { ...restored, directory })
    })
}

function moment(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError("It must be a date and time such as '2026-11-23 09:14:00'.")
  return time
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a number.')
  return Number(text)
}

function prune(): Command {
  return new Command('prune')
    .description('Remove files that no restore within the last --backup-keep days needs.')
    .action(async (_given: object, self: Command) => {
      const { backupKeepDays } = configOf(self)
      const gone = await withBackups(self, (backups) => backups.prune(backupKeepDays))
      answer(self, gone.length ? `removed ${gone.join(', ')}` : 'nothing is older', { removed: gone })
    })
}

function off(): Command {
  return new Command('off')
    .description('Stop archiving, at the next stop of the server. Backups stay.')
    .action(async (_given: object, self: Command) => {
      const { endArchive } = await import('../postgres/embedded/index.ts')
      await endArchive(configOf(self).dataDir)
      answer(self, 'archiving ends with the next stop', {})
    })
}
