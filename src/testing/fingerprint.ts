// Fingerprint of a module of another package when a template was made: the files of the project, and its
// declarations.
import { createHash, type Hash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Module } from '../models/index.ts'

/** Files that make up modules: programs and data. */
const PARTS = /\.(?:[cm]?[jt]s|json|csv|xml|html|txt|svg|png|jpe?g|webp)$/
/**
 * Tests change all the time, and nothing in a template comes from them but modules that they declare, whose
 * declarations count.
 */
const TEST = /\.(?:test|spec)\.[cm]?[jt]s$/

/**
 * A text that changes when a module's declarations, or any program or data file of the project at `folder`,
 * change.
 */
export function fingerprintOf(modules: readonly Module[], folder = process.cwd()): string {
  const hash = createHash('sha256')
  for (const module of modules) addValue(hash, module, new Set())
  addFiles(hash, projectOf(folder))
  return hash.digest('hex')
}

/** The nearest folder upwards that has a package.json. */
function projectOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at
    if (dirname(at) === at) return folder
  }
}

function addFiles(hash: Hash, folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((first, other) =>
    first.name < other.name ? -1 : 1,
  )
  // A data directory: files that a server writes during tests do not belong to modules.
  if (entries.some(({ name }) => name === 'postgres.json')) return
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && !entry.name.startsWith('.')) addFiles(hash, path)
    } else if (PARTS.test(entry.name) && !TEST.test(entry.name)) {
      const { size, mtimeMs } = statSync(path)
      hash.update(`${path} ${size} ${mtimeMs}\n`)
    }
  }
}

/** Adds a declaration to the hash: plain data by value, functions by their text. */
function addValue(hash: Hash, value: unknown, above: Set<object>): void {
  if (typeof value === 'function') hash.update(`function ${String(value)}\n`)
  else if (value instanceof RegExp || value instanceof URL || value instanceof Date)
    hash.update(`${String(value)}\n`)
  else if (typeof value === 'object' && value !== null) addObject(hash, value, above)
  else hash.update(`${typeof value} ${String(value)}\n`)
}

function addObject(hash: Hash, value: object, above: Set<object>): void {
  if (above.has(value)) return
  above.add(value)
  hash.update('{')
  for (const [key, inner] of value instanceof Map ? value : Object.entries(value)) {
    hash.update(`${String(key)}: `)
    addValue(hash, inner, above)
  }
  hash.update('}')
  above.delete(value)
}
