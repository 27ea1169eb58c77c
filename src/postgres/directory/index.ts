// A data directory without its server: for the primary process, which makes and locks it and loads nothing
// else.
export { makeDataDir } from '../embedded/data-dir.ts'
export { lockServe } from '../embedded/lock.ts'
