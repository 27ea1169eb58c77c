// Certificates of a PostgreSQL server, as an administrator meets them at the first start.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSecureContext, TLSSocket } from 'node:tls'
import { makeTemp } from '../../test/support/temp.ts'
import { StartupError } from '../errors.ts'
import { assertAddresses, serverAddresses } from './pooling.ts'

const skip = spawnSync('openssl', ['version']).error ? 'this machine has no openssl' : false

test('a certificate that is not trusted: the error says which options to add; its authority makes it trusted', {
  skip,
}, async (t) => {
  const temp = makeTemp('certificate')
  t.after(() => temp.remove())
  const [cert, key] = [join(temp.path, 'cert.pem'), join(temp.path, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    ...subject,
    '-keyout',
    key,
    '-out',
    cert,
  ])
  const secureContext = createSecureContext({ cert: readFileSync(cert), key: readFileSync(key) })
  let encrypted = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    // The request for TLS is the first message; this server ends with what comes encrypted.
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, secureContext })
      secure.on('error', () => undefined)
      secure.once('data', () => {
        encrypted++
        secure.destroy()
      })
    })
  }).listen(0)
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connect = (options: string, host = 'localhost') =>
    assertAddresses(serverAddresses(`postgres://a:b@${host}:${port}/?${options}`, undefined, undefined))
  for (const mode of ['require', 'verify-full']) {
    const refused = await connect(`sslmode=${mode}`).catch((error: unknown) => error)
    assert.ok(refused instanceof StartupError)
    assert.match(
      refused.message,
      /not trusted \(self-signed certificate\)\. Add sslrootcert=FILE to --database-url/,
    )
  }
  await assert.rejects(
    connect(`sslmode=verify-full&sslrootcert=${cert}`, '127.0.0.1'),
    /Cannot reach the database server: .* does not match certificate/,
    'no other authority makes this one fit the name',
  )
  assert.equal(encrypted, 0)
  for (const options of [`sslmode=verify-full&sslrootcert=${cert}`, 'sslmode=no-verify'])
    await assert.rejects(connect(options), /Cannot reach the database server: /)
  assert.equal(encrypted, 2)
})
