// Entry of the room `models` and the file that `#models` names: what module authors import, and the open interface they widen.

/** Model name → its record. Every module adds its own: `interface Models { 'sale.order': SaleOrder }`. */
// biome-ignore lint/suspicious/noEmptyInterface: modules widen it by declaration merging
export interface Models {}

export type { Behaviour, BehaviourBody, Computed, ComputedOptions, Onchange } from './contract/behaviour.ts'
export { computed, computedFields, computedTogether, implement } from './contract/behaviour.ts'
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
export { type DataSet, defineModule, type Module, Ref, ref } from './contract/module.ts'
export { optional, type Param, required, returns } from './contract/param.ts'
export { alike, idsWhere, type WriteChange, type WriteRun } from './contract/wraps.ts'
export type { FieldDef, MethodDef, ModelDef, Registry } from './defs.ts'
export { compileDomain, needsPreparation, prepareDomain } from './domain/index.ts'
export { zoneOf } from './domain/zone.ts'
export { Environment } from './environment.ts'
export { bytesFrom } from './fields/binary.ts'
export { loadData } from './install/data.ts'
export { changeModules } from './install/module-change.ts'
export { claimModels, manualChanged } from './manual/apply.ts'
export { assertName, assertOrder } from './manual/names.ts'
export { MANUAL } from './manual/rows.ts'
export { bindNamed } from './methods/bind.ts'
export { inTrial } from './methods/trial.ts'
export { readContents, writeContents } from './records/contents.ts'
export { lineCount, linesOf } from './records/links.ts'
export { Scope } from './records/scope.ts'
export { atOnce } from './records/together.ts'
export { type AuditEntry, auditProtection, recordAudit, trimAudit } from './rights/audit.ts'
export { trialConditions } from './rights/rule-domain.ts'
export { rightsTables } from './rights/tables.ts'
export { raiseRightsVersion } from './rights/version.ts'
export { mergeTerms, type TermSource, type Terms, termsIn } from './terms/files.ts'
export { loadTerms, type TermOptions } from './terms/load.ts'
export { attempted } from './transfer/attempt.ts'
export type { Command, Domain, ModelName, Of, Rec, Records, Recordset, Seen, Vals } from './types.ts'
