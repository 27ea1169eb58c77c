// Entry of the room `access`: who calls, and what they may.
export { askPool } from './ask.ts'
export { codeAttempt, loginAttempt } from './attempts.ts'
export type { Caller } from './caller.ts'
export { Callers } from './callers.ts'
export { AddressGuard, forgetUsers } from './cooldown.ts'
export { endPending, type PendingLogin, readPending, startPending } from './pending-logins.ts'
export { type Answering, type CallLimits, Rates } from './rates/index.ts'
export { scopeMissing } from './scoped-rights.ts'
export {
  endSession,
  endSessionsOfOwner,
  keepSession,
  noteAddress,
  noteLogin,
  startSession,
} from './sessions.ts'
