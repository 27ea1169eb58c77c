// Runs a vendored runner against one side, with the same random numbers on both.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'

const seeded = new URL('seeded.ts', import.meta.url).href

/** Runs a script of a vendored folder to its end, however that is; gives what it printed. */
export async function runVendored(script: string, args: readonly string[], seed: number): Promise<string> {
  const child = spawn(process.execPath, ['--import', seeded, script, ...args], {
    cwd: dirname(script),
    env: { ...process.env, EQUIVALENCE_SEED: String(seed) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
  await once(child, 'close')
  return output
}
