// The programs that started us: npm's scripts run behind npm and a shell, which may be killed without a word
// to those below them.
import { readFileSync } from 'node:fs'

/** How often they are looked for. */
const LOOK_MS = 500

/** Shells stand between npm and what it runs. */
const SHELLS: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'ash', 'zsh', 'busybox'])

/**
 * Calls `gone` once npm, or the shell that it runs us by, is not there any more. Who starts a server
 * otherwise may leave it behind: a shell with `nohup`, a supervisor that starts anew.
 */
export function watchNpm(gone: () => void): void {
  if (!process.env.npm_lifecycle_event) return
  const parent = process.ppid
  const own = statOf(parent)
  const above = own && SHELLS.has(own.name) ? own.parent : null
  const timer = setInterval(() => {
    if (process.ppid === parent && (above === null || statOf(parent)?.parent === above)) return
    clearInterval(timer)
    gone()
  }, LOOK_MS).unref()
}

/** What Linux tells of a process; null elsewhere, where the shell is not looked behind. */
function statOf(pid: number): { readonly name: string; readonly parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const end = stat.lastIndexOf(')')
    return { name: stat.slice(stat.indexOf('(') + 1, end), parent: Number(stat.slice(end + 2).split(' ')[1]) }
  } catch {
    return null
  }
}
