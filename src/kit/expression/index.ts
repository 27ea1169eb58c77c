// Entry of the expression reader: the small, safe part of Python's expressions that rules, filters and action
// domains are written in.
export { evaluate, type Names } from './evaluate.ts'
export { assertReadable, parseExpression } from './parse.ts'
export { timeNames } from './time.ts'
export { attributePathsOf, type Node, namesOf } from './tree.ts'
export { Attributes, isTrue } from './values.ts'
