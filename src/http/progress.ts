// Progress of long work for a browser. The page chooses a random name for it, so that only this page can read
// it.

import type { FastifyInstance } from 'fastify'
import type { Databases } from '../databases/index.ts'
import { NotFound } from '../errors.ts'
import { present } from '../kit/present.ts'
import { sendJson } from './reply.ts'

export interface Progress {
  readonly step: string
  /** From 0 to 1. */
  readonly done: number
  readonly state: 'running' | 'done' | 'failed'
}

const isState = (text: string): text is Progress['state'] => ['running', 'done', 'failed'].includes(text)

/** Names that a page may choose: too long to guess. */
const NAME = /^[0-9a-f]{32}$/
const MOST = 1000
/** Least milliseconds between two messages to other processes about the same work. */
const SAID_MS = 250

export class Progresses {
  readonly #progressByName = new Map<string, Progress>()
  readonly #line: Databases['announcements']

  /** `line`: channel between the processes, as the page may ask any of them. */
  constructor(line: Databases['announcements']) {
    this.#line = line
    line.on('progress', (text) => this.#hear(text))
  }

  #hear(text: string): void {
    const [name = '', state = '', done = '', step = ''] = text.split(' ')
    if (!NAME.test(name) || !isState(state)) return
    this.#set(name, { step: decodeURIComponent(step), done: Number(done), state })
  }

  #set(name: string, progress: Progress): void {
    this.#progressByName.delete(name)
    this.#progressByName.set(name, progress)
    // Drops the oldest.
    if (this.#progressByName.size > MOST)
      this.#progressByName.delete(present(this.#progressByName.keys().next().value))
  }

  /** Begins progress under a name; without a valid name nothing is recorded. */
  begin(name: string | undefined): {
    tell(step: string, done: number): void
    end(state: 'done' | 'failed'): void
  } {
    if (name === undefined || !NAME.test(name)) return { tell: () => undefined, end: () => undefined }
    let sentAt = Number.NEGATIVE_INFINITY
    const set = (progress: Progress) => {
      this.#set(name, progress)
      if (progress.state === 'running' && performance.now() - sentAt < SAID_MS) return
      sentAt = performance.now()
      void this.#line.say(
        'progress',
        [name, progress.state, progress.done, encodeURIComponent(progress.step.slice(0, 100))].join(' '),
      )
    }
    set({ step: '', done: 0, state: 'running' })
    return {
      tell: (step, done) => set({ step, done, state: 'running' }),
      end: (state) => set({ step: '', done: state === 'done' ? 1 : 0, state }),
    }
  }

  /**
   * Registers `GET /web/database/progress/<name>`; 404 for an unknown name, or if nothing was reported since
   * this process began to listen.
   */
  route(app: FastifyInstance): void {
    app.get('/web/database/progress/:name', async (request, reply) => {
      await this.#line.listen()
      const progress = this.#progressByName.get((request.params as { name: string }).name)
      if (!progress) throw new NotFound('Unknown operation: it has ended, or its id is wrong')
      reply.header('cache-control', 'no-store')
      return sendJson(request, reply, JSON.stringify(progress))
    })
  }
}
