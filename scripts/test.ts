// Runs the tests: `npm test`, `npm test -- --only access` (a pattern over file paths), `npm run
// test:unit`. Files run in a few lanes, each a process that runs one file after the other
// (scripts/tests/lane.ts). A file whose head says `// Own process: REASON` gets a process of its own. Those
// that say `// Begins first: it takes N s.` begin first, the longest before the others.
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare, root } from './tests/prepare.ts'
import { Run } from './tests/run.ts'
import { clearTestFolder, makeTestFolder } from './tests/test-folder.ts'
import { needsDatabase } from './tests/tiers.ts'

const help = `npm test -- [--only PATTERN] [--unit] [--lanes N] [options of Node.js, such as --test-name-pattern=WORDS]
  --only PATTERN   only the files whose path matches this regular expression, such as '^src/models/'
  --unit           only the files that need no database and start no process (npm run test:unit)
  --lanes N        how many processes run files at a time (default: one more than there are processors, 5 at most)`

const folders = ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts']

/** Our options; the others are for Node.js. */
function readOptions(args: readonly string[]) {
  const { tokens, values } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: {
      only: { type: 'string', default: '' },
      unit: { type: 'boolean', default: false },
      lanes: { type: 'string', default: String(Math.min(availableParallelism(), 4) + 1) },
      help: { type: 'boolean', default: false },
    },
  })
  const ours = ['only', 'unit', 'lanes', 'help']
  const flags = tokens.filter((token) => token.kind === 'option' && !ours.includes(token.name))
  return {
    ...(values as { only: string; unit: boolean; lanes: string; help: boolean }),
    flags: flags.map((token) => args[token.index] as string),
  }
}

const { only, unit, lanes, help: asksHelp, flags } = readOptions(process.argv.slice(2))
if (asksHelp) {
  console.log(help)
  process.exit(0)
}
const pattern = new RegExp(only)
/** The seconds that a file says it takes on a quiet machine; 0 for most. */
const secondsOf = (text: string) => Number(/^\/\/ Begins first: it takes (\d+) s\.$/m.exec(text)?.[1] ?? 0)
/** Long files first, so that no lane ends long after the others; the size says enough of most. */
const files = globSync(folders, { cwd: root, exclude: (path) => path.includes('node_modules') })
  .filter((file) => pattern.test(file) && !(unit && needsDatabase(file)))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  .sort((a, b) => secondsOf(b.text) - secondsOf(a.text) || b.text.length - a.text.length)
  .map(({ file, text }) => ({ file, hasOwnProcess: text.includes('\n// Own process: ') }))
if (files.length === 0) {
  console.error(`No test file matches ${only}.`)
  process.exit(2)
}

const folder = makeTestFolder()
process.on('exit', () => clearTestFolder(folder))
const environment = await prepare(folder, unit ? 'unit' : files.length > 3 ? 'many' : 'few')
const run = new Run({ files, environment, lanes: Number(lanes), flags })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.stop(signal))
process.exit((await run.finish()) ? 0 : 1)
