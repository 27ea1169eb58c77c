// The local socket of a running server. The file system is the credential: the socket belongs to the account
// that owns the data directory, and no other account may connect to it.
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { Config } from '../../config/index.ts'
import type { Databases } from '../../databases/index.ts'
import { BadRequest, ServiceError, StartupError } from '../../errors.ts'
import type { Log } from '../../http/log.ts'
import { messageOf } from '../../kit/caught.ts'
import { forPeople } from '../databases.ts'
import { type CommandName, localCommands } from './commands.ts'
import {
  HELLO,
  LONGEST_REQUEST,
  type LocalAnswer,
  type LocalRequest,
  postgresOf,
  socketOf,
  VERSION,
} from './protocol.ts'

/** Commands that run at a time; further ones cannot connect, and do their work by themselves. */
const CONNECTIONS = 16

/** Milliseconds in which a request must have come, and in which its answer must be taken. */
const PATIENCE_MS = 10_000

export interface LocalSocket {
  /** Takes no more commands; resolves when those under way are done. */
  close(): Promise<void>
}

/**
 * Listens for commands in the data directory, which this process must hold exclusively: the socket of a
 * process that died is replaced. Null if the system, or the disk, does not support such sockets: commands
 * work without.
 */
export async function openLocalSocket(
  config: Config,
  databases: Databases,
  log: Log,
): Promise<LocalSocket | null> {
  const path = socketOf(config.dataDir)
  if (path === null) return null
  const reading = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    reading.add(socket)
    const end = (answer: LocalAnswer) => {
      socket.setTimeout(PATIENCE_MS, () => socket.destroy())
      socket.end(JSON.stringify(answer), () => socket.destroy())
    }
    void requestOf(socket)
      .finally(() => reading.delete(socket))
      .then((text) => answerTo(text, { config, databases, log }))
      .then(end, (error: unknown) => end({ refused: messageOf(error) }))
  })
  server.maxConnections = CONNECTIONS
  try {
    await listen(server, path)
  } catch (error) {
    server.close()
    log.warn('Cannot create the command socket in the data directory: commands will be slower', { error })
    return null
  }
  server.on('error', (error) => log.error('The local socket for commands failed', { error }))
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of reading) socket.destroy()
      }),
  }
}

/** Binds the socket so that it is closed to other accounts from its first moment on. */
async function listen(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true })
  const listening = once(server, 'listening')
  // A folder that another thread makes meanwhile can still be entered, as it could not under 0o177.
  const mask = process.umask(0o077)
  try {
    // Bound before this returns, and not by the primary process, which would bind it with its own umask.
    server.listen({ path, exclusive: true })
  } finally {
    process.umask(mask)
  }
  await listening
  chmodSync(path, 0o600)
}

/** The text of a request. Throws BadRequest for too much of it, and an error when it does not come. */
async function requestOf(socket: Socket): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS)
  try {
    for await (const part of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += part.length
      if (length > LONGEST_REQUEST)
        throw new BadRequest(`Command too long: at most ${LONGEST_REQUEST} bytes. Use the API instead.`)
      parts.push(part)
    }
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(parts).toString('utf8')
}

interface Surroundings {
  readonly config: Config
  readonly databases: Databases
  readonly log: Log
}

async function answerTo(text: string, { config, databases, log }: Surroundings): Promise<LocalAnswer> {
  const request = parse(text)
  if (request.version !== VERSION || request.postgres !== postgresOf(config)) return { declined: true }
  const { command, args } = request
  if (command === HELLO) return { result: null }
  if (!isCommand(command)) return { declined: true }
  try {
    return { result: await runCommand(command, databases, args) }
  } catch (error) {
    const failure = forPeople(error)
    if (failure instanceof ServiceError || failure instanceof StartupError)
      return { refused: failure.message }
    log.error('A command of the command line failed', { command, error })
    return { refused: messageOf(error), unexpected: true }
  }
}

/** The command line of the same version sends what a command takes. */
function runCommand(name: CommandName, databases: Databases, args: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(localCommands[name], null, [databases, ...args])
}

const isCommand = (name: string): name is CommandName => Object.hasOwn(localCommands, name)

/** Throws BadRequest for what no command of any version sends. */
function parse(text: string): LocalRequest {
  try {
    const request: Partial<LocalRequest> | null = JSON.parse(text)
    const { version, postgres, command, args } = request ?? {}
    if (typeof version === 'number' && typeof postgres === 'string' && typeof command === 'string')
      return { version, postgres, command, args: Array.isArray(args) ? args : [] }
  } catch {
    // Refused below, with all else that is no request.
  }
  throw new BadRequest('This socket is for the comptoir command line.')
}
