// Entry point `#models` for modules: declarations of models, fields, implementations and data, and the
// types that they use.

export type { PrintBlock, PrintColumn, PrintDocument, PrintRow } from '../kit/print/document.ts'
export type { BehaviourBody } from './behaviour/implement.ts'
export {
  audited,
  computed,
  computedFields,
  computedTogether,
  implement,
  writable,
} from './behaviour/implement.ts'
export {
  add,
  alike,
  change,
  dataSet,
  defineModule,
  idsWhere,
  link,
  ref,
  remove,
  set,
  unlink,
} from './behaviour/module.ts'
export { isTouched } from './changes/log.ts'
export { changed } from './changes/note.ts'
export { reservedIds, reserveIds } from './compute/ids.ts'
export * from './contract/field.ts'
export { abstract, type Contract, extend, model, transient } from './contract/model.ts'
// Only with `export *` does `declare module '#models' { interface Models … }` reach the interface in its
// own file.
export * from './contract/names.ts'
export { optional, type Param, required, returns } from './contract/param.ts'
export { loadData } from './install/data.ts'
export type {
  Behaviour,
  Computed,
  ComputedOptions,
  Onchange,
  WriteChange,
  WriteRun,
} from './language/behaviour.ts'
export type { Environment } from './language/environment.ts'
export {
  type DataSet,
  type DataSetOf,
  type DataVals,
  type Migration,
  type Module,
  Ref,
} from './language/module.ts'
export type { Command, Domain, Of, Rec, Records, Recordset, Seen, Vals } from './language/records.ts'
export type { Scope } from './language/scope.ts'
export { cacheReadColumn } from './load/decide.ts'
export { lineCount, linesOf, linkedIdsByRow } from './load/links.ts'
export { readAmong } from './load/values.ts'
export { type RuleOptions, recordRule, recordRules, ruleDomain } from './rules/record-rule.ts'
export { companyId, companyIds, now, today, user } from './rules/typed.ts'
export { termsIn, wordsIn } from './terms/lexicon.ts'
export { attempted, tried } from './transfer/attempt.ts'
export { indirect } from './unit/environment.ts'
export { atOnce } from './unit/reads.ts'
export { assertAddsOnly } from './write/commands/parse.ts'
