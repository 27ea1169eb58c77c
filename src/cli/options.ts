// Options of the configuration as flags of commands.
import { type Command, Option } from 'commander'
import { type Config, options, readConfig, unknownVariables, variable } from '../config/index.ts'

/**
 * Adds `--config` and the options of the configuration to a command: all for `serve`, the shared ones for the
 * others.
 */
export function withConfig(command: Command, which: 'all' | 'shared'): Command {
  for (const option of options.filter(({ shared }) => which === 'all' || shared)) {
    const flags = option.value ? `--${option.name} <${option.value}>` : `--${option.name}`
    const fallback = !option.fallback ? '' : `default ${option.fallback}, `
    command.addOption(new Option(flags, `${option.help} (${fallback}${variable(option.name)})`))
    if (option.negatable)
      command.addOption(new Option(`--no-${option.name}`, `the same as --${option.name} no`))
  }
  return command.addOption(
    new Option(
      '--config <file>',
      `configuration file (default comptoir.json in the data directory, ${variable('config')})`,
    ),
  )
}

/** The configuration that a command was called with. Throws StartupError for values that cannot be read. */
export function configOf(command: Command): Config {
  const settings = command.optsWithGlobals<Record<string, string | boolean>>()
  const flags = Object.fromEntries(
    [...options.map(({ name }) => name), 'config'].map((name) => [name, settings[camel(name)]]),
  )
  for (const name of unknownVariables(process.env))
    console.error(`comptoir: warning: unknown setting ${name}: the variable is ignored`)
  hideSecrets(command)
  return readConfig({ flags, env: process.env, cwd: process.cwd() })
}

/**
 * Removes secrets from the list of processes, where every user of the machine can read flags, and names safer
 * ways.
 */
function hideSecrets(command: Command): void {
  const secret = process.argv.find(
    (arg) =>
      /^--(master-password|password)(=|$)/.test(arg) ||
      /^(--database-url=)?postgres(ql)?:\/\/[^/@]*:[^/@]+@/.test(arg),
  )
  if (!secret) return
  process.title = `comptoir ${command.name()}`
  const flag = /^--(?:master-)?password/.exec(secret)?.[0]
  const advice = flag ? `Use ${flag}-file or ${variable(flag.slice(2))}.` : `Use ${variable('database-url')}.`
  if (command.name() === 'serve')
    console.error(
      `comptoir: warning: other users of this machine can see a password in an option, in the list of processes. ${advice}`,
    )
}

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
