// The parent's side of a lane: a process that gets test files and reports their results.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { root } from './prepare.ts'
import type { Result } from './reporter.ts'

/** The results of a file's tests, and the output of the process meanwhile. */
export interface FileOutcome {
  readonly file: string
  readonly seconds: number
  readonly results: readonly Result[]
  readonly output: string
}

type Message = Result | { readonly kind: 'next' }

/**
 * Ends what hangs, and measures nothing: a file that takes a minute alone takes ten on a busy machine.
 */
const HANGS_AFTER_MS = 1_200_000
/** As much of what a file prints as is shown when it fails. */
const SHOWN_OUTPUT = 20_000

export class LaneProcess {
  /** Number of files that it got. */
  files = 0
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  /** Resolves when the process asks for a file, or has ended. */
  #asks = Promise.withResolvers<void>()
  #results: Result[] = []
  #output = ''

  constructor(environment: NodeJS.ProcessEnv, flags: readonly string[]) {
    const args = [
      '--disable-warning=ExperimentalWarning',
      `--import=${new URL('../../bin/imports.js', import.meta.url)}`,
      `--import=${new URL('cheap-tests.ts', import.meta.url)}`,
      `--test-reporter=${new URL('reporter.ts', import.meta.url)}`,
      ...flags,
      join(root, 'scripts/tests/lane.ts'),
    ]
    this.#child = spawn(process.execPath, args, {
      cwd: root,
      // A lane reports its results itself, even if a test of Node.js started it.
      env: { ...environment, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.#exited = once(this.#child, 'exit')
    this.#exited.then(() => this.#asks.resolve())
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString('utf8')).slice(-SHOWN_OUTPUT)
      })
    this.#child.on('message', (message: Message) => {
      if (message.kind === 'next') this.#asks.resolve()
      else this.#results.push(message)
    })
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Runs a file to its end. A process that ends before fails the file. */
  async run(file: string): Promise<FileOutcome> {
    this.files++
    await this.#asks.promise
    this.#asks = Promise.withResolvers()
    if (this.isOver) this.#asks.resolve()
    this.#results = []
    this.#output = ''
    const began = performance.now()
    if (!this.isOver) this.#child.send(resolve(root, file))
    const hanging = setTimeout(() => this.kill('SIGKILL'), HANGS_AFTER_MS)
    await this.#asks.promise
    clearTimeout(hanging)
    const seconds = (performance.now() - began) / 1000
    const results = this.isOver ? [...this.#results, this.#brokenOff()] : this.#results
    return { file, seconds, results, output: this.#output }
  }

  #brokenOff(): Result {
    const { exitCode, signalCode } = this.#child
    return {
      kind: 'result',
      nesting: 1,
      name: 'the process of the tests stays until they are over',
      isSuite: false,
      outcome: 'failed',
      isCause: true,
      milliseconds: 0,
      error: `It ended with ${exitCode ?? signalCode}.`,
    }
  }

  /** Sends the end of the files, and waits until the process has ended. */
  async end(): Promise<void> {
    await this.#asks.promise
    if (!this.isOver && this.#child.connected) this.#child.send(null as never)
    await this.#exited
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}
