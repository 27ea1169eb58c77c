// Watches the programs that started this process: npm runs scripts through a shell, and either may be killed
// without a signal to the processes below it.
import { readFileSync } from 'node:fs'

/** Milliseconds between two looks. */
const LOOK_MS = 500

/** Shells stand between npm and what it runs. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'ash', 'zsh', 'busybox'])

/**
 * Calls `gone` once npm, or the shell between npm and this process, has ended. Without npm nothing is
 * watched: a shell with `nohup` or a supervisor may end before the server on purpose.
 */
export function watchNpm(gone: () => void): void {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const parentStat = statOf(parent)
  const above = parentStat && SHELLS.has(parentStat.name) ? parentStat.parent : null
  const timer = setInterval(() => {
    if (process.ppid === parent && (above === null || statOf(parent)?.parent === above)) return
    clearInterval(timer)
    gone()
  }, LOOK_MS).unref()
}

/** Name and parent of a process on Linux; null elsewhere, where only the direct parent is watched. */
function statOf(pid: number): { readonly name: string; readonly parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    return { name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(stat.slice(end + 2).split(' ')[1]) }
  } catch {
    return null
  }
}
