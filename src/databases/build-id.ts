// Identity of this build: templates made by other sources are not taken, their tables may differ, and nodes
// of another build take part in a rolling upgrade.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** The file in the compiled package that holds its identity; a checkout has none. */
export const BUILD_FILE = 'build-id'

let cachedId: string | undefined

/** The identity of the sources, or of the compiled package, that this process runs. */
export function buildId(): string {
  cachedId ??= identityOf(join(import.meta.dirname, '..'))
  return cachedId
}

/**
 * The identity of the sources in a folder. An installed package has that of its contents from when it was
 * compiled: package managers set the times of files to those of the installation, which differ between two
 * nodes of one release. A checkout is hashed by version, and names, sizes and times of the files that shape a
 * database, models and modules, in some milliseconds.
 */
export function identityOf(root: string): string {
  const compiled = join(root, BUILD_FILE)
  if (existsSync(compiled)) return readFileSync(compiled, 'utf8').trim()
  return hashOf(root, (path) => {
    const { size, mtimeMs } = statSync(path)
    return `${size} ${mtimeMs}`
  })
}

/** The identity of a compiled package, by the contents of its files. `scripts/compile.ts` stores it. */
export function contentIdentityOf(root: string): string {
  return hashOf(root, (path) => createHash('sha256').update(readFileSync(path)).digest('hex'))
}

function hashOf(root: string, describe: (path: string) => string): string {
  const hash = createHash('sha256').update(readFileSync(join(root, '..', 'package.json')))
  const files = ['models', 'modules'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name)),
  )
  for (const path of files.sort())
    hash.update(`${relative(root, path).replaceAll(sep, '/')} ${describe(path)}\n`)
  return hash.digest('hex')
}
