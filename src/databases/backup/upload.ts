// A backup file that is to be restored: its form is found out, and it is checked as a whole before anything
// is made of it.

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { ServiceError } from '../../errors.ts'
import { codeOf } from '../../kit/caught.ts'
import { assertWithin, beyond, limits } from '../../limits.ts'
import type { DatabaseFiles } from '../contents/contents.ts'
import type { Manifest } from './archive.ts'
import { MAGIC, SECTION } from './custom.ts'
import { type ArchiveEntry, CustomReader } from './custom-read.ts'
import type { Meter } from './meter.ts'
import { FIRST_LINE, foreignScriptError, refusedContent, runScript, type Script } from './script.ts'

/** A backup that was found whole. */
export interface Backup {
  /** Modules that the backup declares; the modules installed in it may differ. */
  readonly modules: readonly string[]
  /**
   * Makes tables, rows and all that belongs to them, in the transaction of the script's connection. Throws
   * UserError for what has no place in a backup.
   */
  fill(script: Script): Promise<void>
  /** Keeps the files of the backup. */
  extractFiles(files: DatabaseFiles): Promise<void>
  close(): void
}

/**
 * Names of files: a hash in a folder named by its beginning. Nothing else is written, so nothing leads out of
 * the folder.
 */
const FILE = /^filestore\/([0-9a-f]{2}\/[0-9a-f]{40}(?:[0-9a-f]{24})?)$/
/** A manifest is short, in bytes. */
const MANIFEST_LIMIT = 256 * 1024
/** Bytes of a file's entry in a zip directory besides its name. */
const LONGEST_EXTRA = 4096
/**
 * A small backup may grow beyond the limit `backup-growth`, in bytes: rows that are alike take next to
 * nothing.
 */
const GROWTH_FREE = 64 * 1024 * 1024

/**
 * Opens and checks a backup file: a zip, a script or an archive. Throws UserError for any other file, and for
 * a damaged one.
 */
export async function openBackup(path: string, meter: Meter): Promise<Backup> {
  const head = (await firstBytes(path, FIRST_LINE.length)).toString('latin1')
  if (head === FIRST_LINE) {
    meter.expect((await stat(path)).size)
    return alone(path, meter, runScript)
  }
  if (head.startsWith(MAGIC)) return archive(path, meter)
  if (!head.startsWith('PK')) throw foreignScriptError()
  let zip: ZipFile
  try {
    zip = await openPromise(path, { autoClose: false })
  } catch (error) {
    throw broken(error)
  }
  try {
    return await checked(zip, path, meter)
  } catch (error) {
    zip.close()
    throw broken(error)
  }
}

/** A backup that is one file without attachments. */
async function alone(
  path: string,
  meter: Meter,
  run: (script: Script, content: Readable) => Promise<void>,
): Promise<Backup> {
  const { size } = await stat(path)
  return {
    modules: [],
    async fill(script) {
      meter.begin('data', size)
      await run(script, counted(createReadStream(path), meter))
    },
    extractFiles: async () => undefined,
    close: () => undefined,
  }
}

/** Kinds of entries that are settings of a session or rights of roles that need not exist here. */
const LEFT_OUT = new Set([
  'ENCODING',
  'STDSTRINGS',
  'SEARCHPATH',
  'DATABASE',
  'SCHEMA',
  'ACL',
  'DEFAULT ACL',
  'DATABASE PROPERTIES',
])
/** Kinds of entries in archives of Comptoir databases. */
const KINDS = new Set([
  ...[
    'EXTENSION',
    'TABLE',
    'TABLE DATA',
    'SEQUENCE',
    'SEQUENCE SET',
    'SEQUENCE OWNED BY',
    'DEFAULT',
    'CONSTRAINT',
    'CHECK CONSTRAINT',
  ],
  ...['FK CONSTRAINT', 'INDEX', 'COMMENT', 'VIEW', 'FUNCTION', 'TRIGGER'],
])

async function archive(path: string, meter: Meter): Promise<Backup> {
  // Read through once before: an archive that is cut, or whose rows are damaged, is found out while nothing
  // has been made of it.
  const { size } = await stat(path)
  meter.expect(size / 2 + size)
  meter.begin('checking', size / 2)
  const trial = new CustomReader(counted(createReadStream(path), meter, 0.5))
  const growth = new Growth(size)
  try {
    const missing = new Set((await trial.contents()).filter(({ hasData }) => hasData).map(({ id }) => id))
    for await (const { id, rows } of trial.data()) {
      for await (const piece of rows) growth.add(piece.length)
      missing.delete(id)
    }
    if (missing.size) throw foreignScriptError()
  } catch (error) {
    throw broken(error)
  }
  return alone(path, meter, runArchive)
}

