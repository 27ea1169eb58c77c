// Links of documents that lead nowhere, files and scripts that do not exist, and numbers of decisions that
// the index does not have.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { headingsOf } from '../../src/docs/markdown.ts'

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

/** Links to files that are missing, and to headings that a document does not have. */
export function brokenLinks(root: string, paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...read(root, path).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^https?:/.test(target) && !leadsSomewhere(root, path, target))
        .map((target) => `${path}: the link ${target} leads nowhere`),
    )
}

function leadsSomewhere(root: string, path: string, target: string): boolean {
  const [file = '', part] = target.split('#')
  const linked = file === '' ? path : normalize(join(dirname(path), file))
  if (!existsSync(join(root, linked))) return false
  return part === undefined || headingsOf(read(root, linked)).some(({ id }) => id === part)
}

/** Numbers after "decision" for which there is neither a file nor a row of the index. */
export function unknownDecisions(root: string, paths: readonly string[]): readonly string[] {
  const index = read(root, 'docs/decisions/README.md')
  const files = readdirSync(join(root, 'docs/decisions')).map((name) => Number.parseInt(name, 10))
  const rows = [...index.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number))
  const numbers = new Set([...files, ...rows])
  return paths.flatMap((path) =>
    [...read(root, path).matchAll(/\bdecisions?[ /]0*(\d{1,4})\b/gi)]
      .map(([, number]) => Number(number))
      .filter((number) => !numbers.has(number))
      .map((number) => `${path}: docs/decisions has no decision ${number}`),
  )
}

/** Documents that describe the current sources. Decisions and notes may name files of their time. */
const CURRENT = /^(?:[A-Z]+\.md|docs\/\w+\.md)$/
/** `unit/unit.ts`, `test/machines/move.ts`, `deploy/`; not URLs such as `/x/1/openapi.json`. */
const PATH = /^(?!\/)[\w./-]+(?:\.(?:tsx?|js|json|md)|\/)$/

/**
 * Files and folders in code spans of documents that no path of the project ends in, and npm scripts that
 * package.json does not have.
 */
export function missingFiles(root: string, documents: readonly string[]): readonly string[] {
  const paths = pathsOf(root)
  const { scripts } = JSON.parse(read(root, 'package.json')) as { scripts: Readonly<Record<string, string>> }
  return documents
    .filter((document) => CURRENT.test(document))
    .flatMap((document) => {
      const spans = [...read(root, document).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
      const names = spans
        .flatMap((span) => span.split(/\s+/))
        .map((word) => word.replace(/^\.\//, ''))
        .filter((word) => PATH.test(word) && !paths.some((path) => path.endsWith(`/${word}`)))
      const commands = spans
        .map((span) => /^npm run (?:-s )?([\w:-]+)/.exec(span)?.[1])
        .filter((script) => script !== undefined && !(script in scripts))
      return [
        ...names.map((name) => `${document}: no file or folder is called ${name}`),
        ...commands.map((script) => `${document}: package.json has no script ${script}`),
      ]
    })
}

/** Guides whose line below the title does not name their kind and the modules that they need. */
export function guidesWithoutModules(root: string, documents: readonly string[]): readonly string[] {
  return documents
    .filter((document) => /^docs\/guides\/(?!README)/.test(document))
    .filter((document) => !/^# .+\n\*[A-Z][^*\n]* · [^*\n]*\*\n/.test(read(root, document)))
    .map((document) => `${document}: the line below the title names no kind and modules`)
}

/** Every file of the project as `/src/main.ts`, every folder as `/src/models/`. */
const pathsOf = (root: string): readonly string[] =>
  globSync(['*', '{bin,deploy,docs,scripts,src,test,tools}/**'], {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => entry.name === 'node_modules',
  }).map((entry) => {
    const path = join(entry.parentPath, entry.name).slice(root.length)
    return entry.isDirectory() ? `${path}/` : path
  })
