// Installs what checks and tests need besides the server (tools/package.json), unless it is there: `npm run
// tools`. Whoever only runs the server from a checkout is spared 303 MB.
import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const packages = join(root, 'tools/node_modules')

/** When a file was last changed, or 0 where there is none. */
const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/**
 * Whether the packages are those that the lock file names. npm notes what it installed in a file of its own.
 */
function current(): boolean {
  return changed(join(packages, '.package-lock.json')) >= changed(join(root, 'tools/package-lock.json'))
}

/**
 * Tests find the packages as if they lay beside them: a package.json in `test` would hide the one of the
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
