// Runs the tests with node's own runner: `npm test`, `npm test -- --only access` (a pattern over file paths),
// `npm test -- --test-name-pattern=…`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, globSync, mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { clearTestFolder, makeTestFolder } from './test-folder.ts'
import { filesNow, longTests } from './turns.ts'

const root = dirname(import.meta.dirname)
const folders = ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts']

/** Takes `--only PATTERN` out of the arguments; the rest is for the runner. */
function splitArguments(args: readonly string[]): { only: RegExp; rest: string[] } {
  const rest = [...args]
  const at = rest.findIndex((arg) => arg === '--only' || arg.startsWith('--only='))
  if (at < 0) return { only: /^/, rest }
  const [flag] = rest.splice(at, 1)
  const pattern = flag === '--only' ? rest.splice(at, 1)[0] : flag?.slice('--only='.length)
  return { only: new RegExp(pattern ?? ''), rest }
}

const { only, rest } = splitArguments(process.argv.slice(2))
const all = globSync(folders, { cwd: root, exclude: (path) => path.includes('node_modules') }).sort()
const gone = longTests.map(({ file }) => file).filter((file) => !all.includes(file))
if (gone.length) {
  console.error(`scripts/turns.ts names tests that are not there: ${gone.join(', ')}`)
  process.exit(2)
}
const now = new Set(filesNow(all))
const others = all.filter((file) => only.test(file) && !now.has(file))
if (others.length)
  console.log(`Tests take turns where every change waits (CI); left out now:\n  ${others.join('\n  ')}`)
const files = all.filter((file) => only.test(file) && now.has(file))
if (files.length === 0) {
  console.error(`No test file matches ${only}.`)
  process.exit(2)
}

const folder = makeTestFolder()
process.on('exit', () => clearTestFolder(folder))
const environment = {
  ...process.env,
  TMPDIR: folder,
  // The test kit keeps its templates with everything else of the run.
  COMPTOIR_TEST_CACHE: join(folder, 'cache'),
  // Every file is a process of its own, and half of its time would go into reading the same sources.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/comptoir'),
}

const running = new Set<ChildProcess>()
let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true
    for (const child of running) child.kill(signal)
  })
}

/** Runs node on a script of ours or with flags; gives the exit code. */
async function node(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stdout: 'inherit' | 'ignore' = 'inherit',
): Promise<number> {
  if (interrupted) return 1
  const options = { cwd: root, env, stdio: ['inherit' as const, stdout, 'inherit' as const] }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], options)
  running.add(child)
  const [code] = (await once(child, 'exit')) as [number | null]
  running.delete(child)
  return code ?? 1
}

/** A data directory for many tests to begin with; none where it cannot be made: then each sets up its own. */
async function makeSeed(): Promise<NodeJS.ProcessEnv> {
  if (files.length <= 3 || process.platform === 'win32') return {}
  const seed = join(folder, 'seed')
  mkdirSync(seed)
  chmodSync(seed, 0o711)
  return (await node(['test/support/seed.ts', seed], environment, 'ignore')) === 0
    ? { COMPTOIR_TEST_SEED: seed }
    : {}
}

// Tests in a browser see the pages as they are now.
const [seed] = await Promise.all([makeSeed(), node(['scripts/pages.ts', '--if-stale'], environment)])
// More than a small machine has processors: tests wait for PostgreSQL, browsers and children as long as they
// work. The time limit is for what hangs, and measures nothing: a test that takes a minute alone takes ten on
// a machine that is slow or has others to serve, and has no limit of its own.
const flags = [
  '--test',
  `--import=${new URL('../bin/imports.js', import.meta.url)}`,
  `--test-concurrency=${Math.min(availableParallelism(), 4) + 2}`,
  '--test-timeout=1200000',
]
process.exit(await node([...flags, ...rest, ...files], { ...environment, ...seed }))
