// A run of test files in lanes: distributes files, prints failures as they occur, and ends with counts
// and the slowest files.
import { LaneProcess } from './lane-process.ts'
import { Outcomes } from './outcomes.ts'

export interface TestFile {
  /** Path from the root of the project. */
  readonly file: string
  readonly hasOwnProcess: boolean
}

interface RunOptions {
  /** In the order in which they begin. */
  readonly files: readonly TestFile[]
  readonly environment: NodeJS.ProcessEnv
  readonly lanes: number
  /** Options of Node.js for the processes. */
  readonly flags: readonly string[]
}

/**
 * Files after which a lane is replaced by a fresh process, so that what it keeps in memory stays bounded.
 */
const FILES_OF_A_LANE = 80
const PROGRESS_MS = 30_000
/**
 * Lanes keep hundreds of megabytes: what is young is collected late, so that little of it is moved, and by
 * one thread, so that none waits for helpers.
 */
const LANE_FLAGS = ['--max-semi-space-size=64', '--single-threaded-gc']

export class Run {
  readonly #options: RunOptions
  readonly #waiting: TestFile[]
  readonly #outcomes = new Outcomes()
  readonly #processes = new Set<LaneProcess>()
  #stopped = false

  constructor(options: RunOptions) {
    this.#options = options
    this.#waiting = [...options.files]
  }

  /** Ends all processes; `finish` then gives false. */
  stop(signal: NodeJS.Signals): void {
    this.#stopped = true
    this.#waiting.length = 0
    for (const lane of this.#processes) lane.kill(signal)
  }

  /** Runs all files; whether everything passed. */
  async finish(): Promise<boolean> {
    const progress = setInterval(() => {
      const { over, failed } = this.#outcomes
      console.log(
        `${over} of ${this.#options.files.length} test files are done${failed ? `, ${failed} tests failed` : ''}`,
      )
    }, PROGRESS_MS)
    await Promise.all(Array.from({ length: this.#options.lanes }, () => this.#runLane()))
    clearInterval(progress)
    this.#outcomes.tell()
    return this.#outcomes.failed === 0 && !this.#stopped
  }

  async #runLane(): Promise<void> {
    let lane: LaneProcess | undefined
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const isFull = lane && (lane.isOver || lane.files >= FILES_OF_A_LANE)
      if (lane && (isFull || next.hasOwnProcess)) {
        await this.#end(lane)
        lane = undefined
      }
      lane ??= this.#start(next.hasOwnProcess ? [] : LANE_FLAGS)
      this.#outcomes.add(await lane.run(next.file))
      if (!next.hasOwnProcess) continue
      await this.#end(lane)
      lane = undefined
    }
    if (lane) await this.#end(lane)
  }

  #start(flags: readonly string[]): LaneProcess {
    const lane = new LaneProcess(this.#options.environment, [...flags, ...this.#options.flags])
    this.#processes.add(lane)
    return lane
  }

  async #end(lane: LaneProcess): Promise<void> {
    await lane.end()
    this.#processes.delete(lane)
  }
}
