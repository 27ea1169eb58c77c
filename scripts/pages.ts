// Builds the pages of src/pages into build/pages: `npm run pages`; with `--if-stale` only when a source is
// newer than what was built.
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const manifest = join(root, 'build/pages/manifest.json')

/** The file's modification time, or 0 if it does not exist. */
const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Whether a source of the pages is newer than their build. */
function stale(): boolean {
  const built = changed(manifest)
  const sources = [
    ...globSync('src/pages/**/*.{ts,tsx,css}', { cwd: root }),
    'vite.config.ts',
    'package.json',
  ]
  return sources.some((path) => changed(join(root, path)) > built)
}

/**
 * Whether the build tool is installed. Without development packages (`--omit=dev`) it is missing, and the
 * server answers calls only.
 */
function canBuild(): boolean {
  try {
    return Boolean(import.meta.resolve('vite'))
  } catch {
    console.error(
      'comptoir: the pages for browsers are not built, as that takes the packages that --omit=dev leaves out; `npm install` brings them',
    )
    return false
  }
}

if (!process.argv.includes('--if-stale') || (stale() && canBuild())) {
  const { build } = await import('vite')
  await build({ configFile: join(root, 'vite.config.ts') })
}
