// Entry of domains: parse, complete, prepare, compile, match.
export { activeDomain } from './active.ts'
export { compileDomain } from './compile.ts'
export { type Lowered, lower } from './lower.ts'
export { type Facts, matches, targets } from './matches.ts'
export { parseDomain } from './parse.ts'
export { needsPreparation, prepareDomain } from './prepare.ts'
export { fixedDomain } from './relation.ts'
