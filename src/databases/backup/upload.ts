// A backup file that is to be restored: checked as a whole before anything is made of it.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import type { Manifest } from './archive.ts'
import { FIRST_LINE, notOurs } from './script.ts'

/** A backup that was found whole. */
export interface Backup {
  script(): Promise<Readable>
  /** Writes the files of the backup below a folder. */
  extractFiles(folder: string): Promise<void>
  close(): void
}

/** Names of files: a hash in a folder named by its beginning. Nothing else is written, so nothing leads out of the folder. */
const FILE = /^filestore\/([0-9a-f]{2}\/[0-9a-f]{40}(?:[0-9a-f]{24})?)$/
/** A manifest is short. */
const MANIFEST_LIMIT = 1024 * 1024

/** Opens and checks a backup file. Throws UserError for what is none, or is damaged. */
export async function openBackup(path: string): Promise<Backup> {
  const head = await firstBytes(path, FIRST_LINE.length)
  if (head.toString() === FIRST_LINE) {
    return { script: async () => createReadStream(path), extractFiles: async () => undefined, close: () => undefined }
  }
  if (head.subarray(0, 2).toString() !== 'PK') throw notOurs()
  let zip: ZipFile
  try {
    zip = await openPromise(path, { autoClose: false })
  } catch (error) {
    throw broken(error)
  }
  try {
    return await checked(zip)
  } catch (error) {
    zip.close()
    throw broken(error)
  }
}

async function checked(zip: ZipFile): Promise<Backup> {
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  const [manifest, script] = [entries.get('manifest.json'), entries.get('dump.sql')]
  if (!manifest || !script || manifest.uncompressedSize > MANIFEST_LIMIT) throw notOurs()
  const { comptoir_backup, sha256 } = JSON.parse((await bytesOf(zip, manifest)).toString('utf8')) as Partial<Manifest>
  if (comptoir_backup !== 1) throw notOurs()
  const hash = createHash('sha256')
  for await (const piece of await zip.openReadStreamPromise(script)) hash.update(piece as Buffer)
  if (hash.digest('hex') !== sha256) throw notOurs()
  return {
    script: () => zip.openReadStreamPromise(script),
    async extractFiles(folder) {
      for (const [name, entry] of entries) {
        const path = FILE.exec(name)?.[1]
        if (!path) continue
        const target = join(folder, path)
        await mkdir(dirname(target), { recursive: true })
        const file = await open(target, 'wx')
        await pipeline(await zip.openReadStreamPromise(entry), file.createWriteStream())
      }
    },
    close: () => zip.close(),
  }
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

/** Whatever the reader of zips objects to, the file is not a backup; failures of the disk stay what they are. */
function broken(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code
  return code?.startsWith('E') ? error : Object.assign(notOurs(), { cause: error })
}
