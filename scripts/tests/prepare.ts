// Preparations of a run: pages for browsers, and data directories that tests and lanes copy.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compilerEnvironment } from '../compiler.ts'

export const root = dirname(dirname(import.meta.dirname))

/**
 * Returns the environment of processes that run tests: everything they write goes into `folder`. Unit
 * tests need no preparation. For few files, each sets up its own database.
 */
export async function prepare(folder: string, size: 'unit' | 'few' | 'many'): Promise<NodeJS.ProcessEnv> {
  const environment = {
    ...compilerEnvironment(),
    TMPDIR: folder,
    // The test kit keeps its templates with everything else of the run.
    COMPTOIR_TEST_CACHE: join(folder, 'cache'),
    // Compiled code is kept for all processes of this run and the next.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/comptoir'),
  }
  if (size === 'unit') return environment
  const isSeeded = size === 'many' && process.platform !== 'win32'
  const seeds = isSeeded ? [join(folder, 'seed'), join(folder, 'lane-seed')] : []
  for (const seed of seeds) {
    mkdirSync(seed)
    chmodSync(seed, 0o711)
  }
  const [seedCode, pagesCode] = await Promise.all([
    isSeeded ? node(['test/support/seed.ts', ...seeds], environment) : 1,
    node(['scripts/pages.ts', '--if-stale'], environment),
  ])
  if (pagesCode !== 0) throw new Error('The pages could not be built: npm run pages says why.')
  if (seedCode !== 0) return environment
  const [alone, lane] = seeds
  return { ...environment, COMPTOIR_TEST_SEED: alone, COMPTOIR_TEST_LANE_SEED: lane }
}

async function node(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
