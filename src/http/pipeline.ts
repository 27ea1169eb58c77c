// Requests that a client sends on one connection without waiting for answers: a few run at once, others wait
// for their turn, and not without number.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceUnavailable } from '../errors.ts'
import { limits } from '../limits.ts'
import { errorHeaders } from '../wire/errors.ts'
import { closeAfterBody } from './linger.ts'

/** Requests of one connection that run at once. */
const AT_ONCE = 8
/** Seconds after which those may try again for whom there was no room. */
const RETRY_AFTER = 5

type Handler = (message: IncomingMessage, response: ServerResponse) => void

interface Line {
  running: number
  waiting: (readonly [IncomingMessage, ServerResponse])[]
}

/** Puts the requests of each connection of a server in line before its handler. */
export function serializeRequests(server: Server): void {
  const [handler] = server.listeners('request') as Handler[]
  if (!handler) return
  server.removeListener('request', handler)
  const lines = new WeakMap<Socket, Line>()

  const run = (line: Line, message: IncomingMessage, response: ServerResponse) => {
    line.running++
    closeAfterBody(message, response)
    response.once('close', () => {
      line.running--
      // Others have their turn in between: a long line must not become one long task.
      if (line.waiting.length > 0) setImmediate(advance, line)
    })
    handler.call(server, message, response)
  }
  const advance = (line: Line) => {
    const [message, response] = (line.running < AT_ONCE && line.waiting.shift()) || []
    if (!message || !response) return
    if (message.socket.destroyed) line.waiting = []
    else run(line, message, response)
  }
  server.on('request', (message: IncomingMessage, response: ServerResponse) => {
    let line = lines.get(message.socket)
    if (!line) {
      line = { running: 0, waiting: [] }
      lines.set(message.socket, line)
    }
    if (line.running < AT_ONCE && line.waiting.length === 0) run(line, message, response)
    else if (line.waiting.length < limits.pipelined) line.waiting.push([message, response])
    else refuse(message, response)
  })
}

/** Every request has an answer: while these wait to be taken, Node.js reads no further requests. */
function refuse(message: IncomingMessage, response: ServerResponse): void {
  message.resume()
  const headers = errorHeaders(new ServiceUnavailable('Too many queued requests on this connection'))
  response.writeHead(503, { ...headers, 'retry-after': String(RETRY_AFTER), 'content-length': 0 }).end()
}
