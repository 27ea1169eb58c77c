// The end of the local socket in a command: finds out whether a server takes it, and has it carried out.
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Config } from '../../config/index.ts'
import { StartupError } from '../../errors.ts'
import type { RunCommand } from './commands.ts'
import { HELLO, type LocalAnswer, type LocalRequest, postgresOf, socketOf, VERSION } from './protocol.ts'

/** Milliseconds that a server has to answer the greeting: a command does not wait for one that hangs. */
const HELLO_MS = 3000

/** Runs commands in the server of the data directory; null where no server takes them. */
export async function serverOf(config: Config): Promise<RunCommand | null> {
  const path = socketOf(config.dataDir)
  if (path === null) return null
  const ask = (command: string, args: readonly unknown[], patience?: number) =>
    exchange(path, { version: VERSION, postgres: postgresOf(config), command, args }, patience)
  // If no server answers, or it does not know the greeting, the command runs by itself.
  const isServed = await ask(HELLO, [], HELLO_MS)
    .then((answer) => 'result' in answer)
    .catch(() => false)
  if (!isServed) return null
  return async (command, ...args) => {
    const answer = await ask(command, args).catch((cause: unknown) => {
      throw new StartupError(
        'The server stopped before it answered: check whether the command took effect, and run it again if not.',
        { cause },
      )
    })
    if ('refused' in answer) {
      if (answer.unexpected) throw new Error(`${answer.refused} (the log of the server says more)`)
      throw new StartupError(answer.refused)
    }
    if ('declined' in answer) throw new StartupError('The server was replaced: run the command again.')
    return answer.result as never
  }
}

/** Sends a request, and returns the answer. Throws if none comes, within `patience` if that is set. */
async function exchange(path: string, request: LocalRequest, patience?: number): Promise<LocalAnswer> {
  const socket = createConnection({ path })
  if (patience !== undefined)
    socket.setTimeout(patience, () => socket.destroy(new Error('The server does not answer.')))
  socket.end(JSON.stringify(request))
  return JSON.parse(await text(socket)) as LocalAnswer
}
