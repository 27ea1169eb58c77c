// Runs the tests with node's own runner: `npm test`, `npm test -- --only access` (a pattern over file paths), `npm test -- --test-name-pattern=…`.
import { spawn, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname } from 'node:path'

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
const files = globSync(folders, { cwd: root, exclude: (path) => path.includes('node_modules') })
  .filter((file) => only.test(file))
  .sort()
if (files.length === 0) {
  console.error(`No test file matches ${only}.`)
  process.exit(2)
}
// Tests in a browser see the pages as they are now.
spawnSync(process.execPath, ['scripts/pages.ts', '--if-stale'], { cwd: root, stdio: 'inherit' })
const runner = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=2', '--test-timeout=300000', ...rest, ...files],
  { cwd: root, stdio: 'inherit' },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
runner.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
