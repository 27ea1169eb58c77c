// The disk of a data directory: what it has left, and whether that is too little.
import { statfs } from 'node:fs/promises'

const GB = 1024 ** 3

export interface Disk {
  /** Bytes. */
  readonly free: number
  readonly all: number
  /**
   * The resource that is about to run out: `room` and `files` now, `soon` the room. PostgreSQL stops when it
   * cannot write.
   */
  readonly lack: 'room' | 'files' | 'soon' | null
}

/** Looks at the disk on which a path is. */
export async function diskOf(path: string): Promise<Disk> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(path)
  const [free, all] = [bavail * bsize, blocks * bsize]
  return { free, all, lack: shortageOf(free, all, files > 0 ? ffree / files : 1) }
}

/** Of bytes, and of the share of files that may still be made. */
export function shortageOf(free: number, all: number, files: number): Disk['lack'] {
  if (free < GB / 4) return 'room'
  if (files < 0.02) return 'files'
  return free < 2 * GB && free / all < 0.1 ? 'soon' : null
}
