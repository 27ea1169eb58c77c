// comptoir db: makes, lists, drops, duplicates and renames databases. Whoever can run it needs no master password.
import { Command } from 'commander'
import { UserError } from '../errors.ts'
import { withDatabases } from './databases.ts'
import { withConfig } from './options.ts'
import { withProgress } from './progress.ts'

interface CreateOptions {
  modules?: string
  demo?: true
  login: string
  password: string
  lang: string
  country?: string
  phone?: string
}

function create(): Command {
  return new Command('create')
    .description('Make a database with its administrator.')
    .argument('<name>', 'name: letters, digits, dots, dashes and underscores')
    .option('--modules <names>', 'modules to install, separated by commas')
    .option('--demo', 'with demonstration data')
    .option('--login <login>', 'login of the administrator', 'admin')
    .option('--password <password>', 'password of the administrator', 'admin')
    .option('--lang <code>', 'language', 'en_US')
    .option('--country <code>', 'country of the company, two letters')
    .option('--phone <number>', 'phone number of the company')
    .action(async (name: string, given: CreateOptions, self: Command) => {
      const modules = (given.modules ?? '').split(',').map((part) => part.trim())
      await withDatabases(self, (databases) =>
        withProgress(`Creating ${name}`, (progress) =>
          databases.create(name, {
            modules: modules.filter(Boolean),
            demo: given.demo ?? false,
            login: given.login,
            password: given.password,
            lang: given.lang,
            country: given.country,
            phone: given.phone,
            progress,
          }),
        ),
      )
      console.log(`created ${name}`)
    })
}

function list(): Command {
  return new Command('list').description('List the databases, one a line.').action(async (_given: object, self: Command) => {
    for (const name of await withDatabases(self, (databases) => databases.list())) console.log(name)
  })
}

function drop(): Command {
  return new Command('drop')
    .description('Drop a database and its files, for good.')
    .argument('<name>', 'database')
    .action(async (name: string, _given: object, self: Command) => {
      const dropped = await withDatabases(self, (databases) => withProgress(`Dropping ${name}`, () => databases.drop(name)))
      if (!dropped) throw new UserError(`There is no database ${name}.`)
      console.log(`dropped ${name}`)
    })
}

function duplicate(): Command {
  return new Command('duplicate')
    .description('Copy a database with its files, users and keys.')
    .argument('<name>', 'database to copy')
    .argument('<new>', 'name of the copy')
    .option('--neutralize', 'the copy sends nothing to the outside')
    .action(async (name: string, copy: string, given: { neutralize?: true }, self: Command) => {
      await withDatabases(self, (databases) =>
        withProgress(`Copying ${name} to ${copy}`, () => databases.duplicate(name, copy, { neutralize: given.neutralize ?? false })),
      )
      console.log(`copied ${name} to ${copy}`)
    })
}

function rename(): Command {
  return new Command('rename')
    .description('Give a database another name.')
    .argument('<name>', 'database')
    .argument('<new>', 'new name')
    .action(async (name: string, next: string, _given: object, self: Command) => {
      await withDatabases(self, (databases) => databases.rename(name, next))
      console.log(`renamed ${name} to ${next}`)
    })
}

/** The command `db` with its commands. */
export function dbCommand(): Command {
  const part = new Command('db').description('Make, list, drop, duplicate and rename databases; beside a running server or without one.')
  for (const command of [create(), list(), drop(), duplicate(), rename()]) part.addCommand(withConfig(command, 'shared'))
  return part
}
