// The two forms of a backup: a zip with `dump.sql`, `filestore/` and `manifest.json`, or the script alone. Made as it is sent, never on disk.
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { type ConnectionOptions, Copying } from '../../postgres/index.ts'
import { beginSnapshot, writeScript } from './script.ts'

export type BackupFormat = 'zip' | 'dump'

/** What a backup says of itself; the last entry of the zip, as it holds the checksum. */
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

/** Files of the store; drafts and what is being collected stay behind. */
const STORED = /^[0-9a-f]{2}\/[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** A backup as a stream. It reads from one snapshot; leaving the stream unread holds a connection, destroying it lets go. */
export async function backupStream(
  name: string,
  { format, version, address, filestore }: { format: BackupFormat; version: string; address: ConnectionOptions; filestore: string },
): Promise<Readable> {
  const connection = await Copying.connect({ ...address, database: name })
  try {
    await beginSnapshot(connection)
    const stream = format === 'zip' ? await zipped(connection, { name, version, filestore }) : Readable.from(writeScript(connection))
    // However it ends, the connection ends with it.
    stream.once('close', () => connection.destroy())
    return stream
  } catch (error) {
    connection.destroy()
    throw error
  }
}

async function zipped(
  connection: Copying,
  { name, version, filestore }: { name: string; version: string; filestore: string },
): Promise<Readable> {
  const zip = new ZipFile()
  const output = zip.outputStream as unknown as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  const hash = createHash('sha256')
  const modules = await connection.query(
    "SELECT name, COALESCE(latest_version, '') FROM ir_module_module WHERE state = 'installed' ORDER BY name",
  )
  const [server] = await connection.query('SHOW server_version')
  const script = Readable.from(hashed(writeScript(connection), hash))
  script.once('error', (error) => output.destroy(error))
  // The size is not known beforehand, and may be beyond what the old format can say.
  zip.addReadStreamLazy('dump.sql', { forceZip64Format: true }, (give) => give(null, script))
  // Listed after the snapshot began: whatever it names is there.
  for (const path of await filesOf(filestore)) zip.addFile(join(filestore, path), `filestore/${path}`, { compress: false })
  zip.addReadStreamLazy('manifest.json', (give) => {
    const manifest: Manifest = {
      comptoir_backup: 1,
      db_name: name,
      version,
      pg_version: String(server?.[0]),
      modules: Object.fromEntries(modules.map((row) => [String(row[0]), String(row[1])])),
      sha256: hash.digest('hex'),
    }
    give(null, Readable.from([Buffer.from(JSON.stringify(manifest, null, 2))]))
  })
  zip.end()
  return output
}

async function* hashed(pieces: AsyncIterable<string | Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    hash.update(bytes)
    yield bytes
  }
}

/** Files below a folder, as paths relative to it; none when there is no folder. */
async function filesOf(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      )
      .filter((path) => STORED.test(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
