// Progress for a page: readable under the name that it chose, in every process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { Databases } from '../databases/index.ts'
import { Progresses } from './progress.ts'

/** Processes whose lines are joined; each gives what its route answers. */
function processes(count: number) {
  const handlers: ((text: string) => void)[] = []
  return Array.from({ length: count }, (_, index) => {
    const line = {
      listen: async () => undefined,
      on: (_topic: string, handler: (text: string) => void) => {
        handlers[index] = handler
      },
      say: async (_topic: string, text: string) => {
        for (const [i, handler] of handlers.entries()) if (i !== index) handler(text)
      },
    }
    const progresses = new Progresses(line as unknown as Databases['announcements'])
    const app = fastify()
    progresses.route(app)
    const ask = async (name: string) => {
      const answer = await app.inject({ url: `/web/database/progress/${name}` })
      return answer.statusCode === 200 ? answer.json() : answer.statusCode
    }
    return { progresses, ask }
  })
}

test('progress of one process can be read from another one', async () => {
  const [first, second] = processes(2) as [ReturnType<typeof processes>[0], ReturnType<typeof processes>[0]]
  const name = 'ab'.repeat(16)
  assert.equal(await second.ask(name), 404)
  const progress = first.progresses.begin(name)
  assert.deepEqual(await second.ask(name), { step: '', done: 0, state: 'running' })
  progress.tell('copying 100 % of "it"', 0.5)
  assert.deepEqual(await first.ask(name), { step: 'copying 100 % of "it"', done: 0.5, state: 'running' })
  progress.end('done')
  assert.deepEqual(await second.ask(name), { step: '', done: 1, state: 'done' })
})

test('names that a page could not choose get no progress', async () => {
  const [only] = processes(1) as [ReturnType<typeof processes>[0]]
  for (const name of [undefined, '', 'short', 'Z'.repeat(32), 'ab'.repeat(17)])
    only.progresses.begin(name).tell('x', 0.5)
  assert.equal(await only.ask('short'), 404)
})
