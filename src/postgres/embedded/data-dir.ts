// The data directory itself: made level by level, as Node's recursive mkdir never returns where a file system
// such as /proc refuses oddly.
import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartupError } from '../../errors.ts'
import { isRoot } from './account.ts'

/**
 * Makes the directory and those above it. Throws StartupError when it cannot be made, is no directory, or is
 * closed to us.
 */
export function makeDataDir(path: string): void {
  try {
    make(path)
    assertOpen(path)
  } catch (cause) {
    if (cause instanceof StartupError) throw cause
    const { code } = cause as NodeJS.ErrnoException
    throw new StartupError(
      `Cannot make the data directory ${path} (${code ?? String(cause)}). Choose another --data-dir.`,
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
      `The data directory ${path} belongs to the account with number ${uid} and is closed to ${nameOfUs()}. ` +
        'Run as the account that it belongs to, or choose another --data-dir.',
      { cause },
    )
  }
}

/** The account of this process; its number where it has no name, as in containers. */
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
  if (stats) throw new StartupError(`${path} is no directory. Choose another --data-dir.`)
  if (dirname(path) !== path) make(dirname(path))
  try {
    // PostgreSQL runs under an account of its own when we are root: it must get through to its files.
    mkdirSync(path, { mode: isRoot() ? 0o711 : 0o700 })
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
