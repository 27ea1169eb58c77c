// Entry of domains: parse, complete, prepare, compile, match.

export { compileDomain } from './compile.ts'
export { isTree } from './hierarchy.ts'
export { type Lowered, lower, matches } from './lower.ts'
export { numberReader } from './number.ts'
export { senseOf } from './operators.ts'
export { parseDomain } from './parse.ts'
export { needsPreparation, prepareDomain } from './prepare.ts'
export { fixedDomain } from './relation.ts'
export { activeDomain } from './search-rule.ts'
export { areOptions, LONG, optionsOf } from './text.ts'
