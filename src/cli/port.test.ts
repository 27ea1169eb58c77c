// A port that another program has is refused, in every configuration; a port that is held stays the same.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runHere } from '../../test/support/command.ts'
import { StartupError } from '../errors.ts'
import { assertPortFree, holdPort } from './port.ts'

const hasIpv6 = networkInterfaces().lo?.some(({ address }) => address === '::1') ?? false
const folder = mkdtempSync(join(tmpdir(), 'comptoir-port-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Another program that listens. */
async function listening(host: string, port = 0): Promise<Server & { port: number }> {
  const server = createServer((socket) => socket.destroy()).listen({ host, port })
  await once(server, 'listening')
  return Object.assign(server, { port: (server.address() as AddressInfo).port })
}

const closed = (server: Server): Promise<unknown> => {
  const gone = once(server, 'close')
  server.close()
  return gone
}

const isTaken = (error: unknown): boolean =>
  error instanceof StartupError &&
  error.exitCode === 1 &&
  /^Cannot listen on http:\/\/\S+:\d+: another program listens there\. Stop it, or choose another --port$/.test(
    error.message,
  )

/** Address of the other listener, and the hosts that are not available then. */
const conflicts: readonly (readonly [string, readonly string[]])[] = [
  ['127.0.0.1', ['127.0.0.1', '0.0.0.0', 'localhost']],
  ['0.0.0.0', ['127.0.0.1', '0.0.0.0', 'localhost']],
  ...(hasIpv6
    ? ([
        ['127.0.0.1', ['::']],
        ['::1', ['::1', '::']],
        ['::', ['::1', '127.0.0.1', '0.0.0.0', '::']],
      ] as const)
    : []),
]

for (const [theirs, ours] of conflicts)
  for (const host of ours)
    test(`port: ${host} is refused while another program listens on ${theirs}`, async () => {
      const other = await listening(theirs)
      for (const workers of [1, 2])
        await assert.rejects(holdPort({ host, port: other.port }, workers), isTaken)
      await assert.rejects(assertPortFree({ host, port: other.port }), isTaken)
      await closed(other)
    })

test('port: an address of another machine is refused with the option to change', async () => {
  await assert.rejects(
    holdPort({ host: '192.0.2.7', port: 0 }, 1),
    /this machine has no such address\. Choose another --host$/,
  )
})

test('port: 0 takes a free port, which workers that are replaced get again', async () => {
  const held = await holdPort({ host: '127.0.0.1', port: 0 }, 2)
  assert.ok(held.number > 0 || process.platform !== 'linux')
  assert.equal(held.socket, null)
  for (const _ of ['the first workers', 'those in their place']) {
    const workers = await listening('127.0.0.1', held.number)
    assert.equal(workers.port, held.number || workers.port)
    await closed(workers)
  }
  held.close()
})

let other: Server & { port: number }
before(async () => {
  other = await listening('127.0.0.1')
})
after(() => closed(other))

/** A server that ends would have taken its listeners along. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const commands = {
  'serve with one worker': ['serve'],
  'serve with two workers': ['serve', '--workers', '2'],
  'serve on a name': ['serve', '--host', 'localhost'],
  'serve on all addresses': ['serve', '--host', '0.0.0.0'],
  dev: ['dev', '--addons', join(import.meta.dirname, 'port.test.ts'), '--no-types'],
} as const
for (const [name, args] of Object.entries(commands))
  test(`port: ${name} ends with 1 before it makes anything, when another program has the port`, async () => {
    const dataDir = join(folder, name)
    const before = signals.map((signal) => process.listeners(signal))
    const { code, out, err } = await runHere(...args, '--port', String(other.port), '--data-dir', dataDir)
    for (const [n, signal] of signals.entries())
      for (const listener of process.listeners(signal))
        if (!before[n]?.includes(listener)) process.off(signal, listener)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^comptoir: Cannot listen on http:\S+: another program listens there\. [^\n]+\n$/)
    assert.equal(existsSync(join(dataDir, 'postgres')), false)
  })
