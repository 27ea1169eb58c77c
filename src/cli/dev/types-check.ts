// Runs the compiler on the project while the server runs: Node.js strips types without checking them.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Lines of complaints that are shown. */
const MOST_LINES = 20

export class TypesCheck {
  readonly #compiler: string | null
  readonly #folder: string
  readonly #tell: (text: string) => void
  #running: ChildProcess | undefined
  #complained = false

  /** Checks the project in `folder`; does nothing without a compiler or a tsconfig.json. */
  constructor(folder: string, tell: (text: string) => void) {
    this.#folder = folder
    this.#tell = tell
    this.#compiler = existsSync(join(folder, 'tsconfig.json')) ? compilerOf(folder) : null
  }

  /** Checks again; a running check is aborted. */
  start(): void {
    this.stop()
    if (this.#compiler === null) return
    const child = spawn(
      process.execPath,
      [this.#compiler, '--noEmit', '--pretty', 'false', '-p', this.#folder],
      {
        cwd: this.#folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    this.#running = child
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
    child.once('close', (code) => this.#running === child && this.#report(code, text))
  }

  stop(): void {
    this.#running?.kill()
    this.#running = undefined
  }

  #report(code: number | null, text: string): void {
    this.#running = undefined
    const lines = text.trimEnd().split('\n')
    if (code !== 0) {
      const more = lines.length > MOST_LINES ? `\n… and ${lines.length - MOST_LINES} lines more` : ''
      this.#tell(`the compiler reports errors:\n${lines.slice(0, MOST_LINES).join('\n')}${more}`)
    } else if (this.#complained) this.#tell('the compiler reports no errors')
    this.#complained = code !== 0
  }
}

/** The compiler that the project has installed. */
function compilerOf(folder: string): string | null {
  try {
    return join(
      dirname(createRequire(join(folder, 'index.js')).resolve('typescript/package.json')),
      'bin',
      'tsc',
    )
  } catch {
    return null
  }
}
