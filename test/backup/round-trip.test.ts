// Backup, drop and restore give the same contents, and stream: what is larger than the memory it may take
// still goes through.
// Own process: it measures the memory of its process.
// Begins first: it takes 12 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip } from './round-trip.ts'

const MB = 1024 * 1024

test('backup: a round trip keeps 2,000 partners and 100 attachments, in bounded memory', async () => {
  const outcome = await roundTrip({ partners: 2000, attachments: 100, bytes: 1_500_000, format: 'zip' })
  assert.deepEqual(outcome.different, [])
  assert.ok(outcome.sameByApi, 'the API reads something else')
  assert.ok(outcome.tables > 50)
  assert.ok(outcome.files >= 100, `only ${outcome.files} files`)
  assert.ok(outcome.backupBytes > 149_000_000)
  assert.ok(outcome.backupGrowth < 40 * MB, `${Math.round(outcome.backupGrowth / MB)} MB more for the backup`)
  assert.ok(
    outcome.restoreGrowth < 40 * MB,
    `${Math.round(outcome.restoreGrowth / MB)} MB more for the restore`,
  )
})
