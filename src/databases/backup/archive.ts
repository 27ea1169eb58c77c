// The two formats of a backup: a zip with `dump.sql`, `filestore/` and `manifest.json`, or PostgreSQL's
// custom format, without files. Made as it is sent, never on disk.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { type ConnectionOptions, Copying } from '../../postgres/index.ts'
import type { DatabaseFiles } from '../contents/contents.ts'
import { lockFiles } from '../filestore.ts'
import { writeCustom } from './custom-write.ts'
import { Meter, type Progress } from './meter.ts'
import type { Objects } from './objects.ts'
import { beginSnapshot, weightOf, writeScript } from './script.ts'

export type BackupFormat = 'zip' | 'dump'

/** Description of a backup; the last entry of the zip, as it holds the checksum. */
export interface Manifest {
  readonly comptoir_backup: 1
  readonly db_name: string
  readonly version: string
  readonly pg_version: string
  /** Installed modules and their versions. */
  readonly modules: Readonly<Record<string, string>>
  /** SHA-256 of `dump.sql`, in hex. */
  readonly sha256: string
}

export interface BackupOptions {
  readonly progress?: Progress
}

interface Source extends BackupOptions {
  readonly format: BackupFormat
  readonly version: string
  readonly address: ConnectionOptions
  readonly files: DatabaseFiles
}

/**
 * A backup as a stream. It reads from one snapshot; leaving the stream unread holds a connection, destroying
 * it lets go.
 */
export async function backupStream(name: string, source: Source): Promise<Readable> {
  const connection = await Copying.connect({ ...source.address, database: name })
  try {
    // As long as the connection lives, no file of the snapshot is removed.
    await connection.query(lockFiles)
    const objects = await beginSnapshot(connection)
    const meter = new Meter(source.progress, weightOf(objects))
    const stream = await streamOf(connection, { ...source, name, objects, meter })
    // The stream may fail before it has a reader; reading it then throws the error anyway.
    stream.on('error', () => undefined)
    // However it ends, the connection ends with it.
    stream.once('close', () => connection.destroy())
    return stream
  } catch (error) {
    connection.destroy()
    throw error
  }
}

interface Reading extends Source {
  readonly name: string
  readonly objects: Objects
  readonly meter: Meter
}

async function streamOf(connection: Copying, reading: Reading): Promise<Readable> {
  const [server] = await connection.query('SHOW server_version')
  const version = String(server?.[0])
  if (reading.format === 'zip') return zipped(connection, reading, version)
  const { name, objects, meter } = reading
  return Readable.from(writeCustom(connection, objects, { name, version, meter }), { objectMode: false })
}

async function zipped(
  connection: Copying,
  { name, version, files, objects, meter }: Reading,
  server: string,
): Promise<Readable> {
  const zip = new ZipFile()
  const output = zip.outputStream as unknown as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  const hash = createHash('sha256')
  const modules = await connection.query(
    "SELECT name, COALESCE(latest_version, '') FROM ir_module_module WHERE state = 'installed' ORDER BY name",
  )
  const script = Readable.from(hashed(writeScript(connection, objects, meter), hash))
  script.once('error', (error) => output.destroy(error))
  // The size is not known beforehand, and may be beyond what the old format can say.
  zip.addReadStreamLazy('dump.sql', { forceZip64Format: true }, (give) => give(null, script))
  // Listed after the snapshot began, so all files of the snapshot are included.
  for (const { path, size } of await files.list()) {
    meter.expect(size)
    zip.addReadStreamLazy(`filestore/${path}`, { compress: false, size }, (give) => {
      const stored = size ? files.open(path, 0, size - 1) : Readable.from([])
      const content = Readable.from(counted(stored, size, meter))
      content.once('error', (error) => output.destroy(error))
      give(null, content)
    })
  }
  zip.addReadStreamLazy('manifest.json', (give) => {
    const manifest: Manifest = {
      comptoir_backup: 1,
      db_name: name,
      version,
      pg_version: server,
      modules: Object.fromEntries(modules.map((row) => [String(row[0]), String(row[1])])),
      sha256: hash.digest('hex'),
    }
    give(null, Readable.from([Buffer.from(JSON.stringify(manifest, null, 2))]))
  })
  zip.end()
  return output
}

async function* counted(content: Readable, size: number, meter: Meter): AsyncGenerator<Buffer> {
  meter.begin('files', size)
  for await (const chunk of content) {
    meter.add((chunk as Buffer).length)
    yield chunk as Buffer
  }
}

async function* hashed(
  pieces: AsyncIterable<string | Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    hash.update(bytes)
    yield bytes
  }
}
