// The configuration: flags, environment and one optional file, in this order of strength, become one frozen
// object.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartupError } from '../errors.ts'
import { messageOf } from '../kit/caught.ts'
import type { Config } from './config.ts'
import { type Option, options } from './options.ts'

export type { Config, Shop } from './config.ts'
export { type ExtensionName, type Extensions, everyExtension, noExtension } from './extensions.ts'
export { options } from './options.ts'
export type { StoreCredentials, StorePlace } from './store.ts'
export { credentialsOf } from './store.ts'
export type { SyslogAddress } from './syslog.ts'
export { secretFile } from './values.ts'

/** The environment variable of an option: `data-dir` is `COMPTOIR_DATA_DIR`. */
export const variable = (name: string): string => `COMPTOIR_${name.toUpperCase().replaceAll('-', '_')}`

export interface Sources {
  /** Values given as flags, by the name of the option; `config` is the file. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory that relative paths of flags and environment start from. */
  readonly cwd: string
}

/**
 * The configuration. The file is `--config`, `COMPTOIR_CONFIG` or, if it exists, `comptoir.json` in the data
 * directory. Throws StartupError for unknown keys and invalid values, naming their source.
 */
export function readConfig({ flags, env, cwd }: Sources): Config {
  const explicitValue = (name: string) => flags[name] ?? (env[variable(name)] || undefined)
  const named = explicitValue('config')
  const dataDir = resolve(cwd, String(explicitValue('data-dir') ?? './data'))
  const path = named === undefined ? join(dataDir, 'comptoir.json') : resolve(cwd, String(named))
  const file = named !== undefined || existsSync(path) ? readFile(path, named === undefined) : {}
  const config: Record<string, unknown> = {}
  for (const option of options) {
    const sources: readonly [string, string | boolean | undefined, string][] = [
      [`--${option.name}`, flags[option.name], cwd],
      [variable(option.name), env[variable(option.name)] || undefined, cwd],
      [`${option.name} in ${path}`, file[option.name], dirname(path)],
      [option.name, option.fallback, cwd],
    ]
    const [origin, text, base] = sources.find(([, value]) => value !== undefined) ?? []
    // Two options may give one value: the first that does counts.
    config[option.key] ??=
      text === undefined ? undefined : readValue(option, String(text), String(origin), base ?? cwd)
  }
  return Object.freeze(config) as unknown as Config
}

/**
 * Variables of the environment that look like settings and are none: misspelt ones would be passed over in
 * silence.
 */
export function unknownVariables(env: Sources['env']): string[] {
  const knownVariables = new Set(
    [...options.map(({ name }) => name), 'config', 'debug', 'password'].map(variable),
  )
  return Object.keys(env).filter(
    (name) => name.startsWith('COMPTOIR_') && !knownVariables.has(name) && !name.startsWith('COMPTOIR_TEST_'),
  )
}

function readValue(option: Option, text: string, origin: string, base: string): unknown {
  try {
    return option.read(text, base)
  } catch (error) {
    // The value itself stays out: it may be a password.
    throw new StartupError(`${origin} ${messageOf(error)}`, { exitCode: 2 })
  }
}

/**
 * The members of a configuration file as texts. Throws StartupError for anything but a JSON object of known
 * keys and plain values.
 */
function readFile(path: string, inDataDir: boolean): Record<string, string> {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new StartupError(`The configuration file ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
      exitCode: 2,
    })
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new StartupError(`The configuration file ${path} must hold one JSON object`, { exitCode: 2 })
  const optionNames = options.map((option) => option.name)
  const values: Record<string, string> = Object.create(null)
  for (const [key, value] of Object.entries(content)) {
    if (!optionNames.includes(key))
      throw new StartupError(
        `Unknown key ${JSON.stringify(key)} in ${path}; valid keys are ${optionNames.join(', ')}`,
        {
          exitCode: 2,
        },
      )
    if (key === 'data-dir' && inDataDir)
      throw new StartupError(`${path} is in the data directory and cannot set another data-dir`, {
        exitCode: 2,
      })
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new StartupError(`${key} in ${path} must be a text, a number, true or false`, { exitCode: 2 })
    values[key] = String(value)
  }
  return values
}
