// The configuration: flags, environment and one optional file, in this order of strength, become one frozen object.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { StartupError } from './errors.ts'

export interface Config {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Absolute path of the directory that holds the embedded server and the files. */
  readonly dataDir: string
  /** Address of a PostgreSQL server; undefined runs the embedded one. */
  readonly databaseUrl: string | undefined
  /** Pattern of the databases that a host may see, with `%h` for the host and `%d` for its first label. */
  readonly databaseFilter: string | undefined
  readonly masterPassword: string | undefined
  /** Whether the databases may be listed and managed over the network. */
  readonly listDatabases: boolean
  /** Files of modules from outside of this package, absolute paths. */
  readonly addons: readonly string[]
  readonly workers: number
  readonly log: 'text' | 'json'
  /** Largest request body, in bytes. */
  readonly bodyLimit: number
  readonly accessLog: boolean
  /** Addresses of proxies whose `X-Forwarded-*` headers say who calls; nobody's by default. */
  readonly trustProxy: string | undefined
  /** Whether a request that asks by the header `X-Server-Timing` is told where its time went. */
  readonly serverTiming: boolean
  /** Whether the additions to the API, all under /x/1, are there. */
  readonly extensions: boolean
}

/** One option: its flag, which is also its key in the file, and how its text is read. */
export interface Option {
  readonly name: string
  readonly key: keyof Config
  /** What stands after the flag in the help; absent for a switch. */
  readonly value?: string
  readonly help: string
  readonly fallback: string | undefined
  /** The value of a text; `base` is the directory that relative paths start from. Throws an Error saying what is wrong. */
  readonly read: (text: string, base: string) => unknown
  /** Whether there is a second flag, `--no-` before its name, that says no. */
  readonly negatable?: boolean
  /** Whether commands other than `serve` take it too. */
  readonly shared?: boolean
}

const integer = (least: number, most: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= least && value <= most)) throw new Error(`must be a whole number from ${least} to ${most}`)
  return value
}

const some = (text: string) => {
  if (text === '') throw new Error('must not be empty')
  return text
}

const oneOf =
  (...words: readonly string[]) =>
  (text: string) => {
    if (!words.includes(text)) throw new Error(`must be one of: ${words.join(', ')}`)
    return text
  }

function databaseUrl(text: string): string {
  if (!URL.canParse(text) || !['postgres:', 'postgresql:'].includes(new URL(text).protocol))
    throw new Error('must be an address like postgresql://user@host:5432')
  return text
}

function pattern(text: string): string {
  try {
    new RegExp(text.replace(/%[hd]/g, 'x'))
  } catch (error) {
    throw new Error('must be a regular expression', { cause: error })
  }
  return text
}

/** Addresses and networks, separated by commas. */
function addresses(text: string): string {
  const wrong = text.split(',').find((part) => {
    const [address = '', size, ...rest] = part.trim().split('/')
    const bits = isIP(address) === 6 ? 128 : 32
    return rest.length > 0 || isIP(address) === 0 || (size !== undefined && !(/^\d{1,3}$/.test(size) && Number(size) <= bits))
  })
  if (wrong !== undefined) throw new Error('must list addresses or networks such as 10.0.0.0/8')
  return text
}

/** Names of files, folders with an index and packages, as the files they mean. */
function moduleFiles(text: string, base: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return names.filter(Boolean).map((name) => (/^[./]|^[a-z]:/i.test(name) ? moduleFile(resolve(base, name)) : packageFile(name, base)))
}

function moduleFile(path: string): string {
  if (!existsSync(path)) throw new Error(`must name what is there; ${path} is not`)
  if (!statSync(path).isDirectory()) return path
  const found = ['index.ts', 'index.js', 'index.mjs'].map((name) => join(path, name)).find(existsSync)
  if (!found) throw new Error(`must name modules; ${path} is a folder without index.ts or index.js`)
  return found
}

