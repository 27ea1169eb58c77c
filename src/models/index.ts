// Entry of the room `models` and the file that `#models` names: what module authors import, and by whose name they widen the open interface of models.

export type { BehaviourBody } from './behaviour/implement.ts'
export { computed, computedFields, computedTogether, implement } from './behaviour/implement.ts'
export { defineModule, Ref, ref } from './behaviour/module.ts'
export { alike, idsWhere } from './behaviour/wraps.ts'
export {
  binary,
  boolean,
  char,
  date,
  datetime,
  type Field,
  float,
  html,
  integer,
  json,
  many2many,
  many2one,
  many2oneReference,
  monetary,
  one2many,
  properties,
  propertiesDefinition,
  reference,
  selection,
  text,
} from './contract/field.ts'
export { abstract, type Contract, extend, model, transient } from './contract/model.ts'
// `export *` and no other form: by it `declare module '#models' { interface Models … }` reaches the interface where it lives.
export * from './contract/names.ts'
export { optional, type Param, required, returns } from './contract/param.ts'
export { compileDomain, needsPreparation, prepareDomain } from './domain/index.ts'
export { zoneOf } from './domain/zone.ts'
export { loadData } from './install/data.ts'
export { claimModels, manualChanged } from './install/manual.ts'
export { bytesFrom } from './kinds/binary.ts'
export type { Behaviour, Computed, ComputedOptions, Onchange, WriteChange, WriteRun } from './language/behaviour.ts'
export type { FieldDef, MethodDef, ModelDef, Registry } from './language/definitions.ts'
export type { Environment } from './language/environment.ts'
export type { DataSet, Module, TermSource, Terms } from './language/module.ts'
export type { AuditEntry } from './language/outside.ts'
export type { Command, Domain, Of, Rec, Records, Recordset, Seen, Vals } from './language/records.ts'
export type { Scope } from './language/scope.ts'
export { readContents, writeContents } from './load/contents.ts'
export { lineCount, linesOf } from './load/links.ts'
export { assertName, assertOrder } from './manual/names.ts'
export { MANUAL } from './manual/rows.ts'
export { bindNamed } from './methods/bind.ts'
export { inTrial } from './methods/trial.ts'
export { auditProtection, recordAudit, trimAudit } from './rights/audit.ts'
export { rightsTables } from './rights/tables.ts'
export { raiseRightsVersion } from './rights/version.ts'
export { scopeOver } from './row/scope.ts'
export { trialConditions } from './rules/rule-domain.ts'
export { mergeTerms, termsIn } from './terms/files.ts'
export { loadTerms, type TermOptions } from './terms/load.ts'
export { attempted } from './transfer/attempt.ts'
export { environmentOf } from './unit/environment.ts'
export { changeModules } from './unit/module-change.ts'
export { atOnce } from './unit/together.ts'
