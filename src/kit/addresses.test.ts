// Ranges of addresses: valid lists, and addresses inside of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { covers, isLoopback, rangesIn, within } from './addresses.ts'

test('lists of ranges are read, and an invalid range is named', () => {
  assert.deepEqual(rangesIn('10.0.0.0/8, 2001:db8::/32\n192.0.2.7'), {
    ranges: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'],
    wrong: null,
  })
  assert.deepEqual(rangesIn(' '), { ranges: [], wrong: null })
  for (const wrong of ['10.0.0.0/33', 'shop.example', '10.0.0', '::/129', '10.0.0.0/x', '/8'])
    assert.equal(rangesIn(`::1 ${wrong}`).wrong, wrong)
})

test('addresses are in ranges of their family, also as sockets of IPv6 give those of IPv4', () => {
  const shop = within(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::5', '192.0.2.7'])
    assert.ok(shop(address), address)
  for (const address of ['11.0.0.1', '::ffff:11.0.0.1', '2001:db9::1', '192.0.2.8', '', 'x', '::1'])
    assert.ok(!shop(address), address)
  assert.ok(within(['::/0'])('2001:db8::1'))
  const isProxy = within(rangesIn('127.0.0.1, 10.0.0.0/8, fd00::/8').ranges)
  assert.deepEqual(
    ['127.0.0.1', '::ffff:10.1.2.3', 'fd00::1', '192.168.0.1', 'fe80::1', '', 'x'].map(isProxy),
    [true, true, true, false, false, false, false],
  )
})

test('this machine calls itself by several names', () => {
  assert.deepEqual(
    ['localhost', '127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::', '127.example'].map(
      isLoopback,
    ),
    [true, true, true, true, true, false, false, false],
  )
})

test('a range is covered by a wider one', () => {
  assert.ok(
    covers(['10.0.0.0/8'], '10.3.0.0/16') &&
      covers(['10.0.0.0/8'], '10.3.0.1') &&
      covers(['10.0.0.0/8'], '10.0.0.0/8'),
  )
  assert.ok(
    !covers(['10.0.0.0/8'], '10.0.0.0/7') &&
      !covers(['10.0.0.0/8'], '11.0.0.1') &&
      !covers(['10.0.0.0/8'], '::1') &&
      !covers([], '::1'),
  )
})
