// A server whose starter is killed, early or late, by any signal, leaves no process running: npm, its
// shell, or a launcher at the other end of a channel.
// Begins first: it takes 11 s.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'
import { root } from '../support/serve.ts'
import { makeDataDir, makeTemp } from '../support/temp.ts'
import { canLook, isAlive, withDescendants } from './processes.ts'

const skip = !canLook && 'needs /proc'

/** Processes that were started with a data directory in their environment, but for the one that asks. */
function processesOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`COMPTOIR_DATA_DIR=${dataDir}\0`) &&
          isAlive(pid)
        )
      } catch {
        return false
      }
    })
}

async function assertNothingLeft(dataDir: string, how: string): Promise<void> {
  for (let tries = 0; processesOf(dataDir).length && tries < 60_000; tries++) await sleep(20)
  const left = processesOf(dataDir).map(commandOf)
  assert.deepEqual(left, [], `${how} left something running`)
}

interface Started {
  readonly child: ChildProcess
  readonly dataDir: string
  /** Resolves when the server answers. */
  readonly listening: Promise<void>
  remove(): void
}

async function start(
  command: string,
  args: readonly string[],
  data = makeDataDir('starters'),
): Promise<Started> {
  const env = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(COMPTOIR_|npm_|NODE_TEST_CONTEXT)/.test(name)),
    ),
    COMPTOIR_DATA_DIR: data.path,
    COMPTOIR_PORT: String(await freePort()),
  }
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk
    if (text.includes('listening on')) resolve()
  })
  const remove = () => {
    // Servers that a failed test left running would keep the run from ending.
    try {
      if (child.exitCode === null && child.signalCode === null && child.pid)
        process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It is gone by now.
    }
    data.remove()
  }
  return { child, dataDir: data.path, listening, remove }
}

/** The processes between npm and the server, npm first. */
function chainOf(pid: number): number[] {
  return withDescendants(pid).filter((descendant) => {
    const line = commandOf(descendant)
    return line !== '' && !line.includes('main.ts') && !line.includes('postgres')
  })
}

/** The command line of a process; empty for one that is gone, as some of PostgreSQL's are at any moment. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

test('npm start: npm or its shell asked to stop, or killed', { skip }, async () => {
  for (const [how, signal, last] of [
    ['SIGTERM to npm', 'SIGTERM', false],
    ['SIGKILL of npm', 'SIGKILL', false],
    ['SIGTERM to what npm runs', 'SIGTERM', true],
    ['SIGKILL of what npm runs', 'SIGKILL', true],
  ] as const) {
    const started = await start('npm', ['start', '--silent'])
    try {
      await started.listening
      const chain = chainOf(started.child.pid as number)
      process.kill((last ? chain[1] : chain[0]) as number, signal)
      await assertNothingLeft(started.dataDir, how)
    } finally {
      started.remove()
    }
  }
})

/**
 * A launcher as bin/comptoir.js is one on an older Node.js: it ends after some milliseconds, without a word.
 */
const launcher = (milliseconds: number) => `
  const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(join(root, 'src/cli/main.ts'))}, 'serve'],
    { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${milliseconds})`

test('SIGKILL: a launcher that is killed at any moment of its start leaves no process', {
  skip,
}, async () => {
  for (const milliseconds of [0, 30, 100, 300, 700, 1500, 3000]) {
    // An empty directory: it has to make PostgreSQL's files and install the shop.
    const started = await start(process.execPath, ['-e', launcher(milliseconds)], makeTemp('starters'))
    try {
      await once(started.child, 'exit')
      await assertNothingLeft(started.dataDir, `A launcher that lived ${milliseconds} ms`)
    } finally {
      started.remove()
    }
  }
})
