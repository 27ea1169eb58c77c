// Looks at the processes of a server and of its PostgreSQL while an attack runs: memory, disk, processors,
// deaths.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../durability/processes.ts'
import {
  type Crew,
  crewOf,
  filesIn,
  largestOf,
  postgresWrites,
  processorOf,
  residentOf,
  toilOf,
  writtenBy,
} from './gauges.ts'
import { GIVEN_BACK, NUMBERS, paceOf } from './numbers.ts'
import type { Toil } from './probes.ts'
import type { Setting } from './setting.ts'
import { type Turn, turnsIn } from './turns.ts'

const MB = 1024 ** 2
const EVERY = 100
/** Memory at which the run steps in, for the machine has other users: of the server, and of a backend. */
const GUARD = { server: 2500 * MB, backend: 1500 * MB }
/** Bytes above the start at which memory counts as given back. */
const BACK = 60 * MB

/** Figures at the start: bytes of files, bytes written to the disk, bytes written by PostgreSQL. */
export interface Before {
  readonly files: number
  readonly given: number
  readonly postgres: number | null
}

export class Watch {
  readonly events: string[] = []
  readonly #setting: Setting
  #crew: Crew
  #timer: NodeJS.Timeout | undefined
  #ticks = 0
  #start = { resident: 0, moment: 0, own: 0, all: 0 }
  #peak = { server: 0, backend: 0, files: 0 }

  constructor(setting: Setting) {
    this.#setting = setting
    this.#crew = this.#look()
    this.#start = { resident: 0, moment: performance.now(), ...this.#processor() }
  }

  /** Begins; what is written to disk is looked at only where it counts. */
  async begin(open: boolean): Promise<Before> {
    const { dataDir } = this.#setting
    this.#crew = this.#look()
    const { server } = this.#crew
    const before = open
      ? { files: await filesIn(dataDir), given: writtenBy(server), postgres: await postgresWrites(dataDir) }
      : { files: 0, given: 0, postgres: 0 }
    this.#start = { resident: residentOf(server), moment: performance.now(), ...this.#processor() }
    this.#timer = setInterval(() => this.#tick(open), EVERY)
    return before
  }

  /**
   * Growth at most in megabytes, how long it took in seconds, and the share of the processors that others of
   * this machine had.
   */
  end(): { grown: number; backend: number; seconds: number; others: number } {
    const { moment, resident } = this.#start
    this.#tick(false)
    const seconds = (performance.now() - moment) / 1000
    return {
      grown: Math.max(0, Math.round((this.#peak.server - resident) / MB)),
      backend: Math.round(this.#peak.backend / MB),
      seconds: Math.round(seconds * 10) / 10,
      others: this.#others(),
    }
  }

  /**
   * Processor time of the server so far, and the time that it and this process waited for a processor.
   */
  toil(): Toil {
    const { worked, starved } = toilOf(this.#crew.server)
    return { worked, starved: starved + toilOf([process.pid]).starved }
  }

  /** Long turns of the server's main threads since the attack began, and some of before. */
  turns(): readonly Turn[] {
    const began = performance.timeOrigin + this.#start.moment
    return turnsIn(this.#setting.turns).filter(({ to }) => to >= began)
  }

  /** The factor by which other load has slowed the machine down since this watch was created. */
  pace(): number {
    return paceOf({ others: this.#others() })
  }

  /**
   * Waits until memory is given back, for `most` milliseconds, and much longer while more is kept than may
   * be; gives the bytes that are kept.
   */
  async untilBack(most: number): Promise<number> {
    const began = performance.now()
    for (;;) {
      const kept = residentOf(this.#crew.server) - this.#start.resident
      const wait = kept > NUMBERS.kept * MB ? GIVEN_BACK : most
      if (kept < BACK || performance.now() > began + wait) return Math.max(0, kept)
      await sleep(250)
    }
  }

  /** Bytes written to disk since: files that were there for a while count at their largest. */
  async written({ files, given: givenBytes, postgres }: Before): Promise<number> {
    const { dataDir } = this.#setting
    const peak = Math.max(this.#peak.files, await filesIn(dataDir)) - files
    const now = postgres === null ? null : await postgresWrites(dataDir)
    const logged = now === null || postgres === null ? 0 : now - postgres
    return Math.max(0, peak, writtenBy(this.#crew.server) - givenBytes) + logged
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** The share of all processors that others of this machine had since the start. */
  #others(): number {
    const { own: ownTime, all } = this.#start
    const now = this.#processor()
    const total = now.all - all
    const idle = Math.max(0, (performance.now() - this.#start.moment) / 1000) * availableParallelism()
    return Math.max(0, Math.round((100 * (total - (now.own - ownTime))) / (idle || 1)) / 100)
  }

  #look(): Crew {
    return crewOf(this.#setting.served().pid, this.#setting.dataDir)
  }

  #processor(): { own: number; all: number } {
    return processorOf([
      ...this.#crew.server,
      ...this.#crew.postgres,
      ...crewOf(process.pid, this.#setting.dataDir).server,
    ])
  }

  #tick(open: boolean): void {
    const { server, postgres } = this.#crew
    const gone = server.filter((pid) => !isAlive(pid))
    if (gone.length) {
      this.#note(`a process of the server died (${gone.join(', ')})`)
      this.#crew = this.#look()
    }
    // New backends come and go.
    if (this.#ticks++ % 5 === 0) {
      const now = this.#look()
      this.#crew = { server: this.#crew.server, postgres: now.postgres }
      if (postgres.length && postgres[0] !== now.postgres[0]) this.#note('PostgreSQL died')
      if (open) void filesIn(this.#setting.dataDir).then((bytes) => this.#highest('files', bytes))
    }
    this.#weigh(residentOf(server), largestOf(postgres))
  }

  #weigh(resident: number, largest: { pid: number; bytes: number }): void {
    this.#highest('server', resident)
    this.#highest('backend', largest.bytes)
    if (resident > GUARD.server) this.#guard('the server', this.#crew.server.at(-1) ?? 0, 'SIGKILL')
    if (largest.bytes > GUARD.backend) this.#guard('a backend', largest.pid, 'SIGINT')
  }

  #guard(what: string, pid: number, signal: NodeJS.Signals): void {
    this.#note(`${what} was stopped by this run, for its memory`)
    if (pid && isAlive(pid)) process.kill(pid, signal)
  }

  #note(event: string): void {
    if (!this.events.includes(event)) this.events.push(event)
  }

  #highest(what: 'server' | 'backend' | 'files', bytes: number): void {
    this.#peak[what] = Math.max(this.#peak[what], bytes)
  }
}
