// Checks the prose of documents, comments, titles of tests and messages, and in documents links, names of
// files and numbers of decisions. `node scripts/prose.ts` lists what to change in folders that have more
// findings than prose/known.json allows; `--all` lists every finding, `--note` writes what is left into
// that file.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { brokenLinks, guidesWithoutModules, missingFiles, unknownDecisions } from './prose/links.ts'
import { findings } from './prose/rules.ts'
import { proseOfDocument, proseOfSource } from './prose/texts.ts'

const root = dirname(import.meta.dirname)
const knownFile = join(import.meta.dirname, 'prose/known.json')

const FILES = ['*.md', 'docs/**/*.md', '{src,test,scripts}/**/*.{md,ts,tsx}']
/** Words that are left out on purpose: the rules themselves, and what is generated or recorded. */
const EXCEPT = /node_modules|^scripts\/prose\/|^docs\/reference\/|\/(?:data|vendor)\/|\.d\.ts$/

/** `src/models/unit` of `src/models/unit/turns.ts`; documents of `docs` stand for themselves. */
const folderOf = (path: string): string =>
  path.startsWith('docs/') ? path : dirname(path).split('/').slice(0, 3).join('/')

function findingsByFolder(paths: readonly string[]): Map<string, string[]> {
  const byFolder = new Map<string, string[]>()
  for (const path of paths) {
    const text = readFileSync(join(root, path), 'utf8')
    const prose = path.endsWith('.md') ? proseOfDocument(path, text) : proseOfSource(path, text)
    const lines = prose.flatMap(findings)
    if (lines.length > 0) byFolder.set(folderOf(path), [...(byFolder.get(folderOf(path)) ?? []), ...lines])
  }
  return byFolder
}

function main(): void {
  const { values } = parseArgs({ options: { all: { type: 'boolean' }, note: { type: 'boolean' } } })
  const paths = globSync(FILES, { cwd: root })
    .filter((path) => !EXCEPT.test(path))
    .sort()
  const byFolder = findingsByFolder(paths)
  if (values.note) {
    const counts = Object.fromEntries([...byFolder].map(([folder, lines]) => [folder, lines.length]))
    writeFileSync(knownFile, `${JSON.stringify(counts, null, 2)}\n`)
  }
  const allowedCounts: Record<string, number> = existsSync(knownFile)
    ? JSON.parse(readFileSync(knownFile, 'utf8'))
    : {}
  const checks = [brokenLinks, unknownDecisions, missingFiles, guidesWithoutModules]
  const broken = checks.flatMap((check) => check(root, paths))
  for (const line of broken) console.log(line)
  let isWorse = broken.length > 0
  for (const [folder, lines] of byFolder) {
    const allowed = allowedCounts[folder] ?? 0
    if (lines.length <= allowed && !values.all) continue
    isWorse ||= lines.length > allowed
    console.log(`${folder}: ${lines.length} findings, ${allowed} allowed\n  ${lines.join('\n  ')}`)
  }
  process.exitCode = isWorse ? 1 : 0
}

main()
