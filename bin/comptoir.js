#!/usr/bin/env node
// Starts the command line with the Node.js that the package pins, whatever the version that runs this file.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const main = join(root, 'src', 'cli', 'main.ts')

if (Number(process.versions.node.split('.')[0]) >= 24) {
  process.argv[1] = main
  await import(pathToFileURL(main).href)
} else {
  start(pinnedNode())
}

/** The path of the pinned Node.js, a dependency like any other. */
function pinnedNode() {
  try {
    const home = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    return join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    console.error('comptoir: Node.js 24 is missing; run npm install, or use Node.js 24 or newer')
    process.exit(1)
  }
}

/** Runs the command line in a child that shares the terminal; its end is our end. */
function start(node) {
  // A small young generation: calls leave short-lived garbage, and a large one only makes the process look hungry.
  const child = spawn(node, ['--max-semi-space-size=4', main, ...process.argv.slice(2)], {
    // The channel tells the child when we are gone, even by SIGKILL.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'comptoir') },
  })
  // A terminal sends its signals to the child as well; the child takes the second of two as the same one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`comptoir: ${node} cannot be started: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)))
}
