// Creates the data directory level by level, as Node's recursive mkdir never returns on some file systems
// such as /proc.
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartupError } from '../../errors.ts'
import { isRoot } from './account.ts'

/**
 * Creates the directory and its parents. Throws StartupError if it cannot be created, is not a directory, or
 * may not be entered.
 */
export function makeDataDir(path: string): void {
  try {
    make(path)
    assertOpen(path)
  } catch (cause) {
    if (cause instanceof StartupError) throw cause
    const { code } = cause as NodeJS.ErrnoException
    throw new StartupError(
      `Cannot create the data directory ${path} (${code ?? String(cause)}). Choose another --data-dir.`,
      { cause },
    )
  }
}

/** An account that may not write there would fail later, at whatever it touches first. */
function assertOpen(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (cause) {
    const { uid } = statSync(path)
    throw new StartupError(
      `The data directory ${path} belongs to the account with uid ${uid}, and ${nameOfUs()} may not use it. ` +
        'Run as that account, or choose another --data-dir.',
      { cause },
    )
  }
}

/** The account of this process; its number if it has no name, as in containers. */
function nameOfUs(): string {
  try {
    return userInfo().username
  } catch {
    return `number ${process.getuid?.()}`
  }
}

function make(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory()) return
  if (stats) throw new StartupError(`${path} is not a directory. Choose another --data-dir.`)
  if (dirname(path) !== path) make(dirname(path))
  try {
    // For root, PostgreSQL runs as another account, which must reach its files.
    mkdirSync(path, { mode: isRoot() ? 0o711 : 0o700 })
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
