// Measures the functions of the sources in lines. `node scripts/functions.ts` lists the longest.
import { dirname, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { isFunctionLikeDeclaration } from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

const root = dirname(import.meta.dirname)

export interface Sized {
  /** `src/…:12 name` */
  readonly at: string
  /** From its first word to its last brace, comments of its own included. */
  readonly lines: number
}

/** Functions with bodies of a file: declarations, expressions, methods, accessors, constructors. */
function functionsOf(path: string, file: SourceFile): Sized[] {
  const lineOf = (position: number) => file.text.slice(0, position).split('\n').length
  const functions: Sized[] = []
  const visit = (node: Node): void => {
    if (isFunctionLikeDeclaration(node) && node.body) {
      const first = lineOf(node.getStart(file))
      const name = ('name' in node && node.name?.getText(file)) || 'nameless'
      functions.push({ at: `${path}:${first} ${name}`, lines: lineOf(node.end) - first + 1 })
    }
    node.forEachChild(visit)
  }
  visit(file)
  return functions
}

/** Those of all sources, tests apart, as the compiler reads them. */
export function functions(): Sized[] {
  const api = new API({ cwd: root })
  try {
    const projects = ['scripts/tsconfig.sources.json', 'src/pages/tsconfig.json'].map(
      (name) => `${root}/${name}`,
    )
    const files = new Map<string, SourceFile>()
    for (const { program } of api.updateSnapshot({ openProjects: projects }).getProjects())
      for (const name of program.getSourceFileNames()) {
        const path = relative(root, name)
        if (!path.startsWith('src/') || /\.test\.tsx?$|\.d\.ts$|\.json$/.test(path) || files.has(path))
          continue
        const file = program.getSourceFile(name)
        if (file) files.set(path, file)
      }
    return [...files].flatMap(([path, file]) => functionsOf(path, file))
  } finally {
    api.close()
  }
}

if (import.meta.main) {
  const longest = functions().toSorted((a, b) => b.lines - a.lines)
  for (const { at, lines } of longest.slice(0, 40)) console.log(`${lines}\t${at}`)
}
