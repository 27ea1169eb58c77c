// Runs the commands of documents: bash with a `curl`, in a folder, with processes that are stopped at
// the end.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Outcome {
  /** Null while it runs. */
  readonly code: number | null
  readonly output: string
}

export class Shell {
  readonly #folder: string
  readonly #started: ChildProcess[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Runs commands in bash until they end, or until they print `until`. */
  run(commands: string, env: NodeJS.ProcessEnv, until: string | null = null): Promise<Outcome> {
    return this.program(['bash', '-euo', 'pipefail', '-c', commands], env, until)
  }

  /** Runs a program until it ends, or until it prints `until`. */
  async program(
    [program, ...args]: readonly [string, ...string[]],
    env: NodeJS.ProcessEnv,
    until: string | null = null,
  ): Promise<Outcome> {
    const child = spawn(program, args, {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#started.push(child)
    let output = ''
    const ended = once(child, 'close').then(() => undefined)
    const reached = new Promise<void>((done) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString('utf8')
          if (until !== null && output.includes(until)) done()
        })
      }
    })
    await Promise.race(until === null ? [ended] : [ended, reached])
    return { code: child.exitCode, output }
  }

  /** Stops what still runs. */
  async stop(): Promise<void> {
    for (const child of this.#started) await stopGroup(child.pid as number)
  }
}

/**
 * Asks all processes of a group to stop and waits until the last one did: the server outlives the shell that
 * started it.
 */
async function stopGroup(group: number): Promise<void> {
  for (let signal: 'SIGTERM' | 0 = 'SIGTERM'; ; signal = 0) {
    try {
      process.kill(-group, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    await sleep(20)
  }
}

/** The environment of a newcomer: nothing of ours, and a `curl` in `folder` where the machine has none. */
export function shellEnv(folder: string): NodeJS.ProcessEnv {
  const foreign = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('COMPTOIR_') && name !== 'NODE_TEST_CONTEXT',
  )
  return { ...Object.fromEntries(foreign), PATH: withCurl(process.env.PATH ?? '', folder) }
}

function withCurl(path: string, folder: string): string {
  if (path.split(delimiter).some((folderOfPath) => existsSync(join(folderOfPath, 'curl')))) return path
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  const script = `#!/bin/sh\nexec "${process.execPath}" --disable-warning=ExperimentalWarning "${join(import.meta.dirname, 'curl.ts')}" "$@"\n`
  writeFileSync(join(tools, 'curl'), script, { mode: 0o755 })
  return `${tools}${delimiter}${path}`
}
