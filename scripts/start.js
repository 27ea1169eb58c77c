// `npm start`: the server of a checkout with its pages. Where they were never built, as at a first start, they are built while
// the server starts, which takes longer; pages older than their sources are built before. Plain JavaScript, as older versions read it.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { newerNode, servesHere } from '../bin/runtime.js'
import { pagesAre } from './stale-pages.js'

const state = pagesAre()
const build = [
  servesHere ? process.execPath : newerNode(),
  [fileURLToPath(new URL('pages.ts', import.meta.url)), '--if-stale'],
]
if (state === 'stale') {
  const { status } = spawnSync(...build, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
if (state === 'missing') spawn(...build, { stdio: ['ignore', 'inherit', 'inherit'] })

process.argv.splice(2, 0, 'serve')
await import('../bin/comptoir.js')
