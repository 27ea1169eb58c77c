// Contents in a store: `<prefix>/<database>/ab/<SHA-256>`. Contents without references are first moved below
// `gone/`, from where a read brings them back; they are removed for good a month later.
import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { UserError } from '../../errors.ts'
import { hashOf } from '../../kit/bytes.ts'
import type { Contents, DatabaseFiles, StoredFile } from './contents.ts'
import type { S3, StoreObject } from './s3.ts'

const KEY = /^[0-9a-f]{2}\/[0-9a-f]{40}(?:[0-9a-f]{24})?$/
/** A content without references may belong to a transaction that is not committed yet. */
const GRACE_MS = 60 * 60_000
/** Seconds that a content stays aside, so that a restored backup that refers to it still works. */
const ASIDE = 30 * 86_400
/** Objects that are copied or removed at a time. */
const AT_ONCE = 16

export class StoreContents implements Contents {
  readonly #s3: S3
  readonly #behind: Contents

  /** `behind`: where contents are that were kept before there was a store; only read, and removed. */
  constructor(s3: S3, behind: Contents) {
    this.#s3 = s3
    this.#behind = behind
  }

  of(database: string): DatabaseFiles {
    return new StoreFiles(this.#s3, database, this.#behind.of(database))
  }

  async drop(database: string): Promise<void> {
    await this.#behind.drop(database)
    for await (const page of this.#s3.list(`${database}/`))
      await each(page, ({ name }) => this.#s3.tell('DELETE', name))
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#behind.rename(from, to)
    await this.#copy(from, to)
    for await (const page of this.#s3.list(`${from}/`))
      await each(page, ({ name }) => this.#s3.tell('DELETE', name))
  }

  async link(from: string, to: string): Promise<void> {
    await this.#behind.link(from, to)
    await this.#copy(from, to)
  }

  here(): Promise<string[]> {
    return this.#behind.here()
  }

  /** Inside of the store: no byte comes here. */
  async #copy(from: string, to: string): Promise<void> {
    for await (const page of this.#s3.list(`${from}/`))
      await each(page, ({ name }) => this.#s3.copy(name, `${to}/${name.slice(from.length + 1)}`))
  }
}

class StoreFiles implements DatabaseFiles {
  readonly keeps = true
  readonly #s3: S3
  readonly #database: string
  readonly #behind: DatabaseFiles

  constructor(s3: S3, database: string, behind: DatabaseFiles) {
    this.#s3 = s3
    this.#database = database
    this.#behind = behind
  }

  #name(key: string): string {
    return `${this.#database}/${key}`
  }

  #aside(key: string): string {
    return `${this.#database}/gone/${key}`
  }

  async put(content: Buffer): Promise<string> {
    const sha256 = await hashOf('sha256', content)
    const key = `${sha256.slice(0, 2)}/${sha256}`
    const stored = await this.#s3.head(this.#name(key))
    // A recently written one is not collected before this transaction has ended.
    const isNew = stored?.size === content.length && stored.age < GRACE_MS / 2000
    if (!isNew) await this.#s3.tell('PUT', this.#name(key), { body: content, sha256 })
    return key
  }

  async get(key: string): Promise<Buffer | null> {
    const answer = await this.#read(key, {})
    if (!answer) return this.#behind.get(key)
    const content = await buffer(answer)
    const hash = key.slice(3)
    if (hash.length === 64 && (await hashOf('sha256', content)) !== hash)
      throw new Error(`The file store returned other content for ${key}`)
    return content
  }

  /** HEAD answers the same for a missing bucket and a missing object, GET does not. */
  async size(key: string): Promise<number | null> {
    if (!KEY.test(key)) return null
    const object = (await this.#s3.head(this.#name(key))) ?? (await this.#s3.head(this.#aside(key)))
    const size = object?.size ?? (await this.#behind.size(key))
    if (size === null) await this.#s3.tell('GET', this.#name(key))
    return size
  }

  open(key: string, start: number, end: number): Readable {
    return Readable.from(this.#pieces(key, start, end), { objectMode: false })
  }

  async *#pieces(key: string, start: number, end: number): AsyncGenerator<Buffer> {
    const answer = await this.#read(key, { range: `bytes=${start}-${end}` })
    if (answer) yield* answer as AsyncIterable<Buffer>
    else if ((await this.#behind.size(key)) !== null)
      yield* this.#behind.open(key, start, end) as AsyncIterable<Buffer>
    else throw new Error(`The content ${key} is missing in the file store`)
  }

  /** Contents that were set aside come back when they are read. */
  async #read(key: string, headers: Record<string, string>): Promise<Readable | null> {
    if (!KEY.test(key)) return null
    const answer = await this.#s3.ask('GET', this.#name(key), { headers })
    if (answer) return answer
    if (!(await this.#s3.copy(this.#aside(key), this.#name(key)))) return null
    return this.#s3.ask('GET', this.#name(key), { headers })
  }

  async list(): Promise<StoredFile[]> {
    const files = new Map((await this.#behind.list()).map((file) => [file.path, file]))
    for await (const page of this.#s3.list(`${this.#database}/`))
      for (const { name, size } of page) {
        const path = name.slice(this.#database.length + 1)
        if (KEY.test(path)) files.set(path, { path, size })
      }
    return [...files.values()]
  }

  /** The store compares a content with a key that is its SHA-256. */
  async write(key: string, content: Readable, length: number): Promise<void> {
    const digest = key.slice(3)
    if (digest.length !== 64)
      return void (await this.#s3.tell('PUT', this.#name(key), { body: content, length }))
    const hash = createHash('sha256')
    const body = Readable.from(through(content, hash), { objectMode: false })
    try {
      await this.#s3.tell('PUT', this.#name(key), { body, length, sha256: digest })
    } catch (error) {
      if (!body.readableEnded || hash.digest('hex') === digest) throw error
      throw new UserError('A file is not what its name says.', { cause: error })
    }
  }

  async collect(
    inUse: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
    graceMs = GRACE_MS,
  ): Promise<number> {
    let removed = await this.#behind.collect(inUse, graceMs)
    const prefix = `${this.#database}/`
    for await (const page of this.#s3.list(prefix)) {
      const old = page.filter(({ name, age }) => KEY.test(name.slice(prefix.length)) && age * 1000 > graceMs)
      removed += await this.#unused(old, prefix, inUse, async (key) => {
        await this.#s3.copy(this.#name(key), this.#aside(key))
        await this.#s3.tell('DELETE', this.#name(key))
      })
    }
    for await (const page of this.#s3.list(`${prefix}gone/`)) {
      const old = page.filter(({ age }) => age > ASIDE)
      await this.#unused(old, `${prefix}gone/`, inUse, (key) => this.#s3.tell('DELETE', this.#aside(key)))
    }
    return removed
  }

  /** Runs work on those of a page that no row refers to; gives their number. */
  async #unused(
    page: readonly StoreObject[],
    prefix: string,
    inUse: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
    work: (key: string) => Promise<unknown>,
  ): Promise<number> {
    const keys = page.map(({ name }) => name.slice(prefix.length))
    const used = keys.length ? await inUse(keys) : new Set<string>()
    const unused = keys.filter((key) => !used.has(key))
    await each(unused, work)
    return unused.length
  }
}

async function* through(content: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    hash.update(piece as Buffer)
    yield piece as Buffer
  }
}

/** Some at a time. */
async function each<T>(all: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = all.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
