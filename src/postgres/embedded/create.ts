// Makes the database files of a new embedded server.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartupError } from '../../errors.ts'
import type { Login } from '../address.ts'
import type { Archive } from './archive/folder.ts'
import { program } from './binaries.ts'
import type { Place } from './place.ts'
import { processOptions } from './postmaster.ts'
import { CONNECTIONS } from './roles.ts'
import { settings } from './settings.ts'

const run = promisify(execFile)

/** A random password for a role of the server. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url')
}

/** Whether the database files exist: they appear whole or not at all. */
export function hasFiles(pgdata: string): boolean {
  return existsSync(join(pgdata, 'PG_VERSION'))
}

/**
 * Runs initdb. Text is UTF-8, ordered by code point and with the case of all letters (PostgreSQL's own
 * C.UTF-8: the same on every system, unlike the C library's). Works in a temporary folder and renames it, so
 * that a crash leaves nothing that looks complete.
 */
export async function createFiles(place: Place, login: Login, durable: boolean): Promise<void> {
  const unfinished = `${place.pgdata}.new`
  const passwordFile = `${place.pgdata}.password`
  try {
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    await writeFile(passwordFile, login.password, { mode: 0o600 })
    await give(place, unfinished, passwordFile)
    await run(
      program(place.installation, 'initdb'),
      [
        `--pgdata=${unfinished}`,
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--auth=scram-sha-256',
        `--username=${login.user}`,
        `--pwfile=${passwordFile}`,
        '--no-instructions',
        ...(durable ? [] : ['--no-sync']),
      ],
      processOptions(place),
    )
    await appendFile(join(unfinished, 'postgresql.conf'), "\ninclude_if_exists = 'comptoir.conf'\n")
    await rename(unfinished, place.pgdata)
  } catch (cause) {
    throw new StartupError(`Cannot create the database files in ${place.pgdata}: ${reason(cause)}`, {
      cause,
    })
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/** Writes the settings that a start reads. */
export async function writeSettings(place: Place, durable: boolean, archive?: Archive): Promise<void> {
  const files = { 'comptoir.conf': settings(durable, archive), 'comptoir_hba.conf': CONNECTIONS }
  for (const [name, text] of Object.entries(files)) await replace(place, join(place.pgdata, name), text)
  const path = join(place.pgdata, 'pg_hba.conf')
  const rules = await readFile(path, 'utf8')
  // The first matching rule counts: Comptoir's rules come before an administrator's.
  if (!rules.startsWith(INCLUDED)) await replace(place, path, `${INCLUDED}${rules}`)
}

const INCLUDED = 'include_if_exists comptoir_hba.conf\n'

/** Replaces a file of PostgreSQL, so that readers always see a complete one. */
async function replace(place: Place, path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await give(place, `${path}.new`)
  await rename(`${path}.new`, path)
}

/**
 * Gives the user a new password on files whose postgres.json is lost, through PostgreSQL's single-user mode.
 */
export async function resetPassword(place: Place, login: Login): Promise<void> {
  const child = run(
    program(place.installation, 'postgres'),
    ['--single', '-D', place.pgdata, 'postgres'],
    processOptions(place),
  )
  child.child.stdin?.end(`ALTER ROLE "${login.user}" PASSWORD '${login.password}'\n`)
  await child
}

async function give({ account }: Place, ...paths: string[]): Promise<void> {
  if (account) for (const path of paths) await chown(path, account.uid, account.gid)
}

function reason(error: unknown): string {
  if (error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' && error.stderr)
    return error.stderr.trim()
  return error instanceof Error ? error.message : String(error)
}
