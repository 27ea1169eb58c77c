// Identity of this build: templates made by other sources are not taken, their tables may differ.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

let cachedId: string | undefined

/**
 * A hash over the version, and names, sizes and times of the sources that shape a database: models and
 * modules. Some milliseconds, once a process.
 */
export function buildId(): string {
  if (cachedId) return cachedId
  const hash = createHash('sha256')
  const root = join(import.meta.dirname, '..')
  // Files of an installed package all have one time, so the version also counts.
  hash.update(readFileSync(join(root, '..', 'package.json')))
  for (const room of ['models', 'modules']) {
    for (const file of readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).sort()) {
      const { size, mtimeMs } = statSync(join(root, room, file))
      hash.update(`${room}/${file} ${size} ${mtimeMs}\n`)
    }
  }
  cachedId = hash.digest('hex')
  return cachedId
}
