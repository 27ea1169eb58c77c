// Entry point `#engine` for tools and for modules that administer rights, models, terms or files, as
// `base` does.

export {
  confirmSecret,
  type Enrolment,
  isEnrolled,
  proposeSecret,
  removeSecondFactors,
  renewRecoveryCodes,
  SECOND_FACTOR_REQUIRED,
  type SecondFactorStatus,
  secondFactorStatus,
  useCode,
  WRONG_CODE,
} from '../logins/index.ts'
export { protectChains, sealRecords } from './chains/guards.ts'
export type { ChainReport } from './chains/sealed.ts'
export { PENDING, type SealedRecords } from './chains/sealed.ts'
export { type ChainPlace, verifyChains } from './chains/verify.ts'
export { CommitNotes } from './changes/audited.ts'
export { isTracked } from './changes/log.ts'
export { extensionTables } from './changes/tables.ts'
export { compileDomain, needsPreparation, parseDomain, prepareDomain } from './domain/index.ts'
export { zoneOf } from './domain/zone.ts'
export { claimModels, manualChanged } from './install/manual.ts'
export { bytesFrom } from './kinds/binary.ts'
export { fieldTypes } from './kinds/index.ts'
export type { FieldDef, MethodDef, ModelDef, Registry } from './language/definitions.ts'
export type { TermSource, Terms } from './language/module.ts'
export type { AuditEntry } from './language/outside.ts'
export { readContents, writeContents } from './load/binaries.ts'
export { assertName, assertOrder, MANUAL } from './manual/custom.ts'
export { assertExist, bindNamed, writesCallerValues } from './methods/bind.ts'
export { inTrial } from './methods/forms.ts'
export { Rendered, Tagged } from './read/rendered.ts'
export { searchText } from './read/text.ts'
export { dataFlaws } from './registry/flaws.ts'
export { composeRegistry } from './registry/registry.ts'
export { auditProtection, recordAudit, trimAudit } from './rights/audit.ts'
export { auditReport, sealAudit, verifyAudit } from './rights/audit-seal.ts'
export { assertModel, fieldNamed } from './rights/judge.ts'
export { isWithin, parseScope } from './rights/key-scope.ts'
export { raiseRightsVersion, raisesRightsVersion, rightsTables } from './rights/tables.ts'
export { scopeOver } from './row/scope.ts'
export { trialConditions } from './rules/rule-domain.ts'
export { mergeTerms } from './terms/lexicon.ts'
export { loadTerms, type TermOptions } from './terms/load.ts'
export { environmentOf } from './unit/environment.ts'
export { changeModules } from './unit/module-change.ts'
export { undeclaredReads } from './unit/reads.ts'
export { authorizeWrite } from './write/authorize.ts'
export { claimRows, holdersBy } from './write/removal.ts'
