// How far long work for a browser has come: told under a name that the page chose at random, so that only the page can ask for it.
import type { FastifyInstance } from 'fastify'
import { NotFound } from '../errors.ts'
import { sendJson } from './reply.ts'

export interface Told {
  readonly step: string
  /** From 0 to 1. */
  readonly done: number
  readonly state: 'running' | 'done' | 'failed'
}

/** What a page may choose: long enough that nobody guesses it. */
const NAME = /^[0-9a-f]{32}$/
const MOST = 1000

export class Progresses {
  readonly #told = new Map<string, Told>()

  /** Begins to tell under a name; one that is none, or was not sent, is told nothing. */
  begin(name: string | undefined): { tell(step: string, done: number): void; end(state: 'done' | 'failed'): void } {
    if (name === undefined || !NAME.test(name)) return { tell: () => undefined, end: () => undefined }
    const set = (told: Told) => {
      this.#told.delete(name)
      this.#told.set(name, told)
      // Nobody asks for the oldest any more.
      if (this.#told.size > MOST) this.#told.delete(this.#told.keys().next().value as string)
    }
    set({ step: '', done: 0, state: 'running' })
    return {
      tell: (step, done) => set({ step, done, state: 'running' }),
      end: (state) => set({ step: '', done: state === 'done' ? 1 : 0, state }),
    }
  }

  /** Registers `GET /web/database/progress/<name>`; 404 for what nobody began in this process. */
  route(app: FastifyInstance): void {
    app.get('/web/database/progress/:name', (request, reply) => {
      const told = this.#told.get((request.params as { name: string }).name)
      if (!told) throw new NotFound('Nothing of this name is going on')
      reply.header('cache-control', 'no-store')
      return sendJson(request, reply, JSON.stringify(told))
    })
  }
}
