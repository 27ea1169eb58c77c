// Resources that a server uses: memory of its processes and of PostgreSQL, bytes written, processors.
// Linux only: it reads /proc.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { Copying } from '../../src/postgres/index.ts'
import { postmasterOf, withDescendants } from '../durability/processes.ts'
import type { Toil } from './probes.ts'

const run = promisify(execFile)

/** The processes of a server, as they are at one moment. */
export interface Crew {
  /** Those that answer, and the one that looks after them. */
  readonly server: readonly number[]
  readonly postgres: readonly number[]
}

export function crewOf(pid: number, dataDir: string): Crew {
  const postmaster = postmasterOf(dataDir)
  const postgres = postmaster === null ? [] : withDescendants(postmaster)
  // One that PostgreSQL began between the two looks is not the server's.
  const isOurs = (pid: number) => !postgres.includes(pid) && !['', 'postgres'].includes(commandOf(pid))
  return { server: withDescendants(pid).filter(isOurs), postgres }
}

/** The program's name of a process; empty if it has ended. */
const commandOf = (pid: number): string => readOrEmpty(`/proc/${pid}/comm`).trim()

/** A number of kilobytes in a process's status, as bytes; 0 for one that is gone. */
function statusBytes(pid: number, name: string): number {
  const text = readOrEmpty(`/proc/${pid}/status`)
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
}

/** Resident memory of all of them. */
export const residentOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + statusBytes(pid, 'VmRSS'), 0)

/** The one with most memory of its own. */
export function largestOf(pids: readonly number[]): { pid: number; bytes: number } {
  return pids
    .map((pid) => ({ pid, bytes: statusBytes(pid, 'RssAnon') }))
    .reduce((a, b) => (b.bytes > a.bytes ? b : a), { pid: 0, bytes: 0 })
}

/** Bytes that processes gave to the disk. */
export const writtenBy = (pids: readonly number[]): number =>
  pids.reduce(
    (sum, pid) => sum + Number(/^write_bytes: (\d+)/m.exec(readOrEmpty(`/proc/${pid}/io`))?.[1] ?? 0),
    0,
  )

/** Seconds of processor: of these processes, and of the whole machine. */
export function processorOf(pids: readonly number[]): { own: number; all: number } {
  const ownTicks = pids.reduce((sum, pid) => {
    const stat = readOrEmpty(`/proc/${pid}/stat`)
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return sum + [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(fields[at] ?? 0), 0)
  }, 0)
  const [, user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, steal = 0] =
    readOrEmpty('/proc/stat').split('\n', 1)[0]?.split(/\s+/).map(Number) ?? []
  return { own: ownTicks / 100, all: (user + nice + system + irq + soft + steal) / 100 }
}

/**
 * Milliseconds in which the main threads of processes worked, and in which they were ready and got no
 * processor.
 */
export function toilOf(pids: readonly number[]): Toil {
  let [worked, starved] = [0, 0]
  for (const pid of pids) {
    const [ran = 0, waited = 0] = readOrEmpty(`/proc/${pid}/schedstat`).split(' ').map(Number)
    worked += ran / 1e6
    starved += waited / 1e6
  }
  return { worked, starved }
}

/** Bytes below a data directory, PostgreSQL's own left out. */
export async function filesIn(dataDir: string): Promise<number> {
  const { stdout } = await run('du', ['-sb', '--exclude=postgres', dataDir]).catch(() => ({ stdout: '0' }))
  return Number.parseInt(stdout, 10)
}

/**
 * Bytes that PostgreSQL wrote into its log of changes and into temporary files; null while it does not
 * answer.
 */
export async function postgresWrites(dataDir: string): Promise<number | null> {
  try {
    const { port, user, password } = JSON.parse(readFileSync(`${dataDir}/postgres.json`, 'utf8')) as Record<
      string,
      never
    >
    const connection = await Copying.connect({
      host: '127.0.0.1',
      port,
      user,
      password,
      database: 'postgres',
    })
    try {
      const [row] = await connection.query(
        "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 + (SELECT coalesce(sum(temp_bytes), 0)::float8 FROM pg_stat_database)",
      )
      return Number(row?.[0])
    } finally {
      await connection.close()
    }
  } catch {
    return null
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
