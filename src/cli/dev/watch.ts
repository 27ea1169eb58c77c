// Watching the files of modules: one word for a burst of changes, which editors and version control cause.
import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

/** Milliseconds of quiet after which changes count as one. */
const QUIET_MS = 150

const COUNTS = /\.(?:[cm]?[jt]s|json|csv|xml|html|svg|png|jpe?g|webp)$/
const TEST = /\.(?:test|spec)\.[cm]?[jt]s$/

/** Whether a change of this file, named from the watched folder, concerns a running server. */
export function concerns(path: string): boolean {
  const parts = path.split(sep)
  if (parts.some((part) => part === 'node_modules' || part.startsWith('.'))) return false
  return COUNTS.test(path) && !TEST.test(path)
}

export interface Watching {
  close(): void
}

/**
 * Calls `changed` with the files that changed, below the folders of `paths`. Throws what looking at a path
 * that is not there throws.
 */
export function watchFiles(paths: readonly string[], changed: (files: readonly string[]) => void): Watching {
  const files = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const tell = () => {
    const all = [...files].sort()
    files.clear()
    changed(all)
  }
  const note = (folder: string, name: string | null, only: string | null) => {
    if (name === null || !concerns(name) || (only !== null && name !== only)) return
    files.add(join(folder, name))
    clearTimeout(timer)
    timer = setTimeout(tell, QUIET_MS)
  }
  const watchers: FSWatcher[] = []
  for (const { folder, only } of foldersOf(paths))
    watchers.push(watch(folder, { recursive: only === null }, (_, name) => note(folder, name, only)))
  return {
    close() {
      clearTimeout(timer)
      for (const watcher of watchers) watcher.close()
    },
  }
}

/**
 * Groups files into the folders of modules: a file belongs to the folder with its index; a single file among
 * other modules stands for itself.
 */
function foldersOf(paths: readonly string[]): { folder: string; only: string | null }[] {
  const all = paths.map((path) => {
    if (statSync(path).isDirectory()) return { folder: path, only: null }
    return { folder: dirname(path), only: /^index\./.test(basename(path)) ? null : basename(path) }
  })
  return all.filter(
    ({ folder, only }, i) => all.findIndex((other) => other.folder === folder && other.only === only) === i,
  )
}
