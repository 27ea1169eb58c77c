// Processor time of processes, from /proc: what a request costs besides waiting. Linux only.
import { readdirSync, readFileSync } from 'node:fs'
import { canLook, withDescendants } from '../durability/processes.ts'

/**
 * Ticks of the clock in a second, in which Linux counts (sysconf CLK_TCK, 100 on every platform that Node
 * runs on).
 */
const TICKS = 100

/**
 * Processor seconds of a process and its descendants so far, except `without` and its descendants; 0
 * where /proc is missing.
 */
export function cpuSeconds(pid: number | null, without: number | null = null): number {
  if (pid === null || !canLook) return 0
  const others = new Set(without === null ? [] : withDescendants(without))
  let seconds = 0
  for (const descendant of withDescendants(pid)) if (!others.has(descendant)) seconds += secondsOf(descendant)
  return seconds
}

/** Processor time of a process by thread, in nanoseconds, plus the ticks of children that ended. */
function secondsOf(pid: number): number {
  try {
    let nanoseconds = 0
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Fields 16 and 17 of proc(5). The program's name may contain spaces, so counting starts after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return nanoseconds / 1e9 + (Number(fields[13]) + Number(fields[14])) / TICKS
  } catch (error) {
    // It ended between the list and the look.
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return 0
    throw error
  }
}
