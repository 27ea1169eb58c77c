// The entry of the room: the PostgreSQL that comes along and lives in the data directory.
export type { Embedded, EmbeddedAddress, EmbeddedOptions } from './cluster.ts'
export { attachEmbedded, startEmbedded } from './cluster.ts'
export { makeDataDir } from './data-dir.ts'
export { clearUnclean, removeUnused } from './leftovers.ts'
export { startTemporary } from './temporary.ts'
