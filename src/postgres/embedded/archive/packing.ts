// Packs segments of PostgreSQL's log in an archive: a segment that is closed each minute is mostly zeros. Any
// tool unpacks them (`gzip -d`). It also runs when the disk is full, as packing makes room.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chown, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, createGzip, gzip } from 'node:zlib'
import { StartupError } from '../../../errors.ts'
import { isDiskFull } from '../../../kit/caught.ts'
import { hashOfFile } from './copying.ts'
import { syncFolder, writeBytes } from './folder.ts'
import { SEGMENT_BYTES, segmentOf } from './segments.ts'

/** Fast, and small enough: most of what is packed are zeros. */
const LEVEL = 1

/**
 * Packs new segments; returns their number. The unfinished file of a process that died is made again.
 * `aside`: a folder on another disk for a packed segment if the archive has no room.
 */
export async function pack(wal: string, aside: string): Promise<number> {
  await finish(wal, aside)
  let packed = 0
  const names = new Set((await readdir(wal)).sort())
  for (const name of names) {
    if (!segmentOf(name)) continue
    const path = join(wal, name)
    if ((await stat(path)).size !== SEGMENT_BYTES) continue
    if (names.has(`${name}.gz`)) {
      // A server that crashed archives its last segment again; another content is another server's.
      if (!(await isPacked(path)))
        throw new StartupError(
          `Two servers archive into ${wal}: ${name} differs. Choose another --backup-dir for one of them.`,
        )
      await rm(path)
      continue
    }
    await packOne(path).catch((error: unknown) => {
      if (!isDiskFull(error)) throw error
      return packWithoutRoom(wal, name, aside)
    })
    packed++
  }
  return packed
}

async function packOne(path: string): Promise<void> {
  const { atime, mtime, uid, gid } = await stat(path)
  const draft = `${path}.gz.new`
  try {
    await pipeline(
      createReadStream(path),
      createGzip({ level: LEVEL }),
      createWriteStream(draft, { mode: 0o600 }),
    )
    const file = await open(draft, 'r+')
    await file.sync().finally(() => file.close())
    await chown(draft, uid, gid)
    await utimes(draft, atime, mtime)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await rename(draft, `${path}.gz`)
  await syncFolder(join(path, '..'))
  await rm(path)
}

/**
 * PostgreSQL fills all free room with further segments. So the packed data overwrites the segment itself,
 * which is longer, and needs no room; until that is done a copy is in `aside`.
 */
async function packWithoutRoom(wal: string, name: string, aside: string): Promise<void> {
  const bytes = await promisify(gzip)(await readFile(join(wal, name)), { level: LEVEL })
  if (bytes.length > SEGMENT_BYTES) return
  await mkdir(aside, { recursive: true, mode: 0o700 })
  await writeBytes(join(aside, `${name}.gz`), bytes)
  await putOver(wal, name, aside)
}

async function putOver(wal: string, name: string, aside: string): Promise<void> {
  const path = join(wal, name)
  const bytes = await readFile(join(aside, `${name}.gz`))
  const { atime, mtime } = await stat(path)
  const file = await open(path, 'r+')
  try {
    await file.write(bytes, 0, bytes.length, 0)
    await file.truncate(bytes.length)
    await file.sync()
  } finally {
    await file.close()
  }
  await utimes(path, atime, mtime)
  await rename(path, `${path}.gz`)
  await syncFolder(wal)
  await rm(join(aside, `${name}.gz`))
}

/** Puts into the archive what a process that died left aside. */
async function finish(wal: string, aside: string): Promise<void> {
  const existingNames = new Set(await readdir(wal))
  for (const file of await readdir(aside).catch(() => [])) {
    const name = file.replace(/\.gz$/, '')
    if (!segmentOf(name)) await rm(join(aside, file))
    else if (existingNames.has(name) && !existingNames.has(file)) await putOver(wal, name, aside)
    else await rm(join(aside, file))
  }
}

async function isPacked(path: string): Promise<boolean> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(`${path}.gz`), createGunzip(), hash)
  return hash.digest('hex') === (await hashOfFile(path))
}
