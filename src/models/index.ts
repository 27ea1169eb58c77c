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
export { environmentOf } from './environment.ts'
export { bytesFrom } from './fields/binary.ts'
export { loadData } from './install/data.ts'
export { changeModules } from './install/module-change.ts'
export type { Behaviour, Computed, ComputedOptions, Onchange, WriteChange, WriteRun } from './language/behaviour.ts'
export type { FieldDef, MethodDef, ModelDef, Registry } from './language/definitions.ts'
export type { Environment } from './language/environment.ts'
export type { DataSet, Module, TermSource, Terms } from './language/module.ts'
export type { AuditEntry } from './language/outside.ts'
export type { Command, Domain, Of, Rec, Records, Recordset, Seen, Vals } from './language/records.ts'
export type { Scope } from './language/scope.ts'
export { claimModels, manualChanged } from './manual/apply.ts'
export { assertName, assertOrder } from './manual/names.ts'
export { MANUAL } from './manual/rows.ts'
export { bindNamed } from './methods/bind.ts'
export { inTrial } from './methods/trial.ts'
export { readContents, writeContents } from './records/contents.ts'
export { lineCount, linesOf } from './records/links.ts'
export { scopeOver } from './records/scope.ts'
export { atOnce } from './records/together.ts'
export { auditProtection, recordAudit, trimAudit } from './rights/audit.ts'
export { trialConditions } from './rights/rule-domain.ts'
export { rightsTables } from './rights/tables.ts'
export { raiseRightsVersion } from './rights/version.ts'
export { mergeTerms, termsIn } from './terms/files.ts'
export { loadTerms, type TermOptions } from './terms/load.ts'
export { attempted } from './transfer/attempt.ts'
