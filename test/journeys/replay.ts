// Plays business stories on a server of its own: `npm run journeys -- prices first/till --only 3,7
// --trace`; `--update` writes known-failures.json anew for the files played.
import { readFileSync, writeFileSync } from 'node:fs'
import { startConformanceServer } from '../conformance/server.ts'
import { FILES, play } from './run.ts'

const named = FILES.filter((file) => process.argv.slice(2).includes(file))
const played = named.length ? named : FILES
const options = process.argv.slice(2).filter((word) => !FILES.some((file) => file === word))
const isUpdate = options.includes('--update')
const list = new URL('known-failures.json', import.meta.url)

const server = await startConformanceServer()
try {
  const summary: string[] = []
  const knownFailures = JSON.parse(readFileSync(list, 'utf8')) as Record<string, readonly number[]>
  for (const file of played) {
    const more = options.filter((word) => word !== '--update')
    const { output, stories, differing, better, checks, failed } = await play(
      server,
      await server.key(),
      file,
      more,
    )
    process.stdout.write(output)
    knownFailures[file] = differing
    summary.push(
      `${file.padEnd(16)} ${stories - differing.length - better.length} of ${stories} stories agree, ${checks - failed} of ${checks} checks hold${differing.length ? `; differing: ${differing.join(' ')}` : ''}${better.length ? `; better here: ${better.join(' ')}` : ''}`,
    )
  }
  console.log(summary.join('\n'))
  if (isUpdate) {
    const lines = FILES.map(
      (file) => `  ${JSON.stringify(file)}: ${JSON.stringify(knownFailures[file] ?? [])}`,
    )
    writeFileSync(list, `{\n${lines.join(',\n')}\n}\n`)
  }
} finally {
  await server.close()
}
