// Entry of the room `access`: who calls, and what they may.
export { type Ask, askPool } from './ask.ts'
export { type Caller, Callers, type Source } from './callers.ts'
export { AddressGuard } from './cooldown.ts'
export { StaleCredential } from './credential.ts'
export type { Who } from './passwords.ts'
export { type KnownUser, loadProfile } from './profile.ts'
export { DatabaseRights } from './rights.ts'
