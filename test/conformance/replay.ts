// npm run conformance: replays recorded conversations and prints what does not hold.
// By itself it starts a server on the embedded database; --url … --db … --key-command … use one that runs.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readExtensions } from '../../src/config/extensions.ts'
import { replay, replayAccepting, type Target } from './run.ts'
import { type ConformanceServer, installed, startConformanceServer } from './server.ts'

const help = `npm run conformance -- [--only PATTERN] [--modules a,b] [--extensions yes|no|list] [--accept TYPE] [--update] [--url URL --db NAME --key-command COMMAND [--master M]]
  --only         cases by name, such as '^(read|write)/' (default: all cases of the modules)
  --modules      modules to install (default: all)
  --extensions   what the server offers beyond the documented API: yes (default), no, or a list
  --accept       media type to request in cases without one, such as application/json
  --update       writes known-failures.json, which the tests compare with (use it with all cases)
  --url          a running server; needs --db and --key-command, which prints a key of $LOGIN in $DB`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '.' },
    modules: { type: 'string', default: installed },
    extensions: { type: 'string', default: 'yes' },
    accept: { type: 'string' },
    update: { type: 'boolean', default: false },
    url: { type: 'string' },
    db: { type: 'string' },
    'key-command': { type: 'string' },
    master: { type: 'string', default: 'master' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}

/** The server given by flags, or one of our own. */
async function target(): Promise<Target & Partial<ConformanceServer>> {
  const { url, db, 'key-command': keyCommand, master } = values
  if (!url) return startConformanceServer(readExtensions(values.extensions))
  if (!db || !keyCommand) {
    console.error(help)
    process.exit(2)
  }
  return { url, database: db, keyCommand, master }
}

const server = await target()
try {
  const { accept, only, modules } = values
  const results = accept
    ? (await replayAccepting(server, accept, only, { echo: true, modules })).results
    : await replay(server, only, { echo: true, modules })
  const areas = Map.groupBy(results, (result) => result.name.split('/')[0] as string)
  for (const [area, cases] of areas) {
    const checks = cases.reduce((sum, c) => sum + c.checks, 0)
    const failed = cases.reduce((sum, c) => sum + c.failed, 0)
    console.log(
      `${area.padEnd(16)} ${String(checks - failed).padStart(5)} of ${String(checks).padStart(5)} checks hold`,
    )
  }
  if (values.update) {
    const failing = results.filter((result) => result.failed).map((result) => [result.name, result.failed])
    writeFileSync(
      new URL('known-failures.json', import.meta.url),
      `${JSON.stringify(Object.fromEntries(failing), undefined, 2)}\n`,
    )
  }
  process.exitCode = results.some((result) => result.failed) ? 1 : 0
} finally {
  await server.close?.()
}
