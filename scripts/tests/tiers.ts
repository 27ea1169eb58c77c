// Which test files need a database or start processes: those whose text, or the text of an imported
// helper, shows it.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './prepare.ts'

/** Calls and packages that open a database, a browser or a process. */
const OPENS =
  /\b(?:makeDataDir|takeDataDir|startEmbedded|startTemporary|startTestServer|makeTestFolder)\(|node:child_process|playwright|node:worker_threads/
/** Imports of test files. Imports of `src` do not count, because they open nothing by themselves. */
const IMPORT = /from '(\.[^']+\.ts)'|import\('(\.[^']+\.ts)'\)/g

const known = new Map<string, boolean>()

/** For a file, as a path from the root of the project. */
export function needsDatabase(file: string): boolean {
  const before = known.get(file)
  if (before !== undefined) return before
  known.set(file, false)
  const text = readFileSync(join(root, file), 'utf8')
  const helpers = [...text.matchAll(IMPORT)]
    .map(([, from, later]) => relative(root, join(root, dirname(file), (from ?? later) as string)))
    .filter((path) => path.startsWith('test/') && existsSync(join(root, path)))
  const needs = OPENS.test(text) || helpers.some(needsDatabase)
  known.set(file, needs)
  return needs
}
