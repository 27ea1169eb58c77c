// Which addresses are one client's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network.ts'

test('IPv4 addresses are one client each, also where they are written as IPv6', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7')
})

test('of IPv6 addresses the first half counts, however they are written', () => {
  const same = [
    '2001:db8:0:7::1',
    '2001:db8:0:7:ffff::',
    '2001:0db8:0000:0007:1:2:3:4',
    '2001:db8::7:1:2:3:4',
    '2001:DB8:0:7::192.0.2.1',
  ]
  for (const address of same) assert.equal(networkOf(address), '2001:db8:0:7::/64', address)
  assert.equal(networkOf('2001:db8:0:8::1'), '2001:db8:0:8::/64')
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64')
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
})

test('what is not an address is left unchanged', () => {
  assert.equal(networkOf('here'), 'here')
  assert.equal(networkOf(''), '')
})
