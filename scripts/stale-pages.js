// Whether the pages in build/pages are as their sources are. Plain JavaScript, as older versions of Node.js read it.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The file's modification time, or 0 if it does not exist. */
const changed = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** `missing` before the first build, `stale` if a source is newer than the build, else `fresh`. */
export function pagesAre() {
  const built = changed('build/pages/manifest.json')
  if (!built) return 'missing'
  const pages = readdirSync(join(root, 'src/pages'), { recursive: true })
    .filter((path) => /\.(?:tsx?|css)$/.test(path))
    .map((path) => join('src/pages', path))
  return [...pages, 'vite.config.ts', 'package.json'].some((path) => changed(path) > built)
    ? 'stale'
    : 'fresh'
}
