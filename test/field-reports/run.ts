// Plays the vendored reproductions of publicly reported problems on a server, and reads what the runner
// says.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const vendor = join(import.meta.dirname, 'vendor')

/** Names of the reports, without their ending. */
export const REPORTS = readdirSync(vendor)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .sort()

/**
 * The output of the runner for one report: a line for each step that differs, and at the end `pass` or
 * `FAIL`.
 */
export async function playReport(
  server: { readonly url: string; readonly database: string },
  key: string,
  report: string,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  const args = ['run.mjs', server.url, server.database, key, report]
  const child = spawn(process.execPath, args, { cwd: vendor, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
  await once(child, 'close')
  return { passed: new RegExp(`^pass ${report}\\.json`, 'm').test(output), output }
}
