// The system user, which owns the data of modules.
import type { UserProfile } from '../language/rights.ts'

/** User 1. It has no rights of its own: it works with `su`. */
export const SYSTEM: UserProfile = Object.freeze({
  id: 1,
  login: '__system__',
  name: 'System',
  partnerId: 2,
  active: false,
  lang: null,
  tz: null,
  companyId: 1,
  companyIds: Object.freeze([1]),
  groupIds: Object.freeze([]),
  groups: new Set<string>(),
})
