// The folder in which a run of the tests keeps what it writes: in memory where there is room, and gone
// afterwards with every process left in it.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
/** Databases, packages and a browser at once need a fraction of this. */
const ROOM = 3 * 2 ** 30
/** Further free memory: files in this folder use the memory that the tests themselves need. */
const FREE = 2 * ROOM

/**
 * Makes the folder. Databases come and go by the hundred, each of hundreds of files, which disks (their file
 * systems, even without a sync) take seconds for. A TMPDIR of one's own wins, and /dev/shm must be large (in
 * containers it seldom is) and let programs run.
 */
export function makeTestFolder(): string {
  const { TMPDIR = '/tmp' } = process.env
  const folder = (TMPDIR === '/tmp' && inMemory()) || mkdtempSync(join(tmpdir(), 'comptoir-tests-'))
  // The account PostgreSQL runs under has to get through.
  chmodSync(folder, 0o711)
  return folder
}

function inMemory(): string | undefined {
  if (process.platform !== 'linux' || process.availableMemory() < FREE) return undefined
  let folder: string | undefined
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < ROOM) return undefined
    folder = mkdtempSync(join(MEMORY, 'comptoir-tests-'))
    const program = join(folder, 'runs')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    if (spawnSync(program).status === 0) return folder
  } catch {
    // No such place, or not for us: the disk is slower, and does as well.
  }
  if (folder) rmSync(folder, { recursive: true, force: true })
  return undefined
}

/** Ends what tests that were interrupted left running, such as database servers, and removes the folder. */
export function clearTestFolder(folder: string): void {
  for (const [pid, signal] of leftIn(folder)) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended by itself.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

/**
 * Processes whose TMPDIR is the folder, which no other process uses. On SIGQUIT, PostgreSQL stops at
 * once together with its child processes.
 */
function* leftIn(folder: string): Generator<[pid: number, signal: NodeJS.Signals]> {
  if (process.platform !== 'linux') return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TMPDIR=${folder}`)) continue
      const isPostgres = /^\S*postgres\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      yield [Number(pid), isPostgres ? 'SIGQUIT' : 'SIGKILL']
    } catch {
      // It has ended, or is not ours to look at.
    }
  }
}
