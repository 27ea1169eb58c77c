// Runs the command line in processes of its own: `serve` for tests that stop or kill it, and single commands.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** A server that answers, in a process group of its own. */
export interface Served {
  readonly url: string
  readonly pid: number
  /** Its output so far, both streams. */
  output(): string
  /**
   * The value printed at the first start for a label such as `API key`, in the file that the output
   * names. Throws if there is no such value.
   */
  said(word: string): string
  /** Asks it to stop and waits until it did; gives the exit code. */
  stop(): Promise<number | null>
  readonly exited: Promise<unknown>
  /** Whether it ended, however. */
  isOver(): boolean
}

/** Environment of a child: none of the settings that the tests themselves run under. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('COMPTOIR_') && name !== 'NODE_TEST_CONTEXT',
    ),
  )
}

/**
 * Options of its process: flags of Node.js, and settings that must not appear in the list of processes.
 */
interface Starting {
  /** Another checkout, whose server it is. */
  readonly from?: string
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** As `npm start` has them. */
const usual = ['--max-semi-space-size=8']

/** Options for a server whose calls wait as long as a slow machine needs (patience.ts). */
export const patiently: Starting = {
  flags: [...usual, `--import=${new URL('patience.ts', import.meta.url)}`],
}

function start(
  args: readonly string[],
  { from = root, flags = usual, environment = {} }: Starting = {},
): { child: ChildProcess; output: () => string } {
  const bin = join(from, 'bin/comptoir.js')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, bin, ...args], {
    cwd: from,
    // On a slow machine PostgreSQL takes its time for a connection.
    env: { ...cleanEnvironment(), COMPTOIR_CONNECT_SECONDS: '300', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let text = ''
  const add = (chunk: Buffer) => {
    text += chunk.toString('utf8')
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  return { child, output: () => text }
}

/** Starts `serve` on any free port and waits until it listens. Throws with its output when it ends before. */
export async function serve(
  dataDir: string,
  args: readonly string[] = [],
  starting: Starting = {},
): Promise<Served> {
  const { child, output } = start(['serve', '--port', '0', '--data-dir', dataDir, ...args], starting)
  const exited = once(child, 'exit')
  const listening = new Promise<string>((done, fail) => {
    const look = () => {
      const url = /^listening on (\S+)$/m.exec(output())?.[1]
      if (url) done(url)
    }
    child.stdout?.on('data', look)
    exited.then(
      ([code, signal]) =>
        fail(new Error(`serve ended with ${code ?? signal} before it listened:\n${output()}`)),
      fail,
    )
  })
  const url = await listening
  return {
    url,
    pid: child.pid as number,
    output,
    said(word) {
      const file = / are in (\S+)$/m.exec(output())?.[1]
      const match = new RegExp(`^${word}\\s+(\\S+)`, 'm').exec(
        file ? readFileSync(file, 'utf8') : output(),
      )?.[1]
      if (!match) throw new Error(`serve did not say ${word}:\n${output()}`)
      return match
    },
    exited,
    isOver: () => child.exitCode !== null || child.signalCode !== null,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
      return child.exitCode
    },
  }
}

/** Runs one command to its end. */
export async function comptoir(...args: string[]): Promise<{ code: number | null; output: string }> {
  const { child, output } = start(args)
  await once(child, 'close')
  return { code: child.exitCode, output: output() }
}
