// Stopping: long polls are answered at once with what they have.
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server stops: handlers that wait for more data answer with what they have. */
    stopping: AbortSignal
  }
}

/** Gives the server its signal. */
export function announceStopping(app: FastifyInstance): void {
  const controller = new AbortController()
  app.decorate('stopping', controller.signal)
  app.addHook('preClose', (done) => {
    controller.abort()
    done()
  })
}
