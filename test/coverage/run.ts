// Counts recorded names that are missing; with --update, writes the lists of them and the page of what is
// not offered.
import { writeFileSync } from 'node:fs'
import { listNames, listOf, missingOf, pageOf, words } from './names.ts'

const missing = missingOf(['A', 'B'])
for (const list of listNames) {
  const entries = Object.entries(missing).filter(([model]) => listOf(model) === list)
  const count = (kind: 'fields' | 'methods') => entries.flatMap(([, names]) => words(names[kind])).length
  console.log(`${list}: ${count('fields')} fields and ${count('methods')} methods are missing`)
  if (process.argv.includes('--update'))
    writeFileSync(
      new URL(`missing/${list}.json`, import.meta.url),
      `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`,
    )
}
if (process.argv.includes('--update'))
  writeFileSync(new URL('../../docs/reference/coverage.md', import.meta.url), pageOf(missingOf(['C'])))
