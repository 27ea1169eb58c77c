// postmaster.pid: which process is the server of some database files, and whether it still is.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Reads postmaster.pid: a server on these files, which may be gone. `ready`: it has its port and accepts
 * clients. The format: PostgreSQL's miscadmin.h, LOCK_FILE_LINE_*.
 */
export function readPidFile(pgdata: string): { pid: number; port: number; ready: boolean } | undefined {
  try {
    const lines = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
  } catch {
    return undefined
  }
}

/** Whether there is a process of this number, whatever it is. */
function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether `pid` is a server on these files, and not one that happens to have got the number since. */
export function isServer(pid: number, pgdata: string): boolean {
  if (!isAlive(pid)) return false
  if (process.platform === 'win32') return true
  try {
    const command = existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    return command.includes(pgdata)
  } catch {
    return false
  }
}

/**
 * After a restart of the machine (or container) the number in postmaster.pid may belong to another process,
 * and PostgreSQL would refuse to start. The file is not removed, since its other lines protect against
 * children of a dead server that still write; but a server ignores the number of its own parent.
 */
export function disownPidFile(pgdata: string): void {
  const noted = readPidFile(pgdata)
  if (!noted || isServer(noted.pid, pgdata)) return
  const path = join(pgdata, 'postmaster.pid')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^.*/, String(process.pid)))
}
