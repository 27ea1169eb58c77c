// Files by hash: stored once, collected only when they have been without references for a while.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ServiceUnavailable } from '../errors.ts'
import { Filestore } from './filestore.ts'

let directory: string
let store: Filestore
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'comptoir-filestore-'))
  store = new Filestore(directory, true)
})
after(() => rmSync(directory, { recursive: true, force: true }))

const hour = 60 * 60_000

function age(key: string, hours: number): void {
  const then = new Date(Date.now() - hours * hour)
  utimesSync(join(directory, key), then, then)
}

async function textOf(key: string, start: number, end: number): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of store.open(key, start, end)) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

test('the same content is one file, which reads back whole and in parts', async () => {
  const key = await store.put(Buffer.from('hello world'))
  assert.equal(await store.put(Buffer.from('hello world')), key)
  assert.match(key, /^b9\/b94d27b9934d3e08a52e52d7da7dabfac484efe3/)
  assert.equal((await store.get(key))?.toString(), 'hello world')
  assert.equal(await store.size(key), 11)
  assert.equal(await textOf(key, 6, 8), 'wor')
})

test('where there is no room, or nothing more can be opened, it is said so and nothing stays', async (t) => {
  const handle = await open(join(directory, 'probe'), 'w')
  const methods = Object.getPrototypeOf(handle) as FileHandle
  await handle.close()
  for (const code of ['ENOSPC', 'EDQUOT', 'EMFILE']) {
    const write = t.mock.method(methods, 'writeFile', async () => {
      throw Object.assign(new Error(code), { code })
    })
    await assert.rejects(store.put(Buffer.from(`full ${code}`)), ServiceUnavailable)
    write.mock.restore()
  }
  assert.deepEqual(
    readdirSync(directory, { recursive: true }).filter((name) => String(name).endsWith('.draft')),
    [],
  )
  const key = await store.put(Buffer.from('full ENOSPC'))
  assert.equal((await store.get(key))?.toString(), 'full ENOSPC', 'once there is room again')
})

test('keys that are none of ours lead nowhere', async () => {
  for (const key of ['../../etc/passwd', 'b9/../x', 'b9/00', '']) {
    assert.equal(await store.get(key), null)
    assert.equal(await store.size(key), null)
  }
})

test('only old files without references are removed; writing one again keeps it', async () => {
  const [kept, gone, fresh, again] = await Promise.all(
    ['kept', 'gone', 'fresh', 'again'].map((text) => store.put(Buffer.from(text))),
  )
  for (const key of [kept, gone, again]) age(key as string, 3)
  await store.put(Buffer.from('again'))
  const requested: string[] = []
  const removed = await store.collect(async (keys) => {
    requested.push(...keys)
    return new Set([kept as string])
  }, hour)
  assert.equal(removed, 1)
  assert.deepEqual(requested.sort(), [kept, gone].sort())
  assert.deepEqual(
    await Promise.all(
      [kept, gone, fresh, again].map(async (key) => (await store.size(key as string)) !== null),
    ),
    [true, false, true, true],
  )
})

test('a file that is written again while it is collected stays', async () => {
  const key = await store.put(Buffer.from('wanted'))
  age(key, 3)
  const removed = await store.collect(async (keys) => {
    await store.put(Buffer.from('wanted'))
    return new Set(keys.filter((candidate) => candidate !== key))
  }, hour)
  assert.equal(removed, 0)
  assert.equal((await store.get(key))?.toString(), 'wanted')
})
