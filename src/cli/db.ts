// comptoir db: makes, lists, drops, duplicates, renames, neutralizes, backs up and restores databases. The
// right to run the command replaces the master password.
import { constants, createWriteStream } from 'node:fs'
import { access, rename as renameFile, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { pipeline } from 'node:stream/promises'
import { Command } from 'commander'
import { UserError } from '../errors.ts'
import { isCommon } from '../kit/common-passwords.ts'
import { answer, withJson } from './answer.ts'
import { withCommands, withDatabases, withServerFiles } from './databases.ts'
import { withConfig } from './options.ts'
import { type PasswordOptions, passwordOf, withPassword } from './password.ts'
import { withProgress } from './progress.ts'

interface CreateOptions extends PasswordOptions {
  modules?: string
  demo?: true
  login: string
  lang: string
  country?: string
  phone?: string
  cluster?: string
}

function create(): Command {
  return withPassword(new Command('create'), 'the administrator')
    .description('Create a database with its administrator.')
    .argument('<name>', 'name: letters, digits, dots, dashes and underscores')
    .option('--modules <names>', 'modules to install, separated by commas (default none; with --demo all)')
    .option('--demo', 'with demonstration data: the shop of a first run, or the named modules alone')
    .option('--login <login>', 'login of the administrator', 'admin')
    .option('--lang <code>', 'language', 'en_US')
    .option('--country <code>', 'country of the company, two letters')
    .option('--phone <number>', 'phone number of the company')
    .option('--cluster <name>', 'cluster of the new database')
    .action(async (name: string, options: CreateOptions, self: Command) => {
      const modules = options.modules?.split(',').map((part) => part.trim())
      const { password, invented } = passwordOf(options)
      if ([...password].length < SHORT)
        console.error(
          `comptoir: warning: the password is shorter than the ${SHORT} characters that users must choose when they change it`,
        )
      else if (await isCommon(password))
        console.error('comptoir: warning: the password is common: attackers try it first')
      const demo = options.demo ?? false
      const names = await withServerFiles(self, async (databases) => {
        const { shopModules } = await import('../opening.ts')
        await withProgress(`Creating ${name}`, async (progress) =>
          databases.create(name, {
            modules: modules?.filter(Boolean) ?? (demo ? await shopModules() : []),
            demo,
            login: options.login,
            password,
            lang: options.lang,
            country: options.country,
            phone: options.phone,
            cluster: options.cluster,
            progress,
          }),
        )
        return databases.options.defaultDatabase === undefined ? databases.list() : []
      })
      if (names.length === 2) console.error(SECOND)
      if (!invented) return answer(self, `created ${name}`, { database: name })
      const shown = `created ${name}\nlogin     ${options.login}\npassword  ${password}  (not shown again)`
      answer(self, shown, { database: name, login: options.login, password })
    })
}

/** Clients of an only database need not name it; those of two must. */
const SECOND =
  'comptoir: this server has two databases now. Requests that name none are refused with 404: send the header X-Service-Database, or start serve with --default-database NAME or --db-filter.'

/**
 * Least length of passwords once users change theirs (`auth_password_policy.minlength` of a new database).
 */
const SHORT = 8

function list(): Command {
  return new Command('list')
    .description('List the databases, one per line; with --json as an array of objects with their names.')
    .action(async (options: { json?: true }, self: Command) => {
      const names = await withCommands(self, (run) => run('listDatabases'), [])
      if (options.json) console.log(JSON.stringify(names.map((name) => ({ name }))))
      else for (const name of names) console.log(name)
      if (names.length === 0 && !options.json)
        console.error('There is no database yet. `comptoir db create NAME` creates one.')
    })
}

function drop(): Command {
  return new Command('drop')
    .description('Delete a database and its files permanently.')
    .argument('<name>', 'database')
    .option('--yes', 'do not ask for confirmation on a terminal')
    .action(async (name: string, options: { yes?: true }, self: Command) => {
      await assertMeant(name, options.yes ?? false)
      const dropped = await withDatabases(self, (databases) =>
        withProgress(`Deleting ${name}`, () => databases.drop(name)),
      )
      if (!dropped)
        throw new UserError(`Database ${name} not found: \`comptoir db list\` lists all databases.`)
      answer(self, `dropped ${name}`, { database: name })
    })
}

/** Asks for the name again on a terminal; scripts need no confirmation. Throws UserError for another name. */
async function assertMeant(name: string, isSure: boolean): Promise<void> {
  if (isSure || !process.stdin.isTTY) return
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const typed = await terminal.question(
    `This permanently deletes ${name} and its files. Type its name to continue: `,
  )
  terminal.close()
  if (typed.trim() !== name) throw new UserError('The names differ: nothing was deleted.')
}

function duplicate(): Command {
  return new Command('duplicate')
    .description('Copy a database with its files, users and keys.')
    .argument('<name>', 'database to copy')
    .argument('<new>', 'name of the copy')
    .option('--neutralize', 'neutralize the copy: no scheduled actions, no outgoing mail')
    .action(async (name: string, copy: string, options: { neutralize?: true }, self: Command) => {
      await withServerFiles(self, (databases) =>
        withProgress(`Copying ${name} to ${copy}`, () =>
          databases.duplicate(name, copy, { neutralize: options.neutralize ?? false }),
        ),
      )
      answer(self, `copied ${name} to ${copy}`, { database: copy, from: name })
    })
}

function rename(): Command {
  return new Command('rename')
    .description('Rename a database.')
    .argument('<name>', 'database')
    .argument('<new>', 'new name')
    .action(async (name: string, next: string, _given: object, self: Command) => {
      await withDatabases(self, (databases) => databases.rename(name, next))
      answer(self, `renamed ${name} to ${next}`, { database: next, from: name })
    })
}

function move(): Command {
  return new Command('move')
    .description(
      'Move a database to another cluster while it is served: reads go on, writes wait or are refused with Retry-After.',
    )
    .argument('<name>', 'database')
    .argument('<cluster>', 'cluster; main is the server of --database-url')
    .action(async (name: string, cluster: string, _given: object, self: Command) => {
      const { held, closed } = await withDatabases(self, (databases) =>
        withProgress(`Moving ${name} to ${cluster}`, (progress) =>
          databases.move(name, cluster, {}, progress),
        ),
      )
      const seconds = (ms: number) => Number((ms / 1000).toFixed(2))
      const summary = `writes were held for ${seconds(held)} s, all calls for ${seconds(closed)} s`
      answer(self, `moved ${name} to ${cluster}: ${summary}`, {
        database: name,
        cluster,
        heldSeconds: seconds(held),
        closedSeconds: seconds(closed),
      })
    })
}

function neutralize(): Command {
  return new Command('neutralize')
    .description(
      'Disable scheduled actions and outgoing mail of a database, such as a copy, and end its sessions.',
    )
    .argument('<name>', 'database')
    .action(async (name: string, _given: object, self: Command) => {
      await withDatabases(self, (databases) => databases.neutralize(name))
      answer(self, `neutralized ${name}`, { database: name })
    })
}

function backup(): Command {
  return new Command('backup')
    .description('Write a backup of a database with its files to a file; `-` is standard output.')
    .argument('<name>', 'database')
    .argument('<file>', 'file to write')
    .option('--format <format>', "zip, or dump: PostgreSQL's custom format, without files", 'zip')
    .action(async (name: string, file: string, options: { format: string }, self: Command) => {
      if (options.format !== 'zip' && options.format !== 'dump')
        throw new UserError('Invalid format: use zip or dump.')
      const format = options.format
      // With the engine, which help and wrong options do not need.
      const { VERSION } = await import('../services/common.ts')
      await withDatabases(self, async (databases) => {
        if (file === '-') return pipeline(await databases.backup(name, format, VERSION), process.stdout)
        // Written to another file and renamed: a file of this name is always a whole backup.
        const draft = `${file}.${process.pid}.part`
        try {
          await withProgress(`Backing up ${name}`, async (progress) =>
            pipeline(
              await databases.backup(name, format, VERSION, { progress }),
              createWriteStream(draft, { mode: 0o600, flags: 'wx' }),
            ),
          )
          await renameFile(draft, file)
        } catch (error) {
          await rm(draft, { force: true })
          throw unwritable(error, file)
        }
        answer(self, `backed up ${name} to ${file}`, { database: name, file, bytes: (await stat(file)).size })
      })
    })
}

interface RestoreFlags {
  copy?: true
  neutralize?: true
  ignoreMissingModules?: true
  cluster?: string
}

function restore(): Command {
  return new Command('restore')
    .description('Restore a backup into a new database.')
    .argument('<file>', 'file of the backup')
    .argument('<name>', 'name of the new database')
    .option('--copy', 'give it a new identity, because the original stays in use')
    .option('--neutralize', 'neutralize it: no scheduled actions, no outgoing mail')
    .option(
      '--ignore-missing-modules',
      'restore even if modules of the backup are missing here; their data stays unused',
    )
    .option('--cluster <name>', 'cluster of the new database')
    .action(async (file: string, name: string, flags: RestoreFlags, self: Command) => {
      if (!(await isReadable(file))) throw new UserError(`Cannot read ${file}.`)
      const { copy = false, neutralize = false, ignoreMissingModules: ignoreMissing = false } = flags
      const options = { copy, neutralize, ignoreMissing, cluster: flags.cluster }
      const { upgraded, without } = await withServerFiles(self, (databases) =>
        withProgress(`Restoring ${name}`, (progress) =>
          databases.restore(name, file, { ...options, progress }),
        ),
      )
      const notes = [upgraded ? ', upgraded' : '', without.length ? `, without ${without.join(', ')}` : '']
      answer(self, `restored ${name} from ${file}${notes.join('')}`, {
        database: name,
        file,
        upgraded,
        without,
      })
    })
}

/** An error of writing the file, worded for the person who typed its name; any other unchanged. */
function unwritable(error: unknown, file: string): unknown {
  const { code, path } = error as NodeJS.ErrnoException
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'its folder does not exist',
    ENOTDIR: 'its parent is not a folder',
    EISDIR: 'it is a folder',
    EACCES: 'permission denied',
    EROFS: 'the disk is read-only',
    ENOSPC: 'the disk is full',
  }
  const reason = path?.startsWith(file) || code === 'ENOSPC' ? reasons[code ?? ''] : undefined
  return reason ? new UserError(`Cannot write ${file}: ${reason}.`, { cause: error }) : error
}

/** Whether there is a file that may be read. */
async function isReadable(file: string): Promise<boolean> {
  try {
    await access(file, constants.R_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** The command `db` with its commands. */
export function dbCommand(): Command {
  const part = new Command('db').description(
    'Create, list, delete, duplicate, rename, move, neutralize, back up and restore databases, with or without a running server.',
  )
  const commands = [
    create(),
    list(),
    drop(),
    duplicate(),
    rename(),
    move(),
    neutralize(),
    backup(),
    restore(),
  ]
  for (const command of commands) part.addCommand(withConfig(withJson(command), 'shared'))
  return part
}
