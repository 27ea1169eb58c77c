// The first run on a data directory: a database to try, with an administrator, a key and a line to paste.
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/index.ts'
import type { Databases } from '../databases/index.ts'
import type { Log } from '../http/log.ts'
import { shopModules } from '../opening.ts'
import { createKey } from '../services/admin.ts'
import { markOf, shopOf } from './first-run.ts'
import type { Progress } from './progress.ts'

export interface Welcome {
  readonly database: string
  readonly login: string
  readonly password: string
  readonly key: string
}

const CONTENTS = {
  demo: 'a shop with all modules and sample records',
  empty: 'a shop with all modules and no records',
} as const

const NO_DATABASE =
  'There is no database yet: `comptoir db create NAME --demo` creates a demo shop, `comptoir db create NAME` an empty database.'

/**
 * Makes the database `comptoir`, a shop, on a server without databases, once per data directory. Undefined if
 * there was nothing to do.
 */
export async function firstRun(
  config: Config,
  { databases, log, progress }: { databases: Databases; log: Log; progress: Progress },
): Promise<Welcome | undefined> {
  const shop = shopOf(config)
  const isEmpty = (await databases.list()).length === 0
  if (shop === 'none') {
    if (isEmpty) log.info(NO_DATABASE)
    return undefined
  }
  const title = `Creating the first database, comptoir: ${CONTENTS[shop]}`
  // A log for machines has one line for the work, and none for its steps.
  if (isEmpty && config.log === 'json') log.info(title)
  else if (isEmpty) progress(title)
  const welcome = isEmpty ? await makeFirst(databases, shop === 'demo', progress) : undefined
  writeFileSync(
    markOf(config),
    'The first database of this data directory was created; serve does not create another one.\n',
  )
  return welcome
}

async function makeFirst(databases: Databases, demo: boolean, progress: Progress): Promise<Welcome> {
  const first = { database: 'comptoir', login: 'admin', password: randomBytes(12).toString('base64url') }
  await databases.create(first.database, {
    modules: await shopModules(),
    demo,
    login: first.login,
    password: first.password,
    lang: 'en_US',
    single: true,
    progress,
  })
  const key = await createKey(databases, first.database, first.login, {
    scope: 'rpc',
    name: 'first run',
    days: 90,
  })
  return { ...first, key }
}

/** Holds what the first run made where no terminal shows it; its owner alone reads it. */
const FILE = 'first-run-credentials'

/**
 * The text for the administrator, shown only once. On a terminal it contains the secrets; for a log or a
 * pipe, which keeps its input, they go to a file.
 */
export function tell(
  welcome: Welcome,
  { config, log, url }: { config: Config; log: Log; url: string },
): void {
  if (process.stdout.isTTY && config.log === 'text') {
    console.log(welcomeText(welcome, url))
    return
  }
  const file = join(config.dataDir, FILE)
  rmSync(file, { force: true })
  writeFileSync(file, `${credentials(welcome)}\n`, { mode: 0o600, flag: 'wx' })
  log.info(
    'The first database was created; its password and API key are in a file that only its owner can read',
    {
      file,
    },
  )
  console.log(welcomeText(welcome, url, file))
}

function credentials({ database, login, password, key }: Welcome): string {
  return [`database  ${database}`, `login     ${login}`, `password  ${password}`, `API key   ${key}`].join(
    '\n',
  )
}

/** `file`: path of the secrets, if they are not part of the text. */
export function welcomeText(welcome: Welcome, url: string, file?: string): string {
  const { database, login, key } = welcome
  const secrets = file
    ? [`database  ${database}`, `login     ${login}`, `The password and an API key (90 days) are in ${file}`]
    : [credentials(welcome), '(The API key is valid for 90 days. Store both: they are not shown again.)']
  const bearer = file ? `$(sed -n 's/^API key *//p' ${quoted(file)})` : key
  const body = '{"domain": [], "fields": ["name", "partner_id", "state", "amount_total"], "limit": 5}'
  return [
    ...secrets,
    'Try:',
    `  curl ${url}/json/2/sale.order/search_read -H "Authorization: bearer ${bearer}" -H 'Content-Type: application/json' -d '${body}'`,
    `Or sign in at ${url}/ in a browser; ${url}/doc explains every model.`,
  ].join('\n')
}

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`
