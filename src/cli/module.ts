// comptoir module: the business modules of a database.
import { Command } from 'commander'
import { answer, withJson } from './answer.ts'
import { withDatabases, withServerFiles } from './databases.ts'
import { newCommand } from './module-new.ts'
import { upgradeCommand } from './module-upgrade.ts'
import { withConfig } from './options.ts'
import { withProgress } from './progress.ts'

interface Given {
  database: string
  json?: true
}

const command = (name: string, description: string): Command =>
  withConfig(
    withJson(
      new Command(name).description(description).requiredOption('--database <name>', 'database to work on'),
    ),
    'shared',
  )

/** Services of these commands, loaded when one of them runs. */
const admin = () => import('../services/admin.ts')

/** The command `module` with `new`, `list`, `install`, `upgrade` and `uninstall`. */
export function moduleCommand(): Command {
  const list = command(
    'list',
    'List the modules that exist, and which of them are installed; with --json as an array of objects.',
  ).action(async (options: Given, self: Command) => {
    const modules = await withDatabases(self, async (databases) =>
      (await admin()).listModules(databases, options.database),
    )
    if (options.json) return console.log(JSON.stringify(modules))
    const width = Math.max(0, ...modules.map(({ name }) => name.length))
    for (const { name, state, summary } of modules)
      console.log(`${name.padEnd(width)}  ${state.padEnd(11)}  ${summary}`)
  })
  const install = command('install', 'Install modules and those that they need.')
    .argument('<modules...>', 'names of modules')
    .action(async (names: string[], options: Given, self: Command) => {
      await withServerFiles(self, (databases) =>
        withProgress(`Installing ${names.join(', ')}`, async (progress) =>
          (await admin()).installModules(databases, options.database, names, { progress }),
        ),
      )
      answer(self, `installed ${names.join(', ')} in ${options.database}`, {
        database: options.database,
        modules: names,
      })
    })
  const upgrade = upgradeCommand(command)
  const uninstall = command('uninstall', 'Remove modules with their tables, columns and data permanently.')
    .argument('<modules...>', 'modules to remove; refused if another installed module depends on one of them')
    .action(async (names: string[], options: Given, self: Command) => {
      await withDatabases(self, (databases) =>
        withProgress(`Uninstalling ${names.join(', ')}`, async () =>
          (await admin()).uninstallModules(databases, options.database, names),
        ),
      )
      answer(self, `uninstalled ${names.join(', ')} from ${options.database}`, {
        database: options.database,
        modules: names,
      })
    })
  const part = new Command('module').description(
    'Create a module; list, install, upgrade and uninstall the modules of a database.',
  )
  for (const each of [newCommand(), list, install, upgrade, uninstall]) part.addCommand(each)
  return part
}
