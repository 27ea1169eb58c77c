// When deliveries are tried again, and where they may go, without a database.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openReceiver } from '../../../test/support/receiver.ts'
import { guardedLookup, mayReach, setOutgoing } from '../../kit/outgoing.ts'
import { pauseAfter, retryAfter } from './schedule.ts'
import { Sender } from './send.ts'

after(() => setOutgoing())

test('twelve attempts over three days, a little by chance; what a receiver asks for is kept up to a day', () => {
  const even = () => 0.5
  const hour = 3_600_000
  const pauses = Array.from({ length: 12 }, (_, n) => pauseAfter(n + 1, null, even))
  assert.deepEqual(pauses, [
    5000,
    30_000,
    120_000,
    600_000,
    1_800_000,
    ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
    null,
  ])
  assert.deepEqual([pauseAfter(1, null, () => 0), pauseAfter(1, null, () => 1)], [4000, 6000])
  assert.equal(pauseAfter(1, 60_000, even), 60_000)
  assert.deepEqual([retryAfter('120'), retryAfter('999999')], [120_000, 24 * hour])
  assert.equal(retryAfter('Fri, 01 Jan 2027 00:00:10 GMT', Date.parse('2027-01-01T00:00:00Z')), 10_000)
  assert.deepEqual([retryAfter('soon'), retryAfter(undefined)], [null, null])
})

test('addresses that are not public are not reached, whatever they are called', async () => {
  setOutgoing({ allow: [], http: true })
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.0.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    // Addresses of IPv4 in the oldest notation, and what was never given to anybody.
    '::7f00:1',
    '::a00:1',
    '4000::1',
    'nonsense',
  ])
    assert.equal(mayReach(address), false, address)
  assert.deepEqual(['93.184.216.34', '2606:2800:220:1::1'].map(mayReach), [true, true])
  setOutgoing({ allow: ['10.1.0.0/16'], http: true })
  assert.deepEqual(['10.1.2.3', '10.2.2.3'].map(mayReach), [true, false])
})

test('a name that leads to this machine, or does so later, is not called, nor what a receiver points at', async () => {
  setOutgoing({ allow: [], http: true })
  const hook = await openReceiver()
  const { port } = new URL(hook.url)
  const addresses = ['93.184.216.34', '127.0.0.1']
  const lookup = guardedLookup((_host, _options, done) =>
    done(null, [{ address: addresses.shift() as string, family: 4 }]),
  )
  const look = () =>
    new Promise((resolve) =>
      lookup('rebound.example', { all: false }, (error, address) => resolve(error?.message ?? address)),
    )
  assert.equal(await look(), '93.184.216.34')
  assert.match(String(await look()), /not resolve to a public address/)
  const sender = new Sender((_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]))
  const message = { id: 'evt_1', body: '{}', secrets: ['whsec_AAAA'] }
  for (const host of ['rebound.example', '127.0.0.1', '[::ffff:127.0.0.1]', 'localhost']) {
    const outcome = await sender.send({ ...message, url: `http://${host}:${port}/` })
    assert.equal(outcome.status, null, host)
    assert.match(String(outcome.error), /public/, host)
  }
  assert.equal(hook.got.length, 0)
  setOutgoing({ allow: ['127.0.0.0/8'], http: true })
  hook.answer = (_received, response) => response.writeHead(302, { location: hook.url }).end()
  assert.equal((await sender.send({ ...message, url: hook.url })).status, 302)
  assert.equal(hook.got.length, 1)
  sender.close()
  await hook.close()
})
