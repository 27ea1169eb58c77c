// Compiles src into dist, which the published package runs from: JavaScript for Node.js 20 and newer, and
// declarations. `npm run compile`.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { BUILD_FILE, contentIdentityOf } from '../src/databases/build-id.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

/** Runs the compiler. Ends the process with its exit code when it has complaints. */
function compile(): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // Standard output may be that of `npm pack --json`.
  const { status } = spawnSync(
    process.execPath,
    [tsc, '--checkers', '1', '-p', 'scripts/tsconfig.compile.json'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  )
  if (status !== 0) process.exit(status ?? 1)
}

const REFERENCE = /(\bfrom |\bimport\(|\bimport |\bmodule )(['"])(#models|#engine|\.{1,2}\/[^'"\n]+\.ts)\2/g

/** Entry points of the engine, and their files in `dist`. */
const entryPoints = new Map([
  ['#models', 'models/index.js'],
  ['#engine', 'models/engine.js'],
])

/**
 * Names of files as every compiler and bundler knows them: `.js` also in declarations, and in place of
 * `#models` and `#engine`, which in the checkout lead to the sources, the way to the compiled file.
 */
function renameImports(): void {
  for (const file of globSync('**/*.{js,d.ts}', { cwd: dist })) {
    const path = join(dist, file)
    const renamed = (name: string) => {
      const entryPoint = entryPoints.get(name)
      if (!entryPoint) return name.replace(/\.ts$/, '.js')
      const way = relative(dirname(file), entryPoint)
      return way.startsWith('.') ? way : `./${way}`
    }
    const text = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      text.replaceAll(
        REFERENCE,
        (_, before: string, quote: string, name: string) => before + quote + renamed(name) + quote,
      ),
    )
  }
}

/**
 * Adds imports of the declared models to the declaration of each module's entry. Its own declaration
 * would leave them out, because the types of its exports do not name them.
 */
function showModels(): void {
  for (const index of globSync('modules/*/index.js', { cwd: dist })) {
    const folder = dirname(join(dist, index))
    const text = readFileSync(join(dist, index), 'utf8')
    const widening = globSync('**/*.d.ts', { cwd: folder }).filter((file) =>
      /^declare module /m.test(readFileSync(join(folder, file), 'utf8')),
    )
    const needs = [...(/depends:\s*\[([^\]]*)\]/.exec(text)?.[1] ?? '').matchAll(/['"]([^'"]+)['"]/g)].map(
      ([, name]) => `../${name}/index.js`,
    )
    const files = [...needs, ...widening.sort().map((file) => `./${file.replace(/\.d\.ts$/, '.js')}`)]
    const declaration = join(folder, 'index.d.ts')
    writeFileSync(
      declaration,
      `${files.map((file) => `import '${file}';\n`).join('')}${readFileSync(declaration, 'utf8')}`,
    )
  }
}

/**
 * Every module stands on `base`, and a test may call for the models of any: their entries bring them into
 * view too.
 */
function showEverywhere(): void {
  const all = globSync('modules/*/index.d.ts', { cwd: dist })
    .sort()
    .map((file) => `./${file.replace(/\.d\.ts$/, '.js')}`)
  const shown = { 'models/index.d.ts': ['../modules/base/index.js'], 'testing.d.ts': all }
  for (const [file, entries] of Object.entries(shown)) {
    const path = join(dist, file)
    writeFileSync(
      path,
      `${entries.map((entry) => `import '${entry}';\n`).join('')}${readFileSync(path, 'utf8')}`,
    )
  }
}

/** Removes declarations that no entry of the package leads to: no program that uses it sees them. */
function dropUnreached(): void {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.values<{ types?: string }>(exports).flatMap(({ types }) =>
    types ? globSync(types, { cwd: root }).map((file) => join(root, file)) : [],
  )
  const reached = new Set(entries)
  // A set that grows while it is iterated is iterated to its end.
  for (const file of reached)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/['"](\.{1,2}\/[^'"\n]+)\.js['"]/g))
      reached.add(join(dirname(file), `${name}.d.ts`))
  for (const file of globSync('**/*.d.ts', { cwd: dist }).map((name) => join(dist, name)))
    if (!reached.has(file)) rmSync(file)
}

/** Code reads data files from its own folder. */
function copyData(): void {
  for (const file of globSync('**/*.*', {
    cwd: join(root, 'src'),
    exclude: ['pages/**', '**/*.ts', '**/*.md'],
  })) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    cpSync(join(root, 'src', file), join(dist, file))
  }
}

rmSync(dist, { recursive: true, force: true })
compile()
renameImports()
showModels()
showEverywhere()
dropUnreached()
copyData()
writeFileSync(join(dist, BUILD_FILE), `${contentIdentityOf(dist)}\n`)
