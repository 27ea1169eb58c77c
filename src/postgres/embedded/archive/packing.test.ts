// Packing of the log's segments, also if the archive's disk has no room for them.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { holdingFolder } from './folder.ts'
import { pack } from './packing.ts'
import { SEGMENT_BYTES } from './segments.ts'

const NAME = '000000010000000000000004'
let root: string
const wal = () => join(root, 'wal')
const aside = () => join(root, 'aside')
/** Of a minute in which little was written. */
const segment = Buffer.concat([randomBytes(100_000), Buffer.alloc(SEGMENT_BYTES - 100_000)])

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'comptoir-packing-'))
  mkdirSync(wal())
  writeFileSync(join(wal(), NAME), segment)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const assertPacked = () => {
  assert.deepEqual(readdirSync(wal()), [`${NAME}.gz`])
  assert.deepEqual(gunzipSync(readFileSync(join(wal(), `${NAME}.gz`))), segment)
  assert.deepEqual(existsSync(aside()) ? readdirSync(aside()) : [], [])
}

test('a segment is packed into a file next to it, and then removed', async () => {
  assert.equal(await pack(wal(), aside()), 1)
  assertPacked()
})

test('what cannot be written for want of room goes over the segment itself', {
  skip: !existsSync('/dev/full') && 'needs /dev/full',
}, async () => {
  // Whatever is written there finds no room.
  symlinkSync('/dev/full', join(wal(), `${NAME}.gz.new`))
  assert.equal(await pack(wal(), aside()), 1)
  assertPacked()
})

test('what a process that died amid that left aside is put into the archive', async () => {
  const packed = gzipSync(segment)
  mkdirSync(aside())
  writeFileSync(join(aside(), `${NAME}.gz`), packed)
  writeFileSync(join(aside(), '000000010000000000000005.gz.new'), 'begun')
  // Half of it was put over already.
  writeFileSync(join(wal(), NAME), Buffer.concat([packed.subarray(0, 50_000), segment.subarray(50_000)]))
  await pack(wal(), aside())
  assertPacked()
})

test('a folder on a disk without any room can be held and packed', async (t) => {
  const disk = join(root, 'disk')
  mkdirSync(disk)
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk]).status === 0
  if (!isMounted) return t.skip('this account may not mount a disk in memory')
  try {
    mkdirSync(join(disk, 'wal'))
    writeFileSync(join(disk, 'wal', NAME), segment)
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4k'])
    assert.equal(await holdingFolder(disk, () => pack(join(disk, 'wal'), aside())), 1)
    assert.deepEqual(gunzipSync(readFileSync(join(disk, 'wal', `${NAME}.gz`))), segment)
  } finally {
    execFileSync('umount', ['-l', disk])
  }
})
