// Runs a script with a Node.js that is new enough to read it, or says in one line where to get one. Plain JavaScript, as older versions read it.
import { spawnSync } from 'node:child_process'
import { newerNode, servesHere } from '../bin/runtime.js'

const { status } = spawnSync(servesHere ? process.execPath : newerNode(), process.argv.slice(2), {
  stdio: 'inherit',
})
process.exit(status ?? 1)
