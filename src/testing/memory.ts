// A folder in memory for data that can be made again: databases are created and dropped there without waiting
// for a disk.
import { lstatSync, mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
/**
 * Some templates with their copies and the log of PostgreSQL take a third of this. Containers seldom have it.
 */
const ROOM = 2 ** 30
/** Bytes that must stay free: files in this folder take memory that tests and servers need. */
const FREE = 3 * ROOM

/**
 * The folder of this account in memory, created if it is missing; undefined if the system has none, too
 * little room, or a folder of another account under its name.
 */
export function memoryFolder(): string | undefined {
  const uid = process.getuid?.()
  if (process.platform !== 'linux' || uid === undefined || process.availableMemory() < FREE) return undefined
  const folder = join(MEMORY, `comptoir-${uid}`)
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize < ROOM) return undefined
    // PostgreSQL does not run as root: its account must get through.
    mkdirSync(folder, { recursive: true, mode: uid === 0 ? 0o711 : 0o700 })
    const stats = lstatSync(folder)
    return stats.isDirectory() && stats.uid === uid ? folder : undefined
  } catch {
    return undefined
  }
}
