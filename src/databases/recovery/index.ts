// The entry of the room in the room: recovery of an embedded server to a moment.
export { Backups, backupsIn } from './backups.ts'
export { BackupKeeper } from './keeper.ts'
export { namePoint, restorePoints } from './points.ts'
export { restoreTo } from './restore.ts'
export { verify } from './verify.ts'
