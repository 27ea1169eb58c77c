// Counts what the sources take on trust: casts (`x as T`), and those of them that only hide that a value may
// be missing. `node scripts/casts.ts` lists them.
import { dirname, join, relative } from 'node:path'
import type { Expression, Node, TypeNode } from 'typescript/unstable/ast'
import { isAsExpression, isNonNullExpression, isTypeAssertion } from 'typescript/unstable/ast/is'
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync'

const root = dirname(import.meta.dirname)

export interface Cast {
  /** `src/…:12` */
  readonly at: string
  readonly text: string
  /** All it adds is that the value is there: `x as T` where `x` is `T | undefined` or `T | null`. */
  readonly hidden: boolean
}

export interface Count {
  readonly casts: readonly Cast[]
  /** Lines of the files looked at. */
  readonly lines: number
}

/** Casts of all sources, tests apart, as the compiler reads them. */
export function count(): Count {
  const api = new API({ cwd: root })
  try {
    const projects = ['scripts/tsconfig.sources.json', 'src/pages/tsconfig.json'].map((name) =>
      join(root, name),
    )
    const opened = api.updateSnapshot({ openProjects: projects }).getProjects()
    const casts: Cast[] = []
    const seen = new Set<string>()
    let lines = 0
    for (const { program, checker } of opened) {
      for (const name of program.getSourceFileNames()) {
        const path = relative(root, name)
        if (
          !path.startsWith('src/') ||
          path.endsWith('.json') ||
          /\.test\.tsx?$/.test(path) ||
          seen.has(path)
        )
          continue
        seen.add(path)
        const file = program.getSourceFile(name)
        if (!file) continue
        const starts = [...file.text.matchAll(/\n/g)].map((match) => match.index)
        lines += starts.length
        const visit = (node: Node): void => {
          const cast = castOf(node)
          if (cast) {
            const text = node.getText(file).replace(/\s+/g, ' ')
            const line = starts.filter((end) => end < node.getStart(file)).length + 1
            casts.push({ at: `${path}:${line}`, text, hidden: hides(checker, cast) })
          }
          node.forEachChild(visit)
        }
        visit(file)
      }
    }
    return { casts, lines }
  } finally {
    api.close()
  }
}
interface Written {
  readonly expression: Expression
  /** None in `x!`. */
  readonly type: TypeNode | null
}

/** The parts of a cast; null for anything else, and for `as const`. */
function castOf(node: Node): Written | null {
  if (isNonNullExpression(node)) return { expression: node.expression, type: null }
  if (!isAsExpression(node) && !isTypeAssertion(node)) return null
  return node.type.getText() === 'const' ? null : { expression: node.expression, type: node.type }
}

const MISSING = TypeFlags.Undefined | TypeFlags.Null
const ANYTHING = TypeFlags.Unknown | TypeFlags.Any

function mayBeMissing(type: Type): boolean {
  if (type.flags & MISSING) return true
  return type.isUnionType() && type.getTypes().some(({ flags }) => flags & MISSING)
}

function hides(checker: Checker, { expression, type }: Written): boolean {
  if (!type) return true
  const [from, to] = [checker.getTypeAtLocation(expression), checker.getTypeFromTypeNode(type)]
  if (!from || !to || !mayBeMissing(from) || mayBeMissing(to) || to.flags & ANYTHING) return false
  const target = checker.getNonNullableType(from)
  return target !== undefined && !(target.flags & TypeFlags.Never) && checker.isTypeAssignableTo(target, to)
}

if (import.meta.main) {
  const { casts, lines } = count()
  for (const { at, text, hidden } of casts) console.log(`${at}\t${hidden ? 'hidden' : ''}\t${text}`)
  const hidden = casts.filter((cast) => cast.hidden).length
  console.log(
    `${casts.length} casts in ${lines} lines, ${((casts.length / lines) * 1000).toFixed(1)} a thousand; ${hidden} hide that a value may be missing`,
  )
}
