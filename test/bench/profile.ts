// Profiles of a server in another process, by the inspector's protocol: a file a case, to open in a browser's
// developer tools.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a child process listen for the inspector on the loopback, on any free port. */
export const INSPECT = '--inspect=127.0.0.1:0'

/** Where the inspector listens, from what the process printed. Throws when it printed no such line. */
export function inspectorOf(output: string): string {
  const url = /^Debugger listening on (ws:\S+)/m.exec(output)?.[1]
  if (!url) throw new Error('the server has no inspector')
  return url
}

export class Profiler {
  readonly #socket: WebSocket
  readonly #folder: string
  readonly #waiting = new Map<number, (result: Record<string, unknown>) => void>()
  #asked = 0

  private constructor(socket: WebSocket, folder: string) {
    this.#socket = socket
    this.#folder = folder
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id: number; result: Record<string, unknown> }
      this.#waiting.get(id)?.(result)
      this.#waiting.delete(id)
    })
  }

  static async open(url: string, folder: string): Promise<Profiler> {
    mkdirSync(folder, { recursive: true })
    const socket = new WebSocket(url)
    await new Promise((done, fail) => {
      socket.addEventListener('open', done)
      socket.addEventListener('error', fail)
    })
    const profiler = new Profiler(socket, folder)
    await profiler.#ask('Profiler.enable')
    return profiler
  }

  /** Runs `work` and writes what the process did meanwhile; gives its result. */
  async during<T>(name: string, work: () => Promise<T>): Promise<T> {
    await this.#ask('Profiler.start')
    const result = await work()
    const { profile } = await this.#ask('Profiler.stop')
    writeFileSync(join(this.#folder, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`), JSON.stringify(profile))
    return result
  }

  close(): void {
    this.#socket.close()
  }

  #ask(method: string): Promise<Record<string, unknown>> {
    const id = ++this.#asked
    const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
    this.#waiting.set(id, resolve)
    this.#socket.send(JSON.stringify({ id, method }))
    return promise
  }
}
