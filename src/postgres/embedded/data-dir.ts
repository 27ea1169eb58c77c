// The data directory itself: made level by level, as Node's recursive mkdir never returns where a file system such as /proc refuses oddly.
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartupError } from '../../errors.ts'
import { isRoot } from './account.ts'

/** Makes the directory and those above it. Throws StartupError when it cannot be made, or is no directory. */
export function makeDataDir(path: string): void {
  try {
    make(path)
  } catch (cause) {
    if (cause instanceof StartupError) throw cause
    const { code } = cause as NodeJS.ErrnoException
    throw new StartupError(`Cannot make the data directory ${path} (${code ?? String(cause)}). Choose another --data-dir.`, { cause })
  }
}

function make(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found) throw new StartupError(`${path} is no directory. Choose another --data-dir.`)
  if (dirname(path) !== path) make(dirname(path))
  try {
    // PostgreSQL runs under an account of its own when we are root: it must get through to its files.
    mkdirSync(path, { mode: isRoot() ? 0o711 : 0o700 })
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
