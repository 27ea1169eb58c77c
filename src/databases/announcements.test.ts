// Messages between processes, over connections that break and connections that die silently.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWay } from '../../test/support/muffled.ts'
import { type Embedded, startTemporary } from '../postgres/embedded/index.ts'
import { Admin } from '../postgres/index.ts'
import { Announcements } from './announcements.ts'

let server: Embedded
before(async () => {
  server = await startTemporary()
})
after(() => server?.stop())

test('announcements: a silent connection is closed, and whatever was missed counts as changed', async () => {
  const way = await openWay(server)
  const { host, user, password } = server
  const missed = Promise.withResolvers<void>()
  const names: (string | null)[] = []
  const probes = { everyMs: 20, echoMs: 200 }
  const hear = (name: string | null) => {
    names.push(name)
    if (name !== null) return
    // The line after it is not taken for dead, however slow the machine is.
    probes.echoMs = 900_000
    missed.resolve()
  }
  const listener = new Announcements(new Admin({ host, user, password, port: way.port }), hear, probes)
  const speaker = new Announcements(new Admin(server), () => undefined)
  await listener.listen()
  assert.ok(listener.listening)
  way.muffle()
  await speaker.tell('shop')
  await missed.promise
  assert.ok(listener.listening, 'it listens over another line')
  assert.ok(!names.includes('shop'), 'the word itself was lost')
  const again = Promise.withResolvers<void>()
  names.push = (...later) => {
    if (later.includes('shop')) again.resolve()
    return 0
  }
  await speaker.tell('shop')
  await again.promise
  await listener.close()
  await speaker.close()
  await way.close()
})
