// Copies files and knows what was copied: bytes and SHA-256, synced to the disk.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Bytes that are read at a time: hashing them takes too little time to delay others. */
const PIECE = 256 * 1024

export interface Copied {
  readonly size: number
  readonly sha256: string
}

/** Copies a file to a free name. Reads to its current end, whatever its length was before. */
export async function copyFile(
  from: string,
  to: string,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Copied> {
  const source = await open(from, 'r')
  try {
    const target = await open(to, 'wx', 0o600)
    try {
      return await pour(source, target, onBytes)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function pour(
  source: FileHandle,
  target: FileHandle,
  onBytes: (bytes: number) => void,
): Promise<Copied> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(PIECE)
  let size = 0
  for (;;) {
    const { bytesRead } = await source.read(piece, 0, PIECE)
    if (bytesRead === 0) break
    const part = piece.subarray(0, bytesRead)
    hash.update(part)
    await target.writeFile(part)
    size += bytesRead
    onBytes(bytesRead)
  }
  await target.sync()
  return { size, sha256: hash.digest('hex') }
}

/** The SHA-256 of a file. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { highWaterMark: PIECE })) hash.update(piece as Buffer)
  return hash.digest('hex')
}
