// Run by npm after an install: takes out of packages what nobody here reads. Node.js's package keeps, beside its program,
// a second name of it with 65 MB of headers for compilers; maps of packages' sources are 18 MB; the library of the
// agents' protocol and zod, which it brings, have every file twice, for CommonJS too, and zod its sources; two of 22 fonts
// are printed with. `npm prune` removes that too. Plain JavaScript, as older versions read it.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const packages = join(import.meta.dirname, '../node_modules')

/** Removes files of a folder, and of folders in it, whose names match. */
function sweep(folder, isSpare) {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sweep(path, isSpare)
    else if (entry.isFile() && isSpare.test(entry.name)) rmSync(path)
  }
}

try {
  const home = join(packages, 'node')
  if (existsSync(join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')))
    rmSync(join(home, 'node_modules'), { recursive: true, force: true })
  sweep(packages, /\.(?:[cm]?js|d\.[cm]?ts|css)\.map$/)
  for (const name of ['@modelcontextprotocol', 'zod']) sweep(join(packages, name), /\.(?:cjs|d\.cts)$/)
  rmSync(join(packages, 'zod/src'), { recursive: true, force: true })
  sweep(join(packages, 'dejavu-fonts-ttf/ttf'), /^(?!DejaVuSans(?:-Bold)?\.ttf$)/)
} catch (error) {
  console.warn(`Spare files of packages could not be removed, which does no harm: ${error.message}`)
}
