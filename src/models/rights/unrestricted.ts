// Rights while a database is created: it has none yet, and only the system user works.
import { AccessError } from '../../errors.ts'
import type { Rights } from '../language/rights.ts'

const rights: Rights = {
  version: 'unrestricted',
  timed: false,
  languages: new Set(['en_US']),
  mayModel: () => true,
  refusal: (_user, model) => new AccessError(`${model.name} has no records.`),
  rules: () => null,
  ownRules: () => null,
  ruled: () => null,
  mayField: () => true,
  defaults: () => ({}),
  profile: () =>
    Promise.reject(new Error('Only the system user may work while the rights of a database are unknown.')),
}

export const unrestricted: Rights = Object.freeze(rights)
