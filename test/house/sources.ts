// Reads the project's sources for the tests of the house: files, their imports, and the room each one is in.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Entry points of the engine, by the names that modules import. */
const entryPoints = new Map([
  ['#models', 'src/models/index.ts'],
  ['#engine', 'src/models/engine.ts'],
])

/** An import as written. `kind: 'type'` leaves no trace at run time. */
export interface Import {
  readonly from: string
  /** Path of the imported file relative to the project, or the bare specifier of a package. */
  readonly to: string
  readonly kind: 'type' | 'value'
}

/** A source file, its path relative to the project. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
}

const STATEMENT = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

/** The imports of a text. `import { type A }` counts as a value: type stripping keeps the import itself. */
export function importsOf(path: string, text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const imports: Import[] = []
  for (const [, type, specifier] of code.matchAll(STATEMENT)) {
    imports.push({ from: path, to: target(path, specifier as string), kind: type ? 'type' : 'value' })
  }
  for (const [, specifier] of code.matchAll(DYNAMIC)) {
    imports.push({ from: path, to: target(path, specifier as string), kind: 'value' })
  }
  return imports
}

function target(path: string, specifier: string): string {
  const entryPoint = entryPoints.get(specifier)
  if (entryPoint) return entryPoint
  return specifier.startsWith('.') ? join(dirname(path), specifier) : specifier
}

/** All sources under `src`, tests apart. */
export function sources(): Source[] {
  return read('src/**/*.{ts,tsx}').filter((source) => !source.path.endsWith('.test.ts'))
}

/** Files of the project that match a pattern, by path. */
export function read(pattern: string): Source[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, imports: importsOf(path, text) }
    })
}

/** `src/models/kinds/texts.ts` → `models`; `src/main.ts` → `main`; `src/modules/base/users/users.ts` → `modules`. */
export function roomOf(path: string): string {
  const [, first = ''] = path.split('/')
  return first.replace(/\.ts$/, '')
}

/**
 * The files through which other layers enter a layer: its `index.ts`, and those of parts that have
 * one (`postgres/embedded`, which most readers of `postgres` never load). The engine has two. A layer
 * of loose files has none.
 */
export function entriesOf(room: string): string[] {
  const inner = globSync(`src/${room}/*/index.ts`, { cwd: root })
  if (room === 'models') return [...entryPoints.values()]
  return [...globSync(`src/${room}/index.ts`, { cwd: root }), ...(room === 'postgres' ? inner : [])]
}
