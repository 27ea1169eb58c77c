// Builds the pages of src/pages into build/pages: `npm run pages`; with `--if-stale` only when a source is newer than what was built.
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const manifest = join(root, 'build/pages/manifest.json')

/** The time a file was last changed, or 0 where there is none. */
const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Whether a source of the pages is newer than their build. */
function stale(): boolean {
  const built = changed(manifest)
  const sources = [...globSync('src/pages/**/*.{ts,tsx,css}', { cwd: root }), 'vite.config.ts', 'package.json']
  return sources.some((path) => changed(join(root, path)) > built)
}

if (!process.argv.includes('--if-stale') || stale()) await build({ configFile: join(root, 'vite.config.ts') })
