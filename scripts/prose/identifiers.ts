// Names of variables and parameters that say nothing about the value, and terms that have a replacement.
import { parseSync } from 'vite'

/** Names that fit any value. A closure of three lines may have them: its use is in view. */
const VAGUE = new Set(['one', 'own', 'found', 'known', 'given', 'made', 'asked', 'told', 'here', 'there'])

/** Terms that only this project used, with what to write instead. */
const TERMS = new Map([
  ['door', 'endpoint, entryPoint'],
  ['doors', 'endpoints, entryPoints'],
  ['gathering', 'batch, batcher'],
  ['outbox', 'writeBuffer'],
  ['preamble', 'credentialCheck'],
  ['staked', 'asserted'],
  ['stakes', 'assertions'],
  ['tally', 'cost, count'],
  ['ticket', 'idempotencyRecord'],
  ['veil', 'filter'],
  ['verdict', 'result'],
  ['whoever', 'the role: user, caller'],
  ['wishes', 'preferences'],
])

/** Lines of a closure in which a vague name is clear. */
const SHORT = 3

/** A place where one of the names may be declared: most files have none, and are not parsed. */
const CANDIDATE = new RegExp(
  `(?:\\b(?:const|let|var)\\s+|[({[,:]\\s*|\\.\\.\\.)(?:${[...VAGUE, ...TERMS.keys()].join('|')})\\b`,
)

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly name?: unknown
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

/** Calls `visit` with the children of a node. A loop: files have many thousand nodes. */
function eachChild(node: Node, visit: (child: Node) => void): void {
  for (const key in node) {
    const value = node[key]
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) {
      if (isNode(value)) visit(value)
    } else for (const item of value) if (isNode(item)) visit(item)
  }
}

/** Nodes that declare names, and their members with the declared patterns. */
const DECLARING: Readonly<Record<string, string>> = {
  VariableDeclarator: 'id',
  FunctionDeclaration: 'params',
  FunctionExpression: 'params',
  ArrowFunctionExpression: 'params',
  CatchClause: 'param',
}
const CLOSURES = new Set(['FunctionExpression', 'ArrowFunctionExpression'])

const isTerm = (key: unknown): boolean => isNode(key) && TERMS.has(String(key.name))

/** The identifiers that a pattern declares, without default values, types and keys. */
function declaredIn(pattern: Node): readonly Node[] {
  if (pattern.type === 'Identifier') return [pattern]
  // The interface of the value gives the name.
  if (pattern.type === 'Property' && pattern.shorthand === true && isTerm(pattern.key)) return []
  const inner = {
    AssignmentPattern: 'left',
    RestElement: 'argument',
    Property: 'value',
    TSParameterProperty: 'parameter',
  }[pattern.type]
  const parts = inner ? [pattern[inner]] : [pattern.elements, pattern.properties].flat()
  return parts.filter(isNode).flatMap(declaredIn)
}

/** Findings in the names of a source, a line each: `src/kit/gate.ts:12 "own": name the value`. */
export function identifierFindings(path: string, text: string): readonly string[] {
  if (!CANDIDATE.test(text)) return []
  const lineOf = (position: number) => text.slice(0, position).split('\n').length
  const findings: string[] = []
  const visit = (node: Node, isShort: boolean): void => {
    const isClear = CLOSURES.has(node.type)
      ? text.slice(node.start, node.end).split('\n', SHORT + 1).length <= SHORT
      : isShort
    const declaring = DECLARING[node.type]
    const patterns = declaring === undefined ? [] : [node[declaring]].flat().filter(isNode)
    for (const { name, start } of patterns.flatMap(declaredIn)) {
      const term = TERMS.get(String(name))
      const advice = term ?? (VAGUE.has(String(name)) && !isClear ? 'name the value' : null)
      if (advice) findings.push(`${path}:${lineOf(start)} "${name}": ${advice}`)
    }
    eachChild(node, (child) => visit(child, isClear))
  }
  const { program } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
  visit(program as unknown as Node, false)
  return findings
}
