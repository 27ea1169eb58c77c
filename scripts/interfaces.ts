// Counts the members of the interfaces of the sources. `node scripts/interfaces.ts` lists the largest.
import { dirname, relative } from 'node:path'
import { isInterfaceDeclaration } from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

const root = dirname(import.meta.dirname)

export interface Counted {
  /** `src/… Name` */
  readonly at: string
  /** Its members and those that it inherits, without those that other files add to it. */
  readonly members: number
}

/** Interfaces at the top of the sources, tests apart, as the compiler reads them. */
export function interfaces(): Counted[] {
  const api = new API({ cwd: root })
  try {
    const projects = ['scripts/tsconfig.sources.json', 'src/pages/tsconfig.json'].map(
      (name) => `${root}/${name}`,
    )
    const counted = new Map<string, number>()
    for (const { program, checker } of api.updateSnapshot({ openProjects: projects }).getProjects())
      for (const name of program.getSourceFileNames()) {
        const path = relative(root, name)
        if (!path.startsWith('src/') || /\.test\.tsx?$|\.json$/.test(path)) continue
        for (const declaration of program.getSourceFile(name)?.statements ?? []) {
          // One without members, which other files extend, is a register of what they declare.
          if (!isInterfaceDeclaration(declaration)) continue
          if (declaration.members.length === 0 && !declaration.heritageClauses?.length) continue
          const type = checker.getTypeAtLocation(declaration.name)
          if (!type) continue
          counted.set(`${path} ${declaration.name.text}`, checker.getPropertiesOfType(type).length)
        }
      }
    return [...counted].map(([at, members]) => ({ at, members }))
  } finally {
    api.close()
  }
}

if (import.meta.main) {
  const largest = interfaces().toSorted((a, b) => b.members - a.members)
  for (const { at, members } of largest.slice(0, 40)) console.log(`${members}\t${at}`)
}