function packageFile(name: string, base: string): string {
  try {
    return createRequire(join(base, 'package.json')).resolve(name)
  } catch (error) {
    throw new Error(`must name packages that are installed; ${name} is not found from ${base}`, { cause: error })
  }
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

function bytes(text: string): number {
  const [, digits, unit] = /^(\d{1,12})([kmg]?)(?:i?b)?$/i.exec(text.trim()) ?? []
  const value = Number(digits) * (UNITS[unit?.toLowerCase() ?? ''] ?? Number.NaN)
  if (!(value > 0 && value <= 512 * 1024 ** 2)) throw new Error('must be a size such as 128m, at most 512m')
  return value
}

function yes(text: string): boolean {
  if (['1', 'true', 'yes', 'on'].includes(text)) return true
  if (['0', 'false', 'no', 'off'].includes(text)) return false
  throw new Error('must be true or false')
}

export const options: readonly Option[] = [
  { name: 'host', key: 'host', value: 'address', help: 'address to listen on', fallback: '127.0.0.1', read: some },
  { name: 'port', key: 'port', value: 'number', help: 'port to listen on; 0 takes a free one', fallback: '8069', read: integer(0, 65535) },
  {
    name: 'data-dir',
    key: 'dataDir',
    value: 'directory',
    help: 'where databases and files are kept',
    fallback: './data',
    read: (text, base) => resolve(base, some(text)),
    shared: true,
  },
  {
    name: 'database-url',
    key: 'databaseUrl',
    value: 'url',
    help: 'PostgreSQL server to use instead of the embedded one',
    fallback: undefined,
    read: databaseUrl,
    shared: true,
  },
  {
    name: 'db-filter',
    key: 'databaseFilter',
    value: 'pattern',
    help: 'databases a host may see; %h is the host, %d its first label',
    fallback: undefined,
    read: pattern,
  },
  {
    name: 'master-password',
    key: 'masterPassword',
    value: 'text',
    help: 'password of the database manager; without one it stays closed',
    fallback: undefined,
    read: some,
  },
  {
    name: 'list-db',
    key: 'listDatabases',
    value: 'yes|no',
    help: 'list and manage databases over the network; no also closes the database manager',
    fallback: 'yes',
    read: yes,
    negatable: true,
  },
  {
    name: 'addons',
    key: 'addons',
    value: 'list',
    help: 'files, folders or packages of further modules, separated by commas',
    fallback: '',
    read: moduleFiles,
    shared: true,
  },
  { name: 'workers', key: 'workers', value: 'number', help: 'processes that answer requests', fallback: '1', read: integer(1, 256) },
  { name: 'log', key: 'log', value: 'format', help: 'format of the log: text or json', fallback: 'text', read: oneOf('text', 'json') },
  { name: 'body-limit', key: 'bodyLimit', value: 'size', help: 'largest request body, such as 128m', fallback: '128m', read: bytes },
  { name: 'access-log', key: 'accessLog', help: 'write a line for every request', fallback: 'false', read: yes },
  {
    name: 'trust-proxy',
    key: 'trustProxy',
    value: 'addresses',
    help: 'proxies whose X-Forwarded headers count, such as 127.0.0.1 or 10.0.0.0/8, separated by commas',
    fallback: undefined,
    read: addresses,
  },
  {
    name: 'server-timing',
    key: 'serverTiming',
    help: 'tell requests with the header X-Server-Timing where their time went',
    fallback: 'false',
    read: yes,
  },
  {
    name: 'extensions',
    key: 'extensions',
    value: 'yes|no',
    help: 'answer under /x/1, beyond the documented API',
    fallback: 'yes',
    read: yes,
  },
]

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
 * The configuration. The file is `--config`, `COMPTOIR_CONFIG` or, where it exists, `comptoir.json` in the data directory.
 * Throws StartupError for unknown keys and values that cannot be read, naming where they stand.
 */
export function readConfig({ flags, env, cwd }: Sources): Config {
  const given = (name: string) => flags[name] ?? (env[variable(name)] || undefined)
  const named = given('config')
  const dataDir = resolve(cwd, String(given('data-dir') ?? './data'))
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
    config[option.key] = text === undefined ? undefined : readValue(option, String(text), String(origin), base ?? cwd)
  }
  return Object.freeze(config) as unknown as Config
}

function readValue(option: Option, text: string, origin: string, base: string): unknown {
  try {
    return option.read(text, base)
  } catch (error) {
    // The value itself stays out: it may be a password.
    throw new StartupError(`${origin} ${(error as Error).message}`, { exitCode: 2 })
  }
}

/** The members of a configuration file as texts. Throws StartupError for what is no JSON object of known keys and plain values. */
function readFile(path: string, inDataDir: boolean): Record<string, string> {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new StartupError(`The configuration file ${path} cannot be read: ${(error as Error).message}`, { cause: error, exitCode: 2 })
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new StartupError(`The configuration file ${path} must hold one JSON object`, { exitCode: 2 })
  const known = options.map((option) => option.name)
  const values: Record<string, string> = Object.create(null)
  for (const [key, value] of Object.entries(content)) {
    if (!known.includes(key))
      throw new StartupError(`Unknown key ${JSON.stringify(key)} in ${path}; known are ${known.join(', ')}`, { exitCode: 2 })
    if (key === 'data-dir' && inDataDir)
      throw new StartupError(`${path} lies in the data directory, and cannot name another one`, { exitCode: 2 })
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new StartupError(`${key} in ${path} must be a text, a number, true or false`, { exitCode: 2 })
    values[key] = String(value)
  }
  return values
}
