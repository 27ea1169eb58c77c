// Prices under other taxes: only those that hold all their taxes change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { included, tax } from '../../../../test/support/taxes.ts'
import { priceUnderTaxes } from './price.ts'
import { inOrder } from './tax.ts'

test('a price that holds its taxes is stripped of them and takes on those of the new ones that prices hold', () => {
  const home = [tax(1, 25, included)]
  assert.equal(priceUnderTaxes(125, home, [tax(2, 10, included)]), 110)
  assert.equal(priceUnderTaxes(125, home, [tax(2, 10)]), 100)
  assert.equal(priceUnderTaxes(125, home, []), 100)
  assert.equal(priceUnderTaxes(125, home, home), 125)
  assert.equal(priceUnderTaxes(125, [tax(1, 25)], [tax(2, 10, included)]), 125)
  assert.equal(priceUnderTaxes(125, [...home, tax(3, 5)], []), 125)
  assert.equal(priceUnderTaxes(125, [], [tax(2, 10, included)]), 125)
})

test('taxes go by sequence and id, members of a group where the group stands, none twice', () => {
  const taxOf = (id: number, sequence: number, children: readonly ReturnType<typeof plain>[] = []) => ({
    id,
    sequence,
    tax: id,
    children,
  })
  const plain = (id: number, sequence: number) => ({ id, sequence, tax: id, children: [] })
  assert.deepEqual(inOrder([taxOf(5, 2), taxOf(3, 2), taxOf(9, 1)]), [9, 3, 5])
  assert.deepEqual(
    inOrder([taxOf(1, 5), taxOf(2, 3, [plain(7, 90), plain(6, 80)]), taxOf(4, 9)]),
    [6, 7, 1, 4],
  )
  assert.deepEqual(inOrder([taxOf(6, 1), taxOf(2, 3, [plain(7, 1), plain(6, 80)])]), [6, 7])
})
