// Exports of the package's entries: each has a comment in TSDoc, which editors show to authors of modules and
// clients. test/readme/examples.test.ts compiles and runs the examples in these comments.
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Entry files by the names under which programs import them. */
export const ENTRIES: ReadonlyMap<string, string> = new Map([
  ['comptoir', 'src/main.ts'],
  ['comptoir/models', 'src/models/index.ts'],
  ['comptoir/engine', 'src/models/engine.ts'],
  ['comptoir/client', 'src/client/index.ts'],
  ['comptoir/errors', 'src/errors.ts'],
  ['comptoir/testing', 'src/testing.ts'],
])

interface Declaration {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly isExported: boolean
  /** The comment in TSDoc before it, null without one. */
  readonly comment: string | null
}

/** A declaration at the start of a line, with the comment before it. */
const DECLARED =
  /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:\/\/[^\n]*\n)*^(export )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm
const ALL = /^export \* from '([^']+)'/gm

/** Top-level declarations of a source by name, the first of overloads. */
function declarationsOf(path: string, text: string): Map<string, Declaration> {
  const declarations = new Map<string, Declaration>()
  for (const match of text.matchAll(DECLARED)) {
    const [whole, comment = null, exported, name = ''] = match
    const line = text.slice(0, match.index + whole.length).split('\n').length
    const isExported = exported !== undefined
    if (!declarations.has(name)) declarations.set(name, { path, line, name, isExported, comment })
  }
  return declarations
}

/** Declarations that a file exports, followed through the files it exports from. */
function exportsOf(root: string, path: string): Map<string, Declaration> {
  const text = readFileSync(join(root, path), 'utf8')
  const pathOf = (specifier: string) => normalize(join(dirname(path), specifier))
  const declarations = declarationsOf(path, text)
  const exported = new Map<string, Declaration>()
  for (const [, specifier = ''] of text.matchAll(ALL))
    for (const [name, declaration] of exportsOf(root, pathOf(specifier))) exported.set(name, declaration)
  for (const [, names = '', specifier] of text.matchAll(LISTED)) {
    const source = specifier === undefined ? null : exportsOf(root, pathOf(specifier))
    for (const item of names.split(',')) {
      const [name = '', alias = name] = item
        .trim()
        .replace(/^type /, '')
        .split(' as ')
      const declaration = (source ?? declarations).get(name)
      if (declaration) exported.set(alias, declaration)
    }
  }
  for (const [name, declaration] of declarations) if (declaration.isExported) exported.set(name, declaration)
  return exported
}

/** Everything that the entries export, each declaration once. */
export function entryDeclarations(root: string): readonly Declaration[] {
  const declarations = [...ENTRIES.values()].flatMap((path) => [...exportsOf(root, path).values()])
  return [
    ...new Map(
      declarations.map((declaration) => [`${declaration.path} ${declaration.name}`, declaration]),
    ).values(),
  ]
}

/** Exports of the entries without a comment, a line each. */
export const undocumentedExports = (root: string): readonly string[] =>
  entryDeclarations(root)
    .filter(({ comment }) => comment === null)
    .map(({ path, line, name }) => `${path}:${line} ${name} is exported by an entry: describe it in TSDoc`)

/** An example in the comment of an export: a file in TypeScript. */
export interface Example {
  readonly name: string
  readonly text: string
}

/** The examples in the comments of the entries' exports. */
export const examplesOf = (root: string): readonly Example[] =>
  entryDeclarations(root).flatMap(({ name, comment }) =>
    [...(comment ?? '').matchAll(/^ \* ```ts\n([\s\S]*?)^ \* ```$/gm)].map(([, block = '']) => ({
      name,
      text: block.replaceAll(/^ \*(?: |$)/gm, ''),
    })),
  )
