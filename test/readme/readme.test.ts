// What README.md tells a newcomer to type works: its marked blocks are run in order against a fresh data directory.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { blocksOf, missing } from './blocks.ts'

const started: ChildProcess[] = []
const temp = makeTemp('readme')
after(async () => {
  for (const child of started) await stopGroup(child.pid as number)
  temp.remove()
})

/** Asks all processes of a group to stop and waits until the last one did: the server outlives the shell that started it. */
async function stopGroup(group: number): Promise<void> {
  for (let signal: 'SIGTERM' | 0 = 'SIGTERM'; ; signal = 0) {
    try {
      process.kill(-group, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    await sleep(20)
  }
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Puts a `curl` of our own into the path where the machine has none. */
function withCurl(path: string): string {
  if (path.split(delimiter).some((folder) => existsSync(join(folder, 'curl')))) return path
  const folder = join(temp.path, 'tools')
  mkdirSync(folder)
  const script = `#!/bin/sh\nexec "${process.execPath}" --disable-warning=ExperimentalWarning "${join(import.meta.dirname, 'curl.ts')}" "$@"\n`
  writeFileSync(join(folder, 'curl'), script, { mode: 0o755 })
  return `${folder}${delimiter}${path}`
}

/** Runs commands in bash until they end, or until they print `until`. */
async function run(commands: string, until: string | null, env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: temp.path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  started.push(child)
  let output = ''
  const ended = once(child, 'close').then(() => undefined)
  const reached = new Promise<void>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8')
        if (until !== null && output.includes(until)) done()
      })
    }
  })
  await Promise.race(until === null ? [ended] : [ended, reached])
  return { code: child.exitCode, output }
}

test('the reader of marks', () => {
  const text =
    'a\n<!-- run: background until "up" -->\n```sh\nnpm start\n```\n<!-- run -->\n```sh\nls\n```\n<!-- output contains -->\n```text\nx … z\n```\n'
  assert.deepEqual(
    blocksOf(text).map(({ commands, until, expected }) => [commands, until, expected]),
    [
      ['npm start', 'up', []],
      ['ls', null, ['x … z']],
    ],
  )
  assert.throws(() => blocksOf('<!-- run -->\ntext'), /not followed/)
  assert.equal(missing(['x … z'], 'a\nx y z\n'), null)
  assert.equal(missing(['x … z', 'a'], 'a\nx y z\n'), 'a')
})

test('the blocks of README.md run as they stand', async () => {
  const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))
  assert.ok(blocks.length >= 2, 'README.md has no blocks marked to be run')
  // As in a fresh clone: the project's files, but data and whatever the blocks write are in a directory of their own.
  for (const name of ['bin', 'src', 'scripts', 'node_modules', 'package.json', 'package-lock.json', 'tsconfig.json', '.npmrc']) {
    symlinkSync(join(root, name), join(temp.path, name))
  }
  const port = await freePort()
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('COMPTOIR_') && name !== 'NODE_TEST_CONTEXT'),
  )
  const variables = {
    ...env,
    COMPTOIR_PORT: String(port),
    COMPTOIR_DATA_DIR: join(temp.path, 'data'),
    PATH: withCurl(process.env.PATH ?? ''),
  }
  let key = ''
  for (const { line, commands, until, expected } of blocks) {
    // The reader of the README copies the key that the first run printed, and everybody else's server has port 8069.
    const typed = commands.replaceAll('npm install && ', '').replaceAll('127.0.0.1:8069', `127.0.0.1:${port}`).replaceAll('YOUR_KEY', key)
    const { code, output } = await run(typed, until, { ...variables, KEY: key })
    assert.ok(until !== null ? output.includes(until) : code === 0, `README.md line ${line} ended with ${code}:\n${typed}\n${output}`)
    const lacking = missing(expected, output)
    assert.ok(lacking === null, `README.md line ${line} does not print: ${lacking}\n${output}`)
    key ||= /^API key\s+(\S+)/m.exec(output)?.[1] ?? ''
  }
})
