// Compiles src into dist, which the published package runs from: JavaScript for Node.js 20 and newer, and declarations. `npm run compile`.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

/** Runs the compiler. Ends the process with its exit code when it has complaints. */
function compile(): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // Standard output may be that of `npm pack --json`.
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'scripts/tsconfig.compile.json'], { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}

/** Declarations name files as the sources do; compilers of other people should need no setting for that. */
function renameImports(): void {
  for (const file of globSync('**/*.d.ts', { cwd: dist })) {
    const path = join(dist, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replaceAll(/(\bfrom |\bimport\(|\bimport |\bmodule )(['"])(\.{1,2}\/[^'"\n]+)\.ts\2/g, '$1$2$3.js$2'))
  }
}

/** Data files stand beside the code that reads them. */
function copyData(): void {
  for (const file of globSync('**/*.json', { cwd: join(root, 'src'), exclude: ['pages/**'] })) {
    if (extname(file) !== '.json') continue
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    cpSync(join(root, 'src', file), join(dist, file))
  }
}

rmSync(dist, { recursive: true, force: true })
compile()
renameImports()
copyData()
// A package of its own as far as `#models` goes: here it is the compiled file.
writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ type: 'module', imports: { '#models': './models/index.js' } }, null, 2)}\n`)
