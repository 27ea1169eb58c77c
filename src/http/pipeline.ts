// Requests that a client sends on one connection without waiting for answers: a few run at once, others wait for their turn, and not without number.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../limits.ts'
import { linger } from './linger.ts'

/** Requests of one connection that run at once. */
const AT_ONCE = 8
/** Seconds after which those may try again for whom there was no room. */
const RETRY_AFTER = 5

type Handler = (message: IncomingMessage, response: ServerResponse) => void

interface Line {
  running: number
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[]
  /** It ends with a refusal: what comes behind it has no answer. */
  isFull: boolean
}

/** Puts the requests of each connection of a server in line before its handler. */
export function lineUp(server: Server): void {
  const [handler] = server.listeners('request') as Handler[]
  if (!handler) return
  server.removeListener('request', handler)
  const lines = new WeakMap<Socket, Line>()

  const run = (line: Line, message: IncomingMessage, response: ServerResponse) => {
    line.running++
    linger(message, response)
    response.once('close', () => {
      line.running--
      const next = line.waiting.shift()
      if (next) run(line, ...next)
    })
    handler.call(server, message, response)
  }
  server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    const { socket } = message
    let line = lines.get(socket)
    if (!line) {
      line = { running: 0, waiting: [], isFull: false }
      lines.set(socket, line)
    }
    if (line.running < AT_ONCE) run(line, message, response)
    else if (line.waiting.length < limits.pipelined) line.waiting.push([message, response])
    else if (!line.isFull) {
      line.isFull = true
      response.writeHead(503, { 'retry-after': String(RETRY_AFTER), 'content-length': 0, connection: 'close' }).end()
    }
  })
}
