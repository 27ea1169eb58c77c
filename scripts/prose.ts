// Checks the prose of documents, comments, titles of tests and messages, names of variables, comments of
// the entries' exports, and in documents links, names of files and numbers of decisions. `node
// scripts/prose.ts` lists every finding, and fails if there is one.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { undocumentedExports } from './prose/documented.ts'
import { identifierFindings } from './prose/identifiers.ts'
import { brokenLinks, guidesWithoutModules, missingFiles, unknownDecisions } from './prose/links.ts'
import { findings } from './prose/rules.ts'
import { proseOfDocument, proseOfSource } from './prose/texts.ts'

const root = dirname(import.meta.dirname)

const FILES = ['*.md', 'docs/**/*.md', '{src,test,scripts}/**/*.{md,ts,tsx}']
/** Words that are left out on purpose: the rules themselves, and what is generated or recorded. */
const EXCEPT = /node_modules|^scripts\/prose\/|^docs\/reference\/|\/(?:data|vendor)\/|\.d\.ts$/

/** The findings in a file, a line each. */
type Check = (path: string, text: string) => readonly string[]

const checkProse: Check = (path, text) =>
  (path.endsWith('.md') ? proseOfDocument(path, text) : proseOfSource(path, text)).flatMap(findings)

const checkNames: Check = (path, text) => (path.endsWith('.md') ? [] : identifierFindings(path, text))

function main(): void {
  const paths = globSync(FILES, { cwd: root })
    .filter((path) => !EXCEPT.test(path))
    .sort()
  const checks = [brokenLinks, unknownDecisions, missingFiles, guidesWithoutModules]
  const lines = [
    ...checks.flatMap((check) => check(root, paths)),
    ...undocumentedExports(root),
    ...paths.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return [...checkProse(path, text), ...checkNames(path, text)]
    }),
  ]
  for (const line of lines) console.log(line)
  process.exitCode = lines.length > 0 ? 1 : 0
}

main()
