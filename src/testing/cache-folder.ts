// Folder for what the test kit makes once: a data directory for each build, in memory or the user's cache
// folder; unused ones are removed.
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildId } from '../databases/index.ts'
import { makeDataDir, removeUnused } from '../postgres/embedded/index.ts'
import { memoryFolder } from './memory.ts'

/** Data directories of this many builds stay, the ones used last. */
const MOST_BUILDS = 3

/**
 * The folder of the kit: `COMPTOIR_TEST_CACHE`, else one in memory, else a part of the machine's or the
 * user's cache folder.
 */
function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.COMPTOIR_TEST_CACHE) return resolve(env.COMPTOIR_TEST_CACHE)
  return join(memoryFolder() ?? join(userCache(env), 'comptoir'), 'testing')
}

function userCache(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches')
  // PostgreSQL does not run as root, and its account cannot enter root's home.
  if (process.getuid?.() === 0) return '/var/cache'
  return env.XDG_CACHE_HOME || join(homedir(), '.cache')
}

/**
 * The data directory of this build, created if it is missing. Those of other builds that were not used for a
 * while are removed, unless they are in use.
 */
export async function placeOfBuild(): Promise<string> {
  const cache = cacheFolder()
  makeDataDir(cache)
  const buildPrefix = buildId().slice(0, 12)
  const dataDir = join(cache, buildPrefix)
  makeDataDir(dataDir)
  markUsed(join(dataDir, 'used'))
  const others = readdirSync(cache).filter((name) => /^[0-9a-f]{12}$/.test(name) && name !== buildPrefix)
  const byUse = others.map((name) => ({ path: join(cache, name), used: timeOf(join(cache, name, 'used')) }))
  byUse.sort((first, other) => other.used - first.used)
  for (const { path } of byUse.slice(MOST_BUILDS - 1)) await removeUnused(path)
  return dataDir
}

/** Notes that something is used now. */
export function markUsed(path: string): void {
  const now = new Date()
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, '', { flag: 'a' })
  utimesSync(path, now, now)
}

/** When something was used last, in milliseconds; 0 for never. */
export function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
