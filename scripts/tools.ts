// Installs packages for checks and tests (tools/package.json) unless they are installed: `npm run
// tools`. A checkout that only runs the server saves 303 MB.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const packages = join(root, 'tools/node_modules')

/** The file's modification time, or 0 if it does not exist. */
const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Whether the packages are those that the lock file names. npm notes what it installed in a file of its own.
 */
function current(): boolean {
  return changed(join(packages, '.package-lock.json')) >= changed(join(root, 'tools/package-lock.json'))
}

/**
 * Links the packages so that tests resolve them. A package.json in `test` would hide that of the
 * project.
 */
function link(): void {
  const path = join(root, 'test/node_modules')
  if (existsSync(path)) return
  if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path)
  symlinkSync(packages, path, 'junction')
}

if (!current()) {
  console.log('Installing the tools of checks and tests, once ...')
  const flags = ['ci', '--no-fund', '--no-audit', '--loglevel', 'error']
  const { status } = spawnSync('npm', flags, {
    cwd: join(root, 'tools'),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}
link()
