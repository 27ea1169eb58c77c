// Contents of attachments in a store that others made: Ceph's gateway for S3, of Debian's packages
// (apt-get install ceph-mon ceph-osd radosgw), as root. `node test/machines/vendor-store.ts 2500`: so many
// contents are kept, listed, copied, renamed and dropped; the gateway is killed while writers keep more.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contents } from '../../src/databases/contents/contents.ts'
import { contentsOf } from '../../src/databases/contents/index.ts'
import { S3 } from '../../src/databases/contents/s3.ts'
import { Databases, probeStore } from '../../src/databases/index.ts'
import { ServiceUnavailable, UserError } from '../../src/errors.ts'
import { hashOf } from '../../src/kit/bytes.ts'
import { base } from '../../src/modules/base/index.ts'
import { openTestDatabase } from '../support/databases.ts'
import { Radosgw, withoutRadosgw } from '../support/radosgw.ts'
import { makeTemp } from '../support/temp.ts'

const MB = 1024 * 1024
/** Writers that go on while the gateway dies. */
const WRITERS = 8

const temp = makeTemp('vendor-store')
const nobodys = async () => new Set<string>()

const keyOf = async (content: Buffer) => {
  const hash = await hashOf('sha256', content)
  return `${hash.slice(0, 2)}/${hash}`
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return Number(((performance.now() - began) / 1000).toFixed(2))
}

/** Whole, in parts, as a stream, and not what its name says. */
async function oneContent(contents: Contents): Promise<object> {
  const files = contents.of('one')
  const hello = Buffer.from('hello, store')
  const key = await files.put(hello)
  assert.equal(await files.put(hello), key)
  assert.deepEqual(await files.get(key), hello)
  assert.equal(await files.size(key), hello.length)
  assert.equal((await buffer(files.open(key, 7, 11))).toString(), 'store')
  assert.equal(await files.get(await keyOf(Buffer.from('never kept'))), null)
  const long = randomBytes(64 * MB)
  const longKey = await keyOf(long)
  const pieces = () =>
    Readable.from(Array.from({ length: 64 }, (_, n) => long.subarray(n * MB, (n + 1) * MB)))
  const sent = await timed(() => files.write(longKey, pieces(), long.length))
  const read = await timed(async () => assert.ok((await files.get(longKey))?.equals(long)))
  const other = await keyOf(Buffer.from('another'))
  await assert.rejects(files.write(other, Readable.from([hello]), hello.length), UserError)
  assert.equal(await files.get(other), null)
  assert.equal(await files.collect(nobodys, -1), 2)
  assert.deepEqual(await files.get(key), hello, 'what was set aside comes back')
  await contents.drop('one')
  return { megabytesSent: Math.round(64 / sent), megabytesRead: Math.round(64 / read) }
}

async function manyContents(contents: Contents, count: number): Promise<object> {
  const files = contents.of('many')
  const numbers = Array.from({ length: count }, (_, n) => n).values()
  const put = await timed(() =>
    Promise.all(
      Array.from({ length: 16 }, async () => {
        for (const n of numbers) await files.put(Buffer.from(`content ${n}`))
      }),
    ),
  )
  const listed = async (database: string) => (await contents.of(database).list()).length
  assert.equal(await listed('many'), count)
  const link = await timed(() => contents.link('many', 'copy'))
  const rename = await timed(() => contents.rename('copy', 'renamed'))
  assert.deepEqual([await listed('many'), await listed('copy'), await listed('renamed')], [count, 0, count])
  const drop = await timed(() => contents.drop('many'))
  assert.deepEqual([await listed('many'), await listed('renamed')], [0, count])
  const last = Buffer.from(`content ${count - 1}`)
  assert.deepEqual(await contents.of('renamed').get(await keyOf(last)), last)
  await contents.drop('renamed')
  return { count, seconds: { put, link, rename, drop } }
}

/** A shop whose attachments are in it: written, copied, backed up and restored. */
async function aShop(store: NonNullable<Databases['options']['store']>): Promise<void> {
  const fixture = await openTestDatabase([base])
  const databases = await Databases.open({ ...fixture.databases.options, store })
  try {
    const content = randomBytes(3 * MB)
    await (await databases.database('test')).system(async (env) => {
      await env.model('ir.attachment').create([{ name: 'note', datas: content.toString('base64') }] as never)
    })
    const read = async (name: string) =>
      (await databases.database(name)).system(async (env) => {
        const attachments = await env.model('ir.attachment').search([['name', '=', 'note']] as never)
        return Buffer.from(String((await attachments.read(['datas']))[0]?.datas), 'base64')
      })
    await databases.duplicate('test', 'copy')
    const path = join(fixture.databases.options.dataDir, 'copy.zip')
    await pipeline(await databases.backup('copy', 'zip', '0'), createWriteStream(path))
    await databases.drop('copy')
    await databases.restore('again', path)
    for (const name of ['test', 'again']) assert.ok((await read(name)).equals(content))
    await databases.drop('again')
  } finally {
    await databases.close()
    await fixture.close()
  }
}

/**
 * Contents that were acknowledged exist although the gateway died meanwhile; all others were rejected.
 */
async function killed(store: Radosgw, contents: Contents): Promise<object> {
  const files = contents.of('killed')
  const kept = new Set<string>()
  let [number, refused, isOver] = [0, 0, false]
  const writer = async () => {
    while (!isOver) {
      const content = Buffer.from(`write ${number++}`)
      try {
        kept.add(await files.put(content))
      } catch (error) {
        if (!(error instanceof ServiceUnavailable)) throw error
        refused++
      }
    }
  }
  const writers = Array.from({ length: WRITERS }, writer)
  const more = async () => {
    for (const wanted = kept.size + 200; kept.size < wanted; ) await sleep(20)
  }
  for (let round = 0; round < 5; round++) {
    await more()
    await store.killGateway()
    // Longer than calls are repeated.
    for (const wanted = refused + WRITERS; refused < wanted; ) await sleep(20)
    await store.startGateway()
  }
  await more()
  isOver = true
  await Promise.all(writers)
  const storedPaths = new Set((await files.list()).map(({ path }) => path))
  const lost = [...kept].filter((key) => !storedPaths.has(key)).length
  assert.equal(lost, 0)
  return { kills: 5, kept: kept.size, lost, refused }
}

async function main(count: number): Promise<void> {
  if (withoutRadosgw) throw new Error(withoutRadosgw)
  const store = await Radosgw.start()
  const { credentials } = store
  const opened = (bucket: string, given = credentials) =>
    contentsOf({ dataDir: temp.path, store: { place: store.place(bucket), credentials: given } }, true, null)
  try {
    const away = opened('files').of('shop')
    await assert.rejects(away.put(Buffer.from('no bucket yet')), ServiceUnavailable)
    await new S3(store.place('files'), credentials).ask('PUT', '')
    const stranger = opened('files', { ...credentials, secretAccessKey: 'another' }).of('shop')
    await assert.rejects(stranger.put(Buffer.from('a stranger')), ServiceUnavailable)
    await probeStore({ place: store.place('files'), credentials })
    const contents = opened('files')
    const single = await oneContent(contents)
    const many = await manyContents(contents, count)
    await aShop({ place: store.place('files'), credentials })
    console.log(JSON.stringify({ one: single, many, killed: await killed(store, contents) }, undefined, 2))
  } finally {
    await store.stop()
    temp.remove()
  }
}

await main(Number(process.argv[2] ?? 2500))
