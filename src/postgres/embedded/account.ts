// PostgreSQL refuses to run as root: under root it runs as an unprivileged account, which must reach its
// files.
import { existsSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartupError } from '../../errors.ts'

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** True when this process is root, so that PostgreSQL needs another account. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** `postgres` if it exists, else `nobody`. Throws StartupError when the system has neither. */
export function unprivilegedAccount(passwd = readFileSync('/etc/passwd', 'utf8')): Account {
  const accounts = new Map(entriesOf(passwd).map((entry) => [entry[0], entry]))
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.get(name) ?? []
    if (uid && gid && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new StartupError(
    'PostgreSQL refuses to run as root, and this system has neither an account "postgres" nor "nobody". ' +
      'Run Comptoir as an ordinary user, or use --database-url.',
  )
}

/** The name of an account; its number if the system has no name for it, as in containers. */
export const accountName = (uid: number): string => nameOf(uid) ?? `#${uid}`

/** The command line that runs a command of Comptoir as another account. */
export function runAs(uid: number): string {
  const name = nameOf(uid)
  const runner =
    name === undefined ? `setpriv --reuid=${uid} --regid=${uid} --clear-groups` : `runuser -u ${name}`
  return `${runner} -- npx comptoir …`
}

const nameOf = (uid: number): string | undefined =>
  existsSync('/etc/passwd')
    ? entriesOf(readFileSync('/etc/passwd', 'utf8')).find((entry) => entry[2] === String(uid))?.[0]
    : undefined

const entriesOf = (passwd: string): string[][] => passwd.split('\n').map((line) => line.split(':'))

/**
 * Whether the account may enter `path` (a directory) or run it (a program): execute permission on it and all
 * above.
 */
export async function canReach(account: Account, path: string): Promise<boolean> {
  const { mode, uid, gid } = await stat(path)
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001
  if ((mode & bit) === 0) return false
  const parent = dirname(path)
  return parent === path || canReach(account, parent)
}
