// Processes of a server and of its PostgreSQL, and their sudden end. Linux only: it reads /proc.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Whether this machine lets us look at processes. */
export const canLook = existsSync('/proc/self/stat')

/** Process id of the PostgreSQL that serves a data directory, or null when its files name none. */
export function postmasterOf(dataDir: string): number | null {
  const place = join(dataDir, 'postgres.json')
  if (!existsSync(place)) return null
  const { pgdata } = JSON.parse(readFileSync(place, 'utf8')) as { pgdata: string }
  // Relative to the data directory.
  const file = resolve(dataDir, pgdata, 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null
}

/** A process and all that descend from it. */
export function withDescendants(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readOrNull(join('/proc', name, 'stat')) : null
    // The program's name, the second field, may contain spaces and parentheses, so fields are counted
    // after it.
    const parent = stat ? Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) : Number.NaN
    if (!Number.isNaN(parent)) parents.set(Number(name), parent)
  }
  const pids = [pid]
  for (const pid of pids) for (const [child, parent] of parents) if (parent === pid) pids.push(child)
  return pids.filter((descendant) => descendant === pid || parents.has(descendant))
}

/** Resident memory in bytes of a process and of those below it that run the same program. */
export function residentBytes(pid: number): number {
  const program = readlinkSync(`/proc/${pid}/exe`)
  let kilobytes = 0
  for (const process of withDescendants(pid)) {
    const status = readOrNull(`/proc/${process}/status`) ?? ''
    if (process === pid || programOf(process) === program)
      kilobytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0)
  }
  return kilobytes * 1024
}

function programOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/exe`)
  } catch {
    return null
  }
}

/**
 * Whether a process is there and no zombie. A zombie with threads counts as alive: a killed process whose
 * first thread has ended keeps its sockets, the listening ones too, until the last of its threads has.
 */
export function isAlive(pid: number): boolean {
  const status = readOrNull(`/proc/${pid}/status`)
  return status !== null && !(/^State:\s+Z/m.test(status) && /^Threads:\s+1$/m.test(status))
}

/** SIGKILL for all of them, then waits until they have ended. No process can clean up. */
export async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  while (pids.some(isAlive)) await new Promise((done) => setTimeout(done, 10))
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
