// How far long work for a browser has come: told under a name that the page chose at random, so that only the
// page can ask for it.

import type { FastifyInstance } from 'fastify'
import type { Databases } from '../databases/index.ts'
import { NotFound } from '../errors.ts'
import { present } from '../kit/present.ts'
import { sendJson } from './reply.ts'

export interface Told {
  readonly step: string
  /** From 0 to 1. */
  readonly done: number
  readonly state: 'running' | 'done' | 'failed'
}

const isState = (text: string): text is Told['state'] => ['running', 'done', 'failed'].includes(text)

/** What a page may choose: long enough that nobody guesses it. */
const NAME = /^[0-9a-f]{32}$/
const MOST = 1000
/** Other processes hear of the same work this often at most. */
const SAID_MS = 250

export class Progresses {
  readonly #told = new Map<string, Told>()
  readonly #line: Databases['announcements']

  /** Over the line processes tell each other: the page may ask any of them. */
  constructor(line: Databases['announcements']) {
    this.#line = line
    line.on('progress', (text) => this.#hear(text))
  }

  #hear(text: string): void {
    const [name = '', state = '', done = '', step = ''] = text.split(' ')
    if (!NAME.test(name) || !isState(state)) return
    this.#set(name, { step: decodeURIComponent(step), done: Number(done), state })
  }

  #set(name: string, told: Told): void {
    this.#told.delete(name)
    this.#told.set(name, told)
    // Nobody asks for the oldest any more.
    if (this.#told.size > MOST) this.#told.delete(present(this.#told.keys().next().value))
  }

  /** Begins to tell under a name; one that is none, or was not sent, is told nothing. */
  begin(name: string | undefined): {
    tell(step: string, done: number): void
    end(state: 'done' | 'failed'): void
  } {
    if (name === undefined || !NAME.test(name)) return { tell: () => undefined, end: () => undefined }
    let said = Number.NEGATIVE_INFINITY
    const set = (told: Told) => {
      this.#set(name, told)
      if (told.state === 'running' && performance.now() - said < SAID_MS) return
      said = performance.now()
      void this.#line.say(
        'progress',
        [name, told.state, told.done, encodeURIComponent(told.step.slice(0, 100))].join(' '),
      )
    }
    set({ step: '', done: 0, state: 'running' })
    return {
      tell: (step, done) => set({ step, done, state: 'running' }),
      end: (state) => set({ step: '', done: state === 'done' ? 1 : 0, state }),
    }
  }

  /**
   * Registers `GET /web/database/progress/<name>`; 404 for what nobody began, or nobody told of since this
   * process began to listen.
   */
  route(app: FastifyInstance): void {
    app.get('/web/database/progress/:name', async (request, reply) => {
      await this.#line.listen()
      const told = this.#told.get((request.params as { name: string }).name)
      if (!told) throw new NotFound('Nothing of this name is going on')
      reply.header('cache-control', 'no-store')
      return sendJson(request, reply, JSON.stringify(told))
    })
  }
}
