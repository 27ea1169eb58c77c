// Contents in a store: stored once, read whole and in parts, moved with their databases, collected after a
// while and recovered; an unavailable store is reported.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startStore, type TestStore } from '../../../test/support/s3.ts'
import { makeTemp } from '../../../test/support/temp.ts'
import { ServiceUnavailable } from '../../errors.ts'
import { Filestore, filesDirectory } from '../filestore.ts'
import type { Contents } from './contents.ts'
import { contentsOf } from './index.ts'
import { S3 } from './s3.ts'

let store: TestStore
let contents: Contents
const temp = makeTemp('store')
const opened = (credentials = store.credentials) =>
  contentsOf({ dataDir: temp.path, store: { place: store.place, credentials } }, true, null)

before(async () => {
  store = await startStore()
  contents = opened()
})
after(async () => {
  await store.close()
  temp.remove()
})

const hello = Buffer.from('hello, store')
const none = async () => new Set<string>()

test('a content is kept once, and read whole, in parts, and by its size', async () => {
  const files = contents.of('shop')
  const key = await files.put(hello)
  assert.deepEqual([...store.objects.keys()], [`shops/shop/${key}`])
  const before = store.answers.length
  assert.equal(await files.put(hello), key)
  assert.deepEqual(store.answers.slice(before), ['HEAD 200'])
  assert.deepEqual(await files.get(key), hello)
  assert.equal(await files.size(key), hello.length)
  assert.equal((await buffer(files.open(key, 7, 11))).toString(), 'store')
  assert.equal(await files.get(`ab/ab${'0'.repeat(62)}`), null)
  assert.equal(await files.size('../shop'), null)
  await files.write(key, Readable.from([hello]), hello.length)
  const other = Buffer.from('other, store')
  await assert.rejects(files.write(key, Readable.from([other]), other.length), /not what its name says/)
  assert.deepEqual(await files.get(key), hello)
})

test('what was kept in files before there was a store is read', async () => {
  const old = await new Filestore(filesDirectory(temp.path, 'shop'), true).put(Buffer.from('an old one'))
  const files = contents.of('shop')
  assert.equal((await files.get(old))?.toString(), 'an old one')
  assert.equal(await files.size(old), 10)
  assert.equal((await buffer(files.open(old, 3, 5))).toString(), 'old')
  assert.ok((await files.list()).some(({ path }) => path === old))
})

test('contents follow their database', async () => {
  const key = await contents.of('shop').put(hello)
  for (let i = 0; i < 7; i++) await contents.of('shop').put(Buffer.from(`content ${i}`))
  await contents.link('shop', 'copy')
  await contents.rename('copy', 'renamed')
  assert.deepEqual(await contents.of('renamed').get(key), hello)
  assert.equal((await contents.of('renamed').list()).length, 9)
  await contents.drop('shop')
  assert.deepEqual(await contents.of('shop').list(), [])
  assert.deepEqual(await contents.of('renamed').get(key), hello)
  await contents.drop('renamed')
  assert.equal(store.objects.size, 0)
})

test('contents without references are set aside after a while, and come back when they are read', async () => {
  const files = contents.of('shop')
  const [kept, gone] = [await files.put(hello), await files.put(Buffer.from('unused'))]
  assert.equal(await files.collect(none), 0, 'a transaction may still commit')
  for (const object of store.objects.values()) object.at = new Date(Date.now() - 2 * 3_600_000)
  const inUse = async (keys: readonly string[]) => new Set(keys.filter((key) => key === kept))
  assert.equal(await files.collect(inUse), 1)
  assert.deepEqual([...store.objects.keys()].sort(), [`shops/shop/${kept}`, `shops/shop/gone/${gone}`].sort())
  assert.equal((await files.get(gone))?.toString(), 'unused')
  assert.equal(await files.collect(inUse), 0)
  const before = store.answers.length
  for (const object of store.objects.values()) object.at = new Date(Date.now() - 2 * 3_600_000)
  await files.put(hello)
  assert.deepEqual(store.answers.slice(before), ['HEAD 200', 'PUT 200'], 'its time is new')
  for (const object of store.objects.values()) object.at = new Date(Date.now() - 40 * 86_400_000)
  await files.collect(inUse)
  await files.collect(inUse)
  assert.ok(store.objects.has(`shops/shop/${kept}`))
})

test('a store that is away, or that does not know us, is said to be, and keeps nothing', async () => {
  const size = store.objects.size
  store.away = true
  await assert.rejects(contents.of('shop').put(Buffer.from('lost')), ServiceUnavailable)
  store.away = false
  const stranger = opened({ ...store.credentials, secretAccessKey: 'another' })
  await assert.rejects(stranger.of('shop').put(Buffer.from('lost')), ServiceUnavailable)
  assert.equal(store.objects.size, size)
})

test('a content for which there is no bucket is not said to be kept', async () => {
  const files = contents.of('shop')
  const key = await files.put(hello)
  store.bare = true
  try {
    await assert.rejects(files.put(Buffer.from('into the void')), ServiceUnavailable)
    await assert.rejects(files.get(key), ServiceUnavailable)
    await assert.rejects(files.size(key), ServiceUnavailable, 'nor is it said to be missing')
    await assert.rejects(contents.drop('shop'), ServiceUnavailable)
  } finally {
    store.bare = false
  }
})

test('a silent store holds up the first calls for a moment, and no others until it answers again', async () => {
  const s3 = new S3(store.place, store.credentials, 150)
  const ask = () => s3.tell('PUT', 'shop/x', { body: hello })
  const began = store.answers.length
  const requests = () => store.answers.slice(began)
  store.silent = true
  try {
    const firsts = await Promise.allSettled([ask(), ask()])
    assert.ok(firsts.every(({ status }) => status === 'rejected'))
    assert.deepEqual(requests(), ['PUT silence', 'PUT silence'], 'silence costs its time once')
    await assert.rejects(ask(), ServiceUnavailable)
    assert.equal(requests().length, 2, 'it is left alone')
    await sleep(600)
    await Promise.allSettled([ask(), ask()])
    assert.equal(requests().length, 3, 'one tries it')
  } finally {
    store.silent = false
  }
  await sleep(1200)
  assert.equal(await ask(), true)
  assert.equal(await ask(), true)
  store.objects.delete('shops/shop/x')
})

test('a copy that fails after it began well is done again, or nothing is taken away', async () => {
  const key = await contents.of('before').put(hello)
  store.failingCopies = 2
  await contents.rename('before', 'after')
  assert.deepEqual(await contents.of('after').get(key), hello)
  store.failingCopies = Number.POSITIVE_INFINITY
  await assert.rejects(contents.rename('after', 'later'), ServiceUnavailable)
  store.failingCopies = 0
  assert.deepEqual(await contents.of('after').get(key), hello)
})
