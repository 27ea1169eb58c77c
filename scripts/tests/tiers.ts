// Which test files need a database or start processes: those whose own text, or that of the helpers they
// import, says so.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './prepare.ts'

/** Calls and packages that open a database, a browser or a process. */
const OPENS =
  /\b(?:makeDataDir|takeDataDir|startEmbedded|startTemporary|startTestServer|makeTestFolder)\(|node:child_process|playwright|node:worker_threads/
/** Imports of files of tests; what `src` imports says nothing, as it must be asked to open something. */
const IMPORT = /from '(\.[^']+\.ts)'|import\('(\.[^']+\.ts)'\)/g

const slowFiles = new Map<string, boolean>()

/** Of a file, as a path from the root of the project. */
export function needsDatabase(file: string): boolean {
  const before = slowFiles.get(file)
  if (before !== undefined) return before
  slowFiles.set(file, false)
  const text = readFileSync(join(root, file), 'utf8')
  const helpers = [...text.matchAll(IMPORT)]
    .map(([, from, later]) => relative(root, join(root, dirname(file), (from ?? later) as string)))
    .filter((path) => path.startsWith('test/') && existsSync(join(root, path)))
  const needs = OPENS.test(text) || helpers.some(needsDatabase)
  slowFiles.set(file, needs)
  return needs
}
