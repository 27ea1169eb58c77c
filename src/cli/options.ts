// Options of the configuration as flags of commands.
import { type Command, Option } from 'commander'
import { type Config, options, readConfig, variable } from '../config/index.ts'

/** Adds `--config` and the options of the configuration to a command: all of them for `serve`, the shared ones for the others. */
export function withConfig(command: Command, which: 'all' | 'shared'): Command {
  for (const option of options.filter(({ shared }) => which === 'all' || shared)) {
    const flags = option.value ? `--${option.name} <${option.value}>` : `--${option.name}`
    const fallback = !option.fallback ? '' : `default ${option.fallback}, `
    command.addOption(new Option(flags, `${option.help} (${fallback}${variable(option.name)})`))
    if (option.negatable) command.addOption(new Option(`--no-${option.name}`, `the same as --${option.name} no`))
  }
  return command.addOption(
    new Option('--config <file>', `configuration file (default comptoir.json in the data directory, ${variable('config')})`),
  )
}

/** The configuration that a command was called with. Throws StartupError for values that cannot be read. */
export function configOf(command: Command): Config {
  const given = command.optsWithGlobals<Record<string, string | boolean>>()
  const flags = Object.fromEntries([...options.map(({ name }) => name), 'config'].map((name) => [name, given[camel(name)]]))
  return readConfig({ flags, env: process.env, cwd: process.cwd() })
}

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
