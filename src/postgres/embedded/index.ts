// The entry of the room: the PostgreSQL that comes along and lives in the data directory.
export { type Base, listBases, takeBase } from './archive/base.ts'
export { copyFile, hashOfFile } from './archive/copying.ts'
export {
  type Archive,
  basesIn,
  contentsIn,
  holdingFolder,
  readOwner,
  walIn,
} from './archive/folder.ts'
export { pack } from './archive/packing.ts'
export type { Target } from './archive/recover.ts'
export { restoreServer } from './archive/restore.ts'
export { newestArchived, type Reach, reachOf, removeSegmentsBefore } from './archive/segments.ts'
export type { Embedded, EmbeddedAddress, EmbeddedOptions } from './cluster.ts'
export {
  archiveNoted,
  attachEmbedded,
  endArchive,
  type Managed,
  manageEmbedded,
  startEmbedded,
} from './cluster.ts'
export { makeDataDir } from './data-dir.ts'
export { clearUnclean, removeUnused } from './leftovers.ts'
export { assertServerAccount } from './server-file.ts'
export { startTemporary } from './temporary.ts'
