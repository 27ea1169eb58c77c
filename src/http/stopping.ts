// The server stops: answers that are held back until there is something to tell are given as they are.
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server stops: whoever waits for more answers with what there is. */
    stopping: AbortSignal
  }
}

/** Gives the server its signal. */
export function tellStopping(app: FastifyInstance): void {
  const controller = new AbortController()
  app.decorate('stopping', controller.signal)
  app.addHook('preClose', (done) => {
    controller.abort()
    done()
  })
}
