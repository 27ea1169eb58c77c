// Entry of domains: parse, complete, prepare, compile, match.
export { activeDomain } from './active.ts'
export { compileDomain } from './compile.ts'
export { decidable, matches, pathsOf } from './matches.ts'
export { parseDomain } from './parse.ts'
export { needsPreparation, prepareDomain } from './prepare.ts'
export { fixedDomain } from './relation.ts'
