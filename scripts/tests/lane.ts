// A lane of a test run: one process that runs test files one after the other, so that sources are
// loaded once for many files and one PostgreSQL serves them all. Started by scripts/test.ts, which
// sends the files over the process's channel; reporter.ts sends the results back.
import { describe, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { setLimits } from '../../src/limits.ts'
import { waitPatiently } from '../../test/support/patience.ts'
import { overs } from './reporter.ts'

const environment = { ...process.env }

/** The next file, or null at the end. */
function nextFile(): Promise<string | null> {
  return new Promise((resolve) => {
    process.once('message', (file) => resolve(file as string | null))
    process.send?.({ kind: 'next' })
  })
}

/** Takes back changes of a file that would reach those after it. */
function restore(): void {
  mock.reset()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  setLimits()
  waitPatiently()
}

/** Runs a file as a suite: its top-level hooks and tests are those of the suite. */
function run(file: string): Promise<void> {
  restore()
  return new Promise((resolve) => {
    overs.once(file, resolve)
    describe(file, async () => {
      await import(pathToFileURL(file).href)
    })
  })
}

// A test may wait for what does not keep a process alive by itself, such as a timer that is not counted.
const staying = setInterval(() => undefined, 1 << 30)
for (let file = await nextFile(); file !== null; file = await nextFile()) await run(file)
clearInterval(staying)
process.disconnect()
