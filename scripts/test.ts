// Runs the tests with node's own runner: `npm test`, `npm test -- --only access` (a pattern over file paths), `npm test -- --test-name-pattern=…`.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

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
/** A data directory for many tests to begin with; none where it cannot be made: then each sets up its own. */
function makeSeed(): string | undefined {
  const seed = mkdtempSync(join(tmpdir(), 'comptoir-seed-'))
  chmodSync(seed, 0o711)
  process.on('exit', () => rmSync(seed, { recursive: true, force: true }))
  const args = ['--disable-warning=ExperimentalWarning', 'test/support/seed.ts', seed]
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0 ? seed : undefined
}

const seed = files.length > 3 && process.platform !== 'win32' ? makeSeed() : undefined
const runner = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--test', '--test-concurrency=2', '--test-timeout=300000', ...rest, ...files],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...(seed ? { COMPTOIR_TEST_SEED: seed } : {}) } },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal))
runner.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
