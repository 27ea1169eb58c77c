// Run by npm after an install: Node.js's package keeps, beside its program, a second name of it with 65 MB of headers for compilers. `npm prune`
// removes that too. Plain JavaScript, as older versions read it.
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const home = join(import.meta.dirname, '../node_modules/node')
try {
  if (existsSync(join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')))
    rmSync(join(home, 'node_modules'), { recursive: true, force: true })
} catch (error) {
  console.warn(`Headers of Node.js could not be removed, which does no harm: ${error.message}`)
}
