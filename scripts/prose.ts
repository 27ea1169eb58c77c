// Checks the prose of documents, comments, titles of tests and messages, names of variables, comments of
// the entries' exports, and in documents links, names of files and numbers of decisions. `node
// scripts/prose.ts` lists what to change in folders that have more findings than prose/known.json and
// prose/known-names.json allow; `--all` lists every finding, `--note` writes what is left into these files.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { undocumentedExports } from './prose/documented.ts'
import { identifierFindings } from './prose/identifiers.ts'
import { brokenLinks, guidesWithoutModules, missingFiles, unknownDecisions } from './prose/links.ts'
import { findings } from './prose/rules.ts'
import { proseOfDocument, proseOfSource } from './prose/texts.ts'

const root = dirname(import.meta.dirname)

const FILES = ['*.md', 'docs/**/*.md', '{src,test,scripts}/**/*.{md,ts,tsx}']
/** Words that are left out on purpose: the rules themselves, and what is generated or recorded. */
const EXCEPT = /node_modules|^scripts\/prose\/|^docs\/reference\/|\/(?:data|vendor)\/|\.d\.ts$/

/** `src/models/unit` of `src/models/unit/turns.ts`; documents of `docs` stand for themselves. */
const folderOf = (path: string): string =>
  path.startsWith('docs/') ? path : dirname(path).split('/').slice(0, 3).join('/')

/** The findings in a file, a line each. */
type Check = (path: string, text: string) => readonly string[]

const checkProse: Check = (path, text) =>
  (path.endsWith('.md') ? proseOfDocument(path, text) : proseOfSource(path, text)).flatMap(findings)

const checkNames: Check = (path, text) => (path.endsWith('.md') ? [] : identifierFindings(path, text))

function findingsByFolder(paths: readonly string[], check: Check): Map<string, string[]> {
  const byFolder = new Map<string, string[]>()
  for (const path of paths) {
    const lines = check(path, readFileSync(join(root, path), 'utf8'))
    if (lines.length > 0) byFolder.set(folderOf(path), [...(byFolder.get(folderOf(path)) ?? []), ...lines])
  }
  return byFolder
}

interface Options {
  /** The file with the number of findings that each folder may have. */
  readonly caps: string
  /** Lists every finding. */
  readonly all: boolean
  /** Writes the numbers of findings into the file of caps. */
  readonly note: boolean
}

/** Lists findings, and returns whether a folder has more than its cap. */
function isBeyondCaps(byFolder: ReadonlyMap<string, string[]>, { caps, all, note }: Options): boolean {
  const file = join(import.meta.dirname, 'prose', caps)
  if (note) {
    const counts = Object.fromEntries([...byFolder].map(([folder, lines]) => [folder, lines.length]))
    writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`)
  }
  const allowances: Record<string, number> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  let isBeyond = false
  for (const [folder, lines] of byFolder) {
    const allowed = allowances[folder] ?? 0
    if (lines.length <= allowed && !all) continue
    isBeyond ||= lines.length > allowed
    console.log(`${folder}: ${lines.length} findings, ${allowed} allowed\n  ${lines.join('\n  ')}`)
  }
  return isBeyond
}

function main(): void {
  const { values } = parseArgs({ options: { all: { type: 'boolean' }, note: { type: 'boolean' } } })
  const { all = false, note = false } = values
  const paths = globSync(FILES, { cwd: root })
    .filter((path) => !EXCEPT.test(path))
    .sort()
  const checks = [brokenLinks, unknownDecisions, missingFiles, guidesWithoutModules]
  const broken = [...checks.flatMap((check) => check(root, paths)), ...undocumentedExports(root)]
  for (const line of broken) console.log(line)
  const results = [
    isBeyondCaps(findingsByFolder(paths, checkProse), { caps: 'known.json', all, note }),
    isBeyondCaps(findingsByFolder(paths, checkNames), { caps: 'known-names.json', all, note }),
  ]
  process.exitCode = broken.length > 0 || results.includes(true) ? 1 : 0
}

main()
