// Plays field reports on a server of its own: `npm run field-reports`, `npm run field-reports -- 07
// deposit`; `--update` writes known-failures.json anew.
import { writeFileSync } from 'node:fs'
import { startConformanceServer } from '../conformance/server.ts'
import { playReport, REPORTS } from './run.ts'

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const played = REPORTS.filter((report) => words.length === 0 || words.some((word) => report.includes(word)))
const failing: string[] = []
const server = await startConformanceServer()
try {
  for (const report of played) {
    const { passed, output } = await playReport(server, await server.key(), report)
    process.stdout.write(output.replace(/^\d+ failed\n/m, ''))
    if (!passed) failing.push(report)
  }
  console.log(`${played.length - failing.length} of ${played.length} field reports pass`)
  if (process.argv.includes('--update'))
    writeFileSync(
      new URL('known-failures.json', import.meta.url),
      `${JSON.stringify(failing, undefined, 2)}\n`,
    )
} finally {
  await server.close()
}
