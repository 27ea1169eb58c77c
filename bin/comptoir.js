#!/usr/bin/env node
// Starts the command line with a Node.js that is new enough, whatever the version that runs this file.
import { spawn } from 'node:child_process'
import module from 'node:module'
import { constants } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { newerNode, servesHere } from './runtime.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
// Node.js strips no types below node_modules: an installed package runs what was compiled, a checkout its sources.
const installed = root.split(sep).includes('node_modules')
const main = installed ? join(root, 'dist', 'cli', 'main.js') : join(root, 'src', 'cli', 'main.ts')

if (servesHere) {
  process.argv[1] = main
  // Nothing is compiled twice, here and in the processes that serve starts.
  process.env.NODE_COMPILE_CACHE = compileCache()
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  await import('./imports.js')
  await import(pathToFileURL(main).href)
} else {
  start(newerNode())
}

/** Where Node.js may keep compiled code: in the folder of packages that this one is in, or has. */
function compileCache() {
  const packages = installed ? dirname(root) : join(root, 'node_modules')
  return process.env.NODE_COMPILE_CACHE ?? join(packages, '.cache', 'comptoir')
}

/** Runs the command line in a child that shares the terminal; its end is our end. */
function start(node) {
  // A small young generation: calls leave short-lived garbage, and a large one only makes the process look hungry.
  const flags = ['--max-semi-space-size=8', `--import=${new URL('imports.js', import.meta.url)}`]
  const child = spawn(node, [...flags, main, ...process.argv.slice(2)], {
    // The channel tells the child when we are gone, even by SIGKILL.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache() },
  })
  // A terminal sends its signals to the child as well; the child takes the second of two as the same one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`comptoir: ${node} cannot be started: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 1)))
}
