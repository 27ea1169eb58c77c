// When a disk has too little left.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { diskOf, shortageOf } from './disk.ts'

const GB = 1024 ** 3

test('disk: warns when room, files or a tenth of both run out, before PostgreSQL stops', async () => {
  for (const [free, all, files, lack] of [
    [100 * GB, 200 * GB, 1, null],
    [0.2 * GB, 200 * GB, 1, 'room'],
    [100 * GB, 200 * GB, 0.01, 'files'],
    [1.5 * GB, 200 * GB, 1, 'soon'],
    [1.5 * GB, 4 * GB, 1, null],
  ] as const)
    assert.equal(shortageOf(free, all, files), lack)
  const { free, all } = await diskOf(tmpdir())
  assert.ok(free > 0 && free <= all)
})
