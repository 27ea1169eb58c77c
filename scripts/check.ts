// Runs the checks of `npm run check`: format and lint, types, dead code, prose. All of them run, and the
// output of each is printed when it ends.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { compilerEnvironment } from './compiler.ts'

const root = dirname(import.meta.dirname)
const tool = (path: string) => join('tools/node_modules', path)

/** Arguments of Node.js that compile a project without output. */
const types = (name: string, ...options: readonly string[]) => [
  'node_modules/typescript/bin/tsc',
  ...['--noEmit', '--checkers', '1', '--incremental'],
  ...['--tsBuildInfoFile', `node_modules/.cache/types/${name}.tsbuildinfo`],
  ...options,
]

/**
 * Two sequences at a time, as types take one processor about as long as the other steps the second. One
 * checker: each of several infers again the types that its files share with the files of the others.
 */
const sequences: readonly (readonly (readonly string[])[])[] = [
  [types('sources')],
  [
    [tool('@biomejs/biome/bin/biome'), 'check', '.'],
    types('pages', '-p', 'src/pages'),
    [tool('knip/bin/knip.js'), '--cache'],
    ['scripts/prose.ts'],
  ],
]

/** Runs a program of Node.js; whether it found nothing. */
function run(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: compilerEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
      })
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(chunks))
      if (code !== 0) console.error(`failed: ${args.join(' ')}`)
      resolve(code === 0)
    })
  })
}

async function runAll(steps: readonly (readonly string[])[]): Promise<boolean> {
  let passed = true
  for (const step of steps) passed = (await run(step)) && passed
  return passed
}

const outcomes = await Promise.all(sequences.map(runAll))
process.exitCode = outcomes.every(Boolean) ? 0 : 1
