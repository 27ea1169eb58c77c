// Links of documents that lead nowhere, and numbers of decisions that the index does not have.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