async function runArchive(script: Script, content: Readable): Promise<void> {
  const reader = new CustomReader(content)
  const entries = (await reader.contents()).filter(({ desc }) => !LEFT_OUT.has(desc))
  const strange = entries.find(({ desc }) => !KINDS.has(desc))
  if (strange) throw refusedContent(`an entry of the kind ${strange.desc.slice(0, 40)}`)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const run = async (wanted: (entry: ArchiveEntry) => boolean) => {
    for (const entry of entries)
      if (wanted(entry) && entry.definition.trim() !== '') await runEntry(script, entry)
  }
  await run(({ section }) => section === SECTION.before)
  for await (const { id, rows } of reader.data()) {
    const entry = byId.get(id)
    if (entry) await pipeline(rows, script.rows(entry.copy))
  }
  await run(({ section, hasData }) => section === SECTION.data && !hasData)
  // In PostgreSQL's own dumps comments have no section, and come after their object.
  await run(({ section }) => section === SECTION.after || section === SECTION.none)
}

async function runEntry(script: Script, { desc, definition }: ArchiveEntry): Promise<void> {
  // Skip comments of objects that exist already.
  if (desc === 'COMMENT' && /^COMMENT ON (DATABASE|SCHEMA|EXTENSION) /.test(definition)) return
  await script.run(definition)
}

/** Entries of a backup besides its files, and some that others put in. */
const OTHERS = 100

/**
 * The entries that a restore uses, by their names. Throws PayloadTooLarge for too many, and for those that
 * grow too much.
 */
async function entriesOf(zip: ZipFile, path: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  const growth = new Growth((await stat(path)).size)
  // Not looked at one by one to find that out.
  assertWithin('backup-files', zip.entryCount - OTHERS)
  for await (const entry of zip.eachEntry()) {
    if (entry.extraFieldLength + entry.fileCommentLength > LONGEST_EXTRA) throw foreignScriptError()
    growth.add(entry.uncompressedSize)
    if (!FILE.test(entry.fileName) && entry.fileName !== 'manifest.json' && entry.fileName !== 'dump.sql')
      continue
    entries.set(entry.fileName, entry)
    assertWithin('backup-files', entries.size)
  }
  return entries
}

/** Counts unpacked bytes of a backup: a few packed ones may expand to a full disk. */
class Growth {
  readonly #most: number
  #bytes = 0

  constructor(size: number) {
    this.#most = GROWTH_FREE + size * limits['backup-growth']
  }

  /** Throws PayloadTooLarge. */
  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#most) throw beyond('backup-growth')
  }
}

async function checked(zip: ZipFile, file: string, meter: Meter): Promise<Backup> {
  const entries = await entriesOf(zip, file)
  const [manifest, script] = [entries.get('manifest.json'), entries.get('dump.sql')]
  if (!manifest || !script || manifest.uncompressedSize > MANIFEST_LIMIT) throw foreignScriptError()
  const { comptoir_backup, sha256, modules } = JSON.parse(
    (await bytesOf(zip, manifest)).toString('utf8'),
  ) as Partial<Manifest>
  if (comptoir_backup !== 1) throw foreignScriptError()
  const files = [...entries].flatMap(([name, entry]) => {
    const path = FILE.exec(name)?.[1]
    return path ? [{ path, entry }] : []
  })
  const size = script.uncompressedSize
  // Checking reads as much as restoring does, and writes nothing: half of the work at most.
  meter.expect(size / 2 + size + files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0))
  meter.begin('checking', size / 2)
  const hash = createHash('sha256')
  for await (const piece of await zip.openReadStreamPromise(script)) {
    hash.update(piece as Buffer)
    meter.add((piece as Buffer).length / 2)
  }
  if (hash.digest('hex') !== sha256) throw foreignScriptError()
  return {
    modules: Object.keys(modules ?? {}),
    async fill(run) {
      meter.begin('data', size)
      await runScript(run, counted(await zip.openReadStreamPromise(script), meter))
    },
    async extractFiles(kept) {
      for (const { path, entry } of files) {
        meter.begin('files', entry.uncompressedSize)
        const content = counted(await zip.openReadStreamPromise(entry), meter)
        try {
          await kept.write(path, Readable.from(whole(content, entry.crc32)), entry.uncompressedSize)
        } catch (error) {
          throw broken(error)
        }
      }
    },
    close: () => zip.close(),
  }
}

/** The stream itself, whose bytes are counted by the meter as they pass, with a weight. */
function counted(stream: Readable, meter: Meter, weight = 1): Readable {
  async function* pass() {
    for await (const piece of stream) {
      meter.add((piece as Buffer).length * weight)
      yield piece as Buffer
    }
  }
  return Readable.from(pass(), { objectMode: false })
}

/** The content of an entry, whose checksum is compared at its end. Throws UserError if it differs. */
async function* whole(content: Readable, checksum: number): AsyncGenerator<Buffer> {
  let sum = 0
  for await (const piece of content) {
    sum = crc32(piece as Buffer, sum)
    yield piece as Buffer
  }
  if (sum !== checksum) throw foreignScriptError()
}

async function bytesOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

async function firstBytes(path: string, length: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Whatever the reader of zips and of compressed rows objects to, the file is not a backup; failures of the
 * disk stay what they are.
 */
function broken(error: unknown): unknown {
  if (error instanceof ServiceError) return error
  const code = codeOf(error)
  return code?.startsWith('E') && !code.startsWith('ERR_')
    ? error
    : Object.assign(foreignScriptError(), { cause: error })
}
