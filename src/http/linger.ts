// Connections that end with an answer while their request is still arriving: closed at once, the client would
// lose the answer with what it still sends.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { announcesBody } from './body.ts'

/** Milliseconds that an unwanted body may take to end. */
const PATIENCE = 60_000

/** Closes a connection that the client wants closed after the answer only once the body has arrived. */
export function closeAfterBody(message: IncomingMessage, response: ServerResponse): void {
  if (response.shouldKeepAlive || message.headers.expect || !announcesBody(message)) return
  response.shouldKeepAlive = true
  response.once('finish', () => {
    const { socket } = message
    if (message.complete) return void socket.destroySoon()
    const timer = setTimeout(() => socket.destroy(), PATIENCE).unref()
    message.once('close', () => clearTimeout(timer))
    message.once('end', () => socket.destroySoon())
    message.resume()
  })
}
