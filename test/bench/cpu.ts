// Processor time of processes, from /proc: what a request costs besides waiting. Linux only.
import { readFileSync } from 'node:fs'
import { canLook, withDescendants } from '../durability/processes.ts'

/**
 * Ticks of the clock in a second, in which Linux counts (sysconf CLK_TCK, 100 on every platform that Node
 * runs on).
 */
const TICKS = 100

/**
 * Seconds that a process and those under it have worked so far, without what goes on under `without`; 0 where
 * nobody can tell.
 */
export function cpuSeconds(pid: number | null, without: number | null = null): number {
  if (pid === null || !canLook) return 0
  const others = new Set(without === null ? [] : withDescendants(without))
  let ticks = 0
  for (const one of withDescendants(pid)) if (!others.has(one)) ticks += ticksOf(one)
  return ticks / TICKS
}

function ticksOf(pid: number): number {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    // It ended between the list and the look.
    if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ESRCH'
    )
      return 0
    throw error
  }
  // Fields 14 to 17 of proc(5), counted from behind the program's name: its own time, and that of children
  // that ended.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
}
