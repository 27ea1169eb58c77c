// Plays business stories of some kinds on a server of its own: `npm run journeys -- prices documents --show
// 20`.
import { startConformanceServer } from '../conformance/server.ts'
import { KINDS, play } from './run.ts'

const given = process.argv.slice(2)
const options = given.slice(given.findIndex((arg) => arg.startsWith('--')) >>> 0)
const named = KINDS.filter((kind) => given.includes(kind))

const server = await startConformanceServer()
try {
  for (const kind of named.length ? named : KINDS) {
    const { output, journeys, differ, checks, failed, left } = await play(
      server,
      await server.key(),
      kind,
      options,
    )
    process.stdout.write(output)
    console.log(
      `${kind.padEnd(10)} ${journeys - differ} of ${journeys} journeys agree, ${checks - failed} of ${checks} checks hold, ${left} steps left out`,
    )
  }
} finally {
  await server.close()
}
