// Builds the pages of src/pages into build/pages: `npm run pages`; with `--if-stale` only when a source is
// newer than what was built.
import { join } from 'node:path'
import { pagesAre } from './stale-pages.js'

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

if (!process.argv.includes('--if-stale') || (pagesAre() !== 'fresh' && canBuild())) {
  const { build } = await import('vite')
  await build({ configFile: join(import.meta.dirname, '../vite.config.ts') })
}
