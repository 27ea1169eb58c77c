// Facts of a data directory about its embedded server: <data directory>/postgres.json.
import { chmodSync, chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { StartupError } from '../../errors.ts'
import type { Login } from '../address.ts'
import { accountName, isRoot, runAs } from './account.ts'
import { type Archive, USUAL_SECONDS, type WantedArchive } from './archive/folder.ts'
import { newPassword } from './create.ts'
import { type Logins, RESTORER, SERVER } from './roles.ts'

/** Content of postgres.json; `user` and `password` are the superuser's, from when it was the only role. */
export interface Saved extends Login {
  readonly pgdata: string
  readonly port: number
  /** Passwords of the other roles. */
  readonly roles: Readonly<Record<typeof SERVER | typeof RESTORER, string>>
  /**
   * The archive of its log, and the data directory that it was set for: a copy of the directory archives
   * nothing until it is set again.
   */
  readonly archive?: (Archive & { readonly of: string }) | undefined
}

/** Roles with passwords of their own. */
export const newRoles = (): Saved['roles'] => ({ [SERVER]: newPassword(), [RESTORER]: newPassword() })

/** All logins that are noted. */
export function loginsOf({ user, password, roles }: Saved): Logins {
  return {
    superuser: { user, password },
    server: { user: SERVER, password: roles[SERVER] },
    restorer: { user: RESTORER, password: roles[RESTORER] },
  }
}

/** The setting that is given now, or that this directory was given before. */
export function archiveOf(folder: string, saved: Saved['archive'], wanted?: WantedArchive): Saved['archive'] {
  const noted = saved?.of === folder ? saved : undefined
  if (!wanted) return noted
  const { seconds = noted?.seconds ?? USUAL_SECONDS } = wanted
  return { folder: wanted.folder, seconds, of: folder }
}

/** The stored facts; releases with a single role stored no others. */
export function read(folder: string): (Omit<Saved, 'roles'> & Partial<Saved>) | undefined {
  const path = join(folder, 'postgres.json')
  if (!existsSync(path)) return undefined
  try {
    const saved = JSON.parse(readFileSync(path, 'utf8')) as Saved
    return { ...saved, pgdata: resolve(folder, saved.pgdata) }
  } catch (cause) {
    if (cause instanceof SyntaxError)
      throw new StartupError(
        `${path} cannot be read. If it is damaged, remove it: a new password will be set.`,
        { cause },
      )
    throw new StartupError(
      `${path} cannot be read: ${(cause as Error).message}. Run as the account that the data directory belongs to.`,
      {
        cause,
      },
    )
  }
}

/**
 * Throws StartupError for root where the server of this data directory runs as another account: that account
 * could not read the files that the command creates.
 */
export function assertServerAccount(folder: string): void {
  const uid = isRoot() ? ownerOf(join(folder, 'postgres.json')) : undefined
  if (!uid) return
  throw new StartupError(
    `The server of ${folder} runs as the account ${accountName(uid)}, which cannot read files that root creates there. ` +
      `Run this as that account: ${runAs(uid)}`,
  )
}

const ownerOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.uid

/**
 * Files inside of the data directory are named from there: it may be moved, and a copy of it means its own.
 */
export function write(folder: string, saved: Saved): void {
  const inside = relative(folder, saved.pgdata)
  const pgdata = inside.startsWith('..') || isAbsolute(inside) ? saved.pgdata : inside
  const path = join(folder, 'postgres.json')
  writeFileSync(`${path}.new`, `${JSON.stringify({ ...saved, pgdata }, undefined, 2)}\n`, { mode: 0o600 })
  chmodSync(`${path}.new`, 0o600)
  // A command of root must not take the file away from the account of the service.
  const uid = isRoot() ? ownerOf(path) : undefined
  if (uid) chownSync(`${path}.new`, uid, statSync(path).gid)
  renameSync(`${path}.new`, path)
}
